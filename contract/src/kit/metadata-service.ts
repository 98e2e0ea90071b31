import { isInNetworks } from '../conditions/networks.ts';

/** Here clouds give credentials to every program of a machine: link-local, and of single clouds. */
const IPV4 = [
  ...['169.254.0.0/16', '100.100.100.200', '168.63.129.16', '100.80.80.80', '100.96.0.96'],
  '192.0.0.192',
];
/** Addresses of the metadata services of AWS, Google, Oracle, Linode, Scaleway and OpenStack. */
const IPV6 = [
  'fd00:ec2::/32',
  'fd20:ce::/64',
  'fd00:c1::/32',
  'fd00:a9fe:a9fe::/48',
  'fd00:42::42',
  'fe80::a9fe:a9fe',
];
const NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  'instance-data',
  'instance-data.ec2.internal',
]);

/**
 * Returns the IPv6 networks that contain an IPv4 network: NAT64 (RFC 6052, RFC 8215),
 * IPv4-compatible, IPv4-translated and 6to4. `::ffff:0:0/96` counts as IPv4 everywhere.
 */
function embedded(network: string): string[] {
  const [address = '', bits = '32'] = network.split('/');
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return [
    ...['64:ff9b::', '64:ff9b:1::', '::', '::ffff:0:'].map(
      (prefix) => `${prefix}${groups}/${96 + Number(bits)}`,
    ),
    `2002:${groups}::/${16 + Number(bits)}`,
  ];
}

/** Networks of the metadata services of clouds. */
export const METADATA_NETWORKS: readonly string[] = [...IPV4, ...IPV4.flatMap(embedded), ...IPV6];

const isMetadataHost = (host: string): boolean =>
  NAMES.has(host.toLowerCase().replace(/\.$/, '')) || isInNetworks(host, METADATA_NETWORKS);

/** Every runtime has it; the contract's library of types does not. */
declare const URL: {
  new (text: string): { readonly hostname: string };
  canParse(text: string): boolean;
};

/** Returns the hosts that one address may mean; URL reads `0xa9fea9fe` and `2852039166`, too. */
function hostsOf(address: string): string[] {
  const rest = address.replace(/^[a-z][a-z0-9+.-]*:[\\/]+/i, '');
  const urls = [address, `http://${rest}`, `http://[${rest}]`].filter((url) => URL.canParse(url));
  // URL knows no zones of interfaces.
  const [, inBrackets = rest] = /\[([^\]]*)\]/.exec(rest) ?? [];
  return [
    ...urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, '')),
    inBrackets.replace(/[/?#].*$/, ''),
  ];
}

/**
 * Returns true if a host, a URL or a list of them names the metadata service of a cloud in any
 * form. Looks no name up: the server does when it connects.
 */
export const namesMetadataService = (text: string): boolean =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .some((address) => hostsOf(address).some(isMetadataHost));
