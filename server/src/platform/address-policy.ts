import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { METADATA_NETWORKS } from '@sallyport/contract';

/** Decides which addresses targets may have. */
export interface AddressPolicy {
  /** Returns true if Sallyport may connect to this resolved address. */
  allows(address: string, port: number): boolean;
}

/**
 * This machine, its link, and multicast and reserved addresses: assets there would expose services
 * that trust their neighbors.
 */
const REFUSED = [
  ...METADATA_NETWORKS,
  '0.0.0.0/8',
  '127.0.0.0/8',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
];

/**
 * Creates a policy that rejects this machine, link-local addresses and Sallyport's own ports,
 * except for the networks that the operator allows.
 */
export function createAddressPolicy(
  allowed: readonly string[],
  ownPorts: () => readonly number[],
): AddressPolicy {
  const isRefused = networkCheck(REFUSED);
  const isAllowed = networkCheck(allowed);
  return {
    allows(address, port) {
      // The console is never a target, even in an allowed network.
      if (ownPorts().includes(port) && (isRefused(address) || isOwn(address))) return false;
      return isAllowed(address) || !isRefused(address);
    },
  };
}

/** Returns a function that is true for addresses in these networks, such as `10.0.0.0/8`. */
export function networkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    // Drop the zone of a link-local address (`fe80::1%eth0`). `check` also matches IPv4 addresses
    // inside IPv6 ones.
    const [plain = ''] = address.split('%');
    return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}

function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === address || `::ffff:${entry.address}` === address),
  );
}

const isMetadata = networkCheck(METADATA_NETWORKS);

/** A service whose address would reach the metadata service of a cloud. */
class MetadataAddress extends Error {
  override readonly name = 'MetadataAddress';

  constructor(host: string) {
    super(`${host} is an address of a cloud's metadata service; nothing is sent there`);
  }
}

/**
 * Rejects the address of a service when it belongs to a metadata service of a cloud, whose answers
 * hold credentials of this machine. Loopback is allowed: directories, mail servers and storages run
 * next to the server. A name that does not resolve passes; the connection reports the reason.
 *
 * @throws MetadataAddress
 */
export async function refuseMetadata(host: string): Promise<void> {
  const plain = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(plain)
    ? [plain]
    : await lookup(plain, { all: true }).then(
        (found) => found.map(({ address }) => address),
        () => [],
      );
  if (addresses.some(isMetadata)) throw new MetadataAddress(host);
}
