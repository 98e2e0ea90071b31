import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { METADATA } from './address-policy.ts';

const refused = new BlockList();
for (const [network, bits] of METADATA)
  refused.addSubnet(network, bits, isIPv6(network) ? 'ipv6' : 'ipv4');

/** A service whose address would reach the metadata service of a cloud. */
export class MetadataAddress extends Error {
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
  for (const address of addresses) {
    const [bare = ''] = address.split('%');
    if (refused.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4')) throw new MetadataAddress(host);
  }
}
