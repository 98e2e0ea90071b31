import { isInNetworks, parseAddress } from '@sallyport/contract';

/** Returns the country of an address (ISO 3166-1, two letters); undefined if it has none. */
export type CountryOf = (address: string) => string | undefined;

const MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** The metadata begins within this many bytes before the end of a file. */
const MOST_METADATA = 128 * 1024;
/** Bytes of zeros between the tree and the data. */
const GAP = 16;
const RECORD_BITS = [24, 28, 32];
const MOST_DEPTH = 8;
/** Most values of one record. */
const MOST_VALUES = 1000;
const BITS_OF_IPV4 = 32;
const BITS_OF_IPV6 = 128;
/** Sizes that follow a control byte: the first size, and the bytes that are added to it. */
const LONG_SIZES = [
  [29, 1],
  [285, 2],
  [65_821, 3],
] as const;
/** The same for pointers, by their two bits of size. */
const POINTERS = [
  [0, 1],
  [2048, 2],
  [526_336, 3],
] as const;
const TYPES = { pointer: 1, text: 2, map: 7, list: 11, boolean: 14 } as const;
const NUMBERS = [5, 6, 9];

/** Networks that several sites use, whatever a file says about them. */
const SHARED_NETWORKS = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
];

/** Decodes the values of a section of the file. Pointers count from `base`. */
class Values {
  #left = MOST_VALUES;
  #at: number;
  readonly #file: Buffer;
  readonly #base: number;

  constructor(file: Buffer, base: number, at: number) {
    this.#file = file;
    this.#base = base;
    this.#at = at;
  }

  #number(bytes: number): number {
    this.#at += bytes;
    return bytes === 0 ? 0 : this.#file.readUIntBE(this.#at - bytes, bytes);
  }

  #follow(control: number, depth: number): unknown {
    const [start, bytes] = POINTERS[(control >> 3) & 3] ?? [];
    const place =
      bytes === undefined
        ? this.#number(4)
        : (start ?? 0) + ((control & 7) << (8 * bytes)) + this.#number(bytes);
    const next = this.#at;
    this.#at = this.#base + place;
    const value = this.read(depth + 1);
    this.#at = next;
    return value;
  }

  /** @throws Error for a damaged file */
  read(depth = 0): unknown {
    this.#left -= 1;
    if (depth > MOST_DEPTH || this.#left < 0) throw new Error('is nested too deeply');
    const control = this.#number(1);
    const type = control >> 5 || this.#number(1) + 7;
    if (type === TYPES.pointer) return this.#follow(control, depth);
    const short = control & 31;
    const [start, bytes] = LONG_SIZES[short - 29] ?? [short, 0];
    const size = start + this.#number(bytes);
    if (type === TYPES.boolean) return size > 0;
    if (type === TYPES.map) {
      const map = new Map<unknown, unknown>();
      for (let count = 0; count < size; count += 1)
        map.set(this.read(depth + 1), this.read(depth + 1));
      return map;
    }
    if (type === TYPES.list)
      return Array.from({ length: Math.min(size, this.#left) }, () => this.read(depth + 1));
    if (NUMBERS.includes(type) && size <= 6) return this.#number(size);
    this.#at += size;
    return type === TYPES.text ? this.#file.toString('utf8', this.#at - size, this.#at) : undefined;
  }
}

/** Returns the country of a record, in the forms that publishers use. */
function countryIn(record: unknown): string | undefined {
  if (!(record instanceof Map)) return undefined;
  const country: unknown = record.get('country');
  const code: unknown =
    record.get('country_code') ?? (country instanceof Map ? country.get('iso_code') : country);
  return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : undefined;
}

/**
 * Reads a file of countries in the MaxMind DB format (version 2): a binary tree of address bits,
 * whose leaves point to records.
 * @throws Error if the file has another format
 */
export function readCountryDatabase(file: Buffer): CountryOf {
  const tail = Math.max(0, file.length - MOST_METADATA);
  const mark = file.subarray(tail).lastIndexOf(MARK);
  if (mark < 0) throw new Error('is not a MaxMind DB file');
  const start = tail + mark + MARK.length;
  const metadata = new Values(file, start, start).read();
  const numberOf = (name: string) => Number(metadata instanceof Map ? metadata.get(name) : 0);
  const [nodes, bits, version] = ['node_count', 'record_size', 'ip_version'].map(numberOf);
  if (!nodes || !bits || !RECORD_BITS.includes(bits) || (version !== 4 && version !== 6))
    throw new Error('has an unknown MaxMind DB format');
  const nodeBytes = bits / 4;
  const data = nodes * nodeBytes + GAP;
  if (data > tail + mark) throw new Error('is cut off');

  const child = (node: number, bit: number): number => {
    const at = node * nodeBytes;
    if (bits !== 28) return file.readUIntBE(at + (bit * bits) / 8, bits / 8);
    const middle = file.readUInt8(at + 3);
    return bit === 0
      ? (middle >> 4) * 2 ** 24 + file.readUIntBE(at, 3)
      : (middle & 15) * 2 ** 24 + file.readUIntBE(at + 4, 3);
  };
  const recordOf = (address: string): unknown => {
    const parsed = parseAddress(address);
    if (!parsed || (parsed.family === 6 && version === 4)) return undefined;
    // A tree of IPv6 has the IPv4 addresses below ::/96.
    const length = version === 4 ? BITS_OF_IPV4 : BITS_OF_IPV6;
    let node = 0;
    for (let bit = length - 1; bit >= 0 && node < nodes; bit -= 1)
      node = child(node, Number((parsed.value >> BigInt(bit)) & 1n));
    return node > nodes ? new Values(file, data, data + node - nodes - GAP).read() : undefined;
  };
  return (address) => {
    if (isInNetworks(address, SHARED_NETWORKS)) return undefined;
    try {
      return countryIn(recordOf(address));
    } catch {
      // A damaged record has no country: alerts of other kinds continue.
      return undefined;
    }
  };
}
