/** Number of bits in an address of each family. */
const BITS = { 4: 32, 6: 128 } as const;

interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
/** IPv4 addresses inside IPv6 ones (`::ffff:10.0.0.1`) have this prefix. */
const MAPPED = 0xffffn;

function parseIpv4(text: string): bigint | undefined {
  const parts = IPV4.exec(text)?.slice(1);
  // Some programs read a leading zero as octal.
  if (!parts || parts.some((part) => Number(part) > 255 || String(Number(part)) !== part))
    return undefined;
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

const hex = (value: bigint) => value.toString(16);

function parseIpv6(text: string): bigint | undefined {
  const last = text.slice(text.lastIndexOf(':') + 1);
  const embedded = last.includes('.') ? parseIpv4(last) : undefined;
  if (last.includes('.') && embedded === undefined) return undefined;
  const plain =
    embedded === undefined
      ? text
      : `${text.slice(0, -last.length)}${hex(embedded >> 16n)}:${hex(embedded & 0xffffn)}`;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...new Array<string>(missing).fill('0'), ...tail];
  if (!groups.every((group) => GROUP.test(group))) return undefined;
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Returns the family and the number of an address; undefined for a malformed one. */
function parseAddress(text: string): Address | undefined {
  // A link-local address may name its interface: `fe80::1%eth0`.
  const [plain = ''] = text.split('%');
  const ipv4 = parseIpv4(plain);
  if (ipv4 !== undefined) return { family: 4, value: ipv4 };
  const ipv6 = plain.includes(':') ? parseIpv6(plain) : undefined;
  if (ipv6 === undefined) return undefined;
  return ipv6 >> 32n === MAPPED
    ? { family: 4, value: ipv6 & 0xffff_ffffn }
    : { family: 6, value: ipv6 };
}

/** Returns true for an IPv4 or IPv6 address. */
export const isAddress = (text: string): boolean => parseAddress(text) !== undefined;

interface Network extends Address {
  /** Number of bits after the prefix. */
  readonly hostBits: bigint;
}

function parseNetwork(text: string): Network | undefined {
  const [base = '', prefix, ...rest] = text.split('/');
  const address = base.includes('%') ? undefined : parseAddress(base);
  if (!address || rest.length > 0) return undefined;
  const bits = BITS[address.family];
  if (prefix === undefined) return { ...address, hostBits: 0n };
  // The prefix of an IPv4 address inside IPv6 would count the bits of IPv6.
  const isMapped = address.family === 4 && base.includes(':');
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits || isMapped) return undefined;
  return { ...address, hostBits: BigInt(bits - Number(prefix)) };
}

/** Returns true for an IPv4 or IPv6 network such as `10.0.0.0/8`, or a single address. */
export const isNetwork = (text: string): boolean => parseNetwork(text) !== undefined;

/**
 * Returns true if one of the networks contains the address. IPv4 addresses inside IPv6 ones count
 * as IPv4. A malformed address is in no network.
 */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const parsed = parseAddress(address);
  return (
    parsed !== undefined &&
    networks.some((text) => {
      const network = parseNetwork(text);
      return (
        network?.family === parsed.family &&
        network.value >> network.hostBits === parsed.value >> network.hostBits
      );
    })
  );
}

/** Bits of the network around an address: a site, not a single device. */
const NETWORK_BITS = { 4: 24, 6: 48 } as const;

/**
 * Returns the network around an address: the /24 of an IPv4 address, the /48 of an IPv6 one.
 * Undefined for a malformed address.
 */
export function networkAround(address: string): string | undefined {
  const parsed = parseAddress(address);
  if (!parsed) return undefined;
  const { family, value } = parsed;
  const bits = NETWORK_BITS[family];
  const prefix = value >> BigInt(BITS[family] - bits);
  if (family === 4)
    return `${[16n, 8n, 0n].map((shift) => (prefix >> shift) & 0xffn).join('.')}.0/${bits}`;
  return `${[32n, 16n, 0n].map((shift) => hex((prefix >> shift) & 0xffffn)).join(':')}::/${bits}`;
}
