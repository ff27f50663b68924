import assert from "node:assert/strict";
import { test } from "node:test";
import { allowList, isThisMachine, refuseAddress } from "./dialer-rules.ts";

const NEVER = [
  ["169.254.169.254", "link-local"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["::ffff:169.254.169.254", "link-local"],
  ["64:ff9b::a9fe:a9fe", "link-local"],
  ["::ffff:0:169.254.169.254", "link-local"],
  ["::169.254.169.254", "link-local"],
  ["168.63.129.16", "metadata"],
  ["::ffff:168.63.129.16", "metadata"],
  ["64:ff9b::a83f:8110", "metadata"],
  ["100.100.100.200", "metadata"],
  ["192.0.0.192", "metadata"],
  ["fd00:ec2::254", "metadata"],
  ["FD00:0EC2:0:0::0254", "metadata"],
  ["64:ff9b:1::a9fe:a9fe", "translation"],
  ["2002:a9fe:a9fe::", "reserved"],
  ["2002:7f00:1::", "reserved"],
  ["2001:0:a9fe::1", "reserved"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["::", "unspecified"],
  ["224.0.0.1", "multicast"],
  ["ff02::1", "multicast"],
  ["255.255.255.255", "broadcast"],
  ["240.0.0.1", "reserved"],
  ["192.0.2.1", "reserved"],
  ["198.18.0.1", "reserved"],
  ["2001:db8::1", "reserved"],
  ["100::1", "reserved"],
  ["not an address", "can't be read"],
] as const;

const INTERNAL = [
  "127.0.0.1",
  "127.8.9.10",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "fd12::1",
  "64:ff9b::7f00:1",
  "64:ff9b::a00:1",
  "::ffff:0:10.0.0.1",
];

const PUBLIC = ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"];

test("refuses metadata, link-local, multicast and reserved addresses under either policy, listed or not", () => {
  for (const [address, rule] of NEVER) {
    for (const policy of ["guarded", "strict"] as const) {
      assert.match(
        refuseAddress(address, policy, false) ?? "allowed",
        new RegExp(rule),
        `${policy} ${address}`,
      );
      assert.match(refuseAddress(address, policy, true) ?? "allowed", new RegExp(rule), `lifted ${address}`);
    }
  }
});

test("allows private addresses when guarded, and when strict only those that are listed", () => {
  for (const address of INTERNAL) {
    assert.equal(refuseAddress(address, "guarded", false), undefined, address);
    assert.match(refuseAddress(address, "strict", false) ?? "allowed", /private|this machine/, address);
    assert.equal(refuseAddress(address, "strict", true), undefined, address);
  }
});

test("allows the public internet under either policy, and IPv6 only where it is routed", () => {
  for (const address of PUBLIC) {
    assert.equal(refuseAddress(address, "guarded", false), undefined, address);
    assert.equal(refuseAddress(address, "strict", false), undefined, address);
  }
  assert.match(refuseAddress("4000::1", "strict", false) ?? "allowed", /reserved/);
});

test("matches an allow-list by name, domain, address and range", () => {
  const allow = allowList(["db.internal", "*.corp.example", "10.1.2.3", "192.168.0.0/16", "fd12::/32"]);
  assert.deepEqual(
    ["db.internal", "DB.Internal.", "a.corp.example", "corp.example", "xcorp.example", "x.db.internal"].map(
      allow.host,
    ),
    [true, true, true, false, false, false],
  );
  const addresses = ["10.1.2.3", "10.1.2.4", "::ffff:10.1.2.3", "192.168.9.9", "fd12::9", "fd13::9"];
  assert.deepEqual(addresses.map(allow.address), [true, false, true, true, true, false]);
});

test("knows the machine it runs on by any of its loopback addresses", () => {
  assert.deepEqual(
    ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "93.184.216.34"].map(isThisMachine),
    [true, true, true, true, true, false],
  );
});
