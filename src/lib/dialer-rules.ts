import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

export type EgressPolicy = "guarded" | "strict";

/** Why a connection is refused, as the end of a sentence. It never holds an address that the caller did not name. */
export type Refusal = string;

type Address = ipaddr.IPv4 | ipaddr.IPv6;

// Link-local covers 169.254.169.254; these metadata services live elsewhere, and ipaddr.js calls the first one plain unicast.
const METADATA: ReadonlySet<string> = new Set([
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fd00:42::42",
]);

const GUARDED: ReadonlySet<string> = new Set([
  "unicast",
  "private",
  "loopback",
  "uniqueLocal",
  "carrierGradeNat",
]);

// ipaddr.js says "unicast" of whatever no table lists; what is really routed on the internet is in here.
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];
const LOCAL_NAT64 = ipaddr.parseCIDR("64:ff9b:1::/48") as [ipaddr.IPv6, number];
const IPV4_COMPATIBLE = ipaddr.parseCIDR("::/96") as [ipaddr.IPv6, number];

const NAMES: Record<string, string> = {
  linkLocal: "a link-local address",
  unspecified: "the unspecified address",
  broadcast: "a broadcast address",
  multicast: "a multicast address",
  loopback: "an address of this machine",
  private: "a private address",
  uniqueLocal: "a private address",
  carrierGradeNat: "a private address",
};

/** What strict egress lets through besides the public internet: names, `*.domains`, addresses and ranges. */
export interface AllowList {
  host(name: string): boolean;
  address(address: string): boolean;
}

export function allowList(items: readonly string[]): AllowList {
  const names = new Set<string>();
  const domains: string[] = [];
  const ranges: [Address, number][] = [];
  for (const item of items) {
    const text = item.trim().toLowerCase();
    if (ipaddr.isValidCIDR(text)) ranges.push(ipaddr.parseCIDR(text));
    else if (ipaddr.isValid(text)) ranges.push(single(ipaddr.process(text)));
    else if (text.startsWith("*.")) domains.push(text.slice(1));
    else names.add(withoutDot(text));
  }
  return {
    host(name) {
      const host = withoutDot(name.toLowerCase());
      return names.has(host) || domains.some((domain) => host.endsWith(domain));
    },
    address(text) {
      const address = parse(text);
      return address !== undefined && ranges.some(([range, bits]) => sameKind(address, range, bits));
    },
  };
}

/** Why this address may not be reached, or undefined. `lifted`: an allow-list entry takes away what strict adds to guarded. */
export function refuseAddress(text: string, policy: EgressPolicy, lifted: boolean): Refusal | undefined {
  const address = parse(text);
  if (address === undefined) return "its address can't be read";
  if (METADATA.has(address.toString())) return "it is a cloud metadata service";
  if (address instanceof ipaddr.IPv6 && address.match(LOCAL_NAT64)) return "it is a translation address";
  const range = address.range();
  if (!GUARDED.has(range)) return `it is ${NAMES[range] ?? "a reserved address"}`;
  if (policy === "guarded" || lifted) return undefined;
  if (range !== "unicast") return `it is ${NAMES[range] ?? "a reserved address"}`;
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return "it is a reserved address";
  return undefined;
}

/** Whether this address is the machine we run on: what listens there on one of our ports is ourselves. */
export function isThisMachine(text: string): boolean {
  const address = parse(text);
  if (address === undefined) return false;
  if (address.range() === "loopback" || address.range() === "unspecified") return true;
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return own.some((entry) => parse(entry.address)?.toString() === address.toString());
}

/** The address that a connection really goes to: the IPv4 one inside a mapped, compatible or NAT64 one. */
function parse(text: string): Address | undefined {
  const bare = text.split("%")[0]!;
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.parse(bare);
  if (address instanceof ipaddr.IPv4) return address;
  const range = address.range();
  if (range === "ipv4Mapped") return address.toIPv4Address();
  if (address.match(LOCAL_NAT64)) return address;
  const embeds = range === "rfc6052" || range === "rfc6145" || address.match(IPV4_COMPATIBLE);
  const last = address.toByteArray().slice(12);
  if (!embeds || (range !== "rfc6052" && last[0] === 0)) return address;
  return new ipaddr.IPv4(last);
}

function single(address: Address): [Address, number] {
  return [address, address instanceof ipaddr.IPv4 ? 32 : 128];
}

function sameKind(address: Address, range: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4) return range instanceof ipaddr.IPv4 && address.match(range, bits);
  return range instanceof ipaddr.IPv6 && address.match(range, bits);
}

function withoutDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name;
}
