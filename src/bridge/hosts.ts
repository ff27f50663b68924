const local = ["localhost", "127.0.0.1", "[::1]"];

/** Where requests may be addressed to, unless the operator says so: the public address, and this machine's own names. */
export function usualHosts(...addresses: (string | undefined)[]): string[] {
  const hosts = addresses.flatMap((address) => (address ? [new URL(address).hostname] : []));
  return [...new Set([...hosts, ...local])];
}
