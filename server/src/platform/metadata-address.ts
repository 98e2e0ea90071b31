import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { METADATA } from './address-policy.ts';

const refused = new BlockList();
for (const [network, bits] of METADATA)
  refused.addSubnet(network, bits, isIPv6(network) ? 'ipv6' : 'ipv4');

function isMetadata(address: string): boolean {
  const [bare = ''] = address.split('%');
  return refused.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4');
}

/**
 * Returns true if a host is written as the address of a metadata service, in any form that resolves
 * to it (`2852039166`, `0xa9fea9fe`). Looks no name up.
 */
export function isMetadataHost(host: string): boolean {
  const authority = isIPv6(host) ? `[${host}]` : host;
  if (!URL.canParse(`http://${authority}`)) return false;
  const plain = new URL(`http://${authority}`).hostname.replace(/^\[|\]$/g, '');
  return isIP(plain) !== 0 && isMetadata(plain);
}

/** Returns true if the host of a URL is written as the address of a metadata service. */
export const isMetadataUrl = (url: string): boolean =>
  URL.canParse(url) && isMetadataHost(new URL(url).hostname);

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
  if (addresses.some(isMetadata)) throw new MetadataAddress(host);
}
