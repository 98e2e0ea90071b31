import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import type { AddressPolicy } from './address-policy.ts';

/** A host whose every address is one that nothing of ours connects to. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';

  constructor(host: string, port: number) {
    super(
      `${host}:${port} is an address of this server or its link; SALLYPORT_TARGET_NETWORKS can allow it`,
    );
  }
}

/** The addresses of a host that may be connected to. @throws RefusedAddress when there is none */
export async function addressesOf(
  host: string,
  port: number,
  policy: AddressPolicy,
): Promise<readonly string[]> {
  const plain = host.replace(/^\[|\]$/g, '');
  const found = isIP(plain)
    ? [plain]
    : (await lookup(plain, { all: true })).map(({ address }) => address);
  const allowed = found.filter((address) => policy.allows(address, port));
  if (allowed.length === 0) throw new RefusedAddress(host, port);
  return allowed;
}

/** The authorities of a certificate when there are any; otherwise those that the machine and the runtime trust. */
export function authoritiesOf(certificate: string): string[] {
  return certificate.trim() === ''
    ? [...new Set([...getCACertificates('default'), ...getCACertificates('system')])]
    : [certificate];
}
