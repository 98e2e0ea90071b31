import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Decides which addresses targets may have. */
export interface AddressPolicy {
  /** Returns true if Sallyport may connect to this resolved address. */
  allows(address: string, port: number): boolean;
}

/** Cloud metadata services give credentials to every program of the machine. */
export const METADATA = [
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['fd00:ec2::254', 128],
] as const;

/**
 * This machine, its link, and multicast and reserved addresses: assets there would expose services
 * that trust their neighbors.
 */
const REFUSED = [
  ...METADATA.map(([network, bits]) => `${network}/${bits}`),
  ...[
    '0.0.0.0/8',
    '127.0.0.0/8',
    '224.0.0.0/4',
    '240.0.0.0/4',
    '::/128',
    '::1/128',
    'fe80::/10',
    'ff00::/8',
  ],
];

/**
 * Creates a policy that rejects this machine, link-local addresses and Sallyport's own ports,
 * except for the networks that the operator allows.
 */
export function createAddressPolicy(
  allowed: readonly string[],
  ownPorts: () => readonly number[],
): AddressPolicy {
  const refusedNetworks = listOf(REFUSED);
  const allowedNetworks = listOf(allowed);
  return {
    allows(address, port) {
      // The console is never a target, even in an allowed network.
      if (ownPorts().includes(port) && (has(refusedNetworks, address) || isOwn(address)))
        return false;
      return has(allowedNetworks, address) || !has(refusedNetworks, address);
    },
  };
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function has(list: BlockList, address: string): boolean {
  // Drop the zone of a link-local address (`fe80::1%eth0`). `check` also matches IPv4 addresses
  // inside IPv6 ones.
  const [plain = ''] = address.split('%');
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === address || `::ffff:${entry.address}` === address),
  );
}
