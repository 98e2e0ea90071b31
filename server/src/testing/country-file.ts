/** A node of the tree: its two children, each a node or a country. */
type Tree = [Tree | string | undefined, Tree | string | undefined];

const BITS = 128;
const text = (value: string) => Buffer.from([0x40 | value.length, ...Buffer.from(value)]);
const number = (value: number) => Buffer.from([0xc4, 0, 0, value >> 8, value & 255]);
const map = (entries: readonly (readonly [string, Buffer])[]) =>
  Buffer.concat([
    Buffer.from([0xe0 | entries.length]),
    ...entries.flatMap(([name, value]) => [text(name), value]),
  ]);

/** Returns the first bits of a network such as `203.0.113.0/24` or `2001:db8:5::/48`. */
function bitsOf(network: string): number[] {
  const [base = '', length = ''] = network.split('/');
  const isIpv6 = base.includes(':');
  const bits = isIpv6
    ? base
        .split(':')
        .filter((group) => group !== '')
        .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
        .join('')
    : '0'.repeat(96) +
      base
        .split('.')
        .map((part) => Number(part).toString(2).padStart(8, '0'))
        .join('');
  return [...bits.padEnd(BITS, '0')].slice(0, Number(length) + (isIpv6 ? 0 : 96)).map(Number);
}

/** Builds a file of countries in the MaxMind DB format, by networks that do not overlap. */
export function buildCountryFile(countries: Readonly<Record<string, string>>): Buffer {
  const root: Tree = [undefined, undefined];
  for (const [network, country] of Object.entries(countries)) {
    let node = root;
    const bits = bitsOf(network);
    const last = bits.pop() ?? 0;
    for (const bit of bits) {
      const next = node[bit];
      const below: Tree = Array.isArray(next) ? next : [undefined, undefined];
      node[bit] = below;
      node = below;
    }
    node[last] = country;
  }
  const nodes: Tree[] = [root];
  for (const node of nodes) for (const next of node) if (Array.isArray(next)) nodes.push(next);
  const codes = [...new Set(Object.values(countries))];
  const records = codes.map((code) => map([['country_code', text(code)]]));
  const offsets = codes.map((_, index) => Buffer.concat(records.slice(0, index)).length);
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, node] of nodes.entries())
    for (const [bit, next] of node.entries()) {
      const value = Array.isArray(next)
        ? nodes.indexOf(next)
        : next === undefined
          ? nodes.length
          : nodes.length + 16 + (offsets[codes.indexOf(next)] ?? 0);
      tree.writeUIntBE(value, index * 6 + bit * 3, 3);
    }
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...records,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    map([
      ['node_count', number(nodes.length)],
      ['record_size', number(24)],
      ['ip_version', number(6)],
    ]),
  ]);
}
