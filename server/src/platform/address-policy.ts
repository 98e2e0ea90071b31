import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Which addresses targets may have. */
export interface AddressPolicy {
  /** Whether a connection to this address, as a name was resolved to it, may be made. */
  allows(address: string, port: number): boolean;
}

/** This machine itself, its link, and addresses that are no single machine: an asset there would lead into services that trust their neighbours. */
const REFUSED = [
  // Metadata services of clouds: they hand out credentials to every program of the machine.
  ...['100.100.100.200/32', 'fd00:ec2::254/128'],
  ...[
    '0.0.0.0/8',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '224.0.0.0/4',
    '240.0.0.0/4',
    '::/128',
    '::1/128',
    'fe80::/10',
    'ff00::/8',
  ],
];

/** A policy that refuses this machine, link-local addresses and our own ports, but for the networks that the operator allows. */
export function createAddressPolicy(
  allowed: readonly string[],
  ownPorts: () => readonly number[],
): AddressPolicy {
  const refusedNetworks = listOf(REFUSED);
  const allowedNetworks = listOf(allowed);
  return {
    allows(address, port) {
      // Our own console is never a target, whatever is allowed.
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
  // The zone of a link-local address (`fe80::1%eth0`) is no part of it. An IPv4 address inside of an IPv6 one is found as well.
  const [plain = ''] = address.split('%');
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === address || `::ffff:${entry.address}` === address),
  );
}
