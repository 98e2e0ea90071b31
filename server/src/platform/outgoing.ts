import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import type { AddressPolicy } from './address-policy.ts';

/** All addresses of the host are addresses that Sallyport must not connect to. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';

  constructor(host: string, port: number) {
    super(
      `${host}:${port} is an address of this server or its link; SALLYPORT_TARGET_NETWORKS can allow it`,
    );
  }
}

/**
 * Resolves a host to the addresses that the policy allows.
 * @throws RefusedAddress if no address is allowed
 */
export async function addressesOf(
  host: string,
  port: number,
  policy: AddressPolicy,
): Promise<readonly string[]> {
  const plain = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(plain)
    ? [plain]
    : (await lookup(plain, { all: true })).map(({ address }) => address);
  const allowed = addresses.filter((address) => policy.allows(address, port));
  if (allowed.length === 0) throw new RefusedAddress(host, port);
  return allowed;
}

/**
 * Returns the configured certificate authority, or the authorities that the machine and the runtime
 * trust.
 */
export function authoritiesOf(certificate: string): string[] {
  return certificate.trim() === ''
    ? [...new Set([...getCACertificates('default'), ...getCACertificates('system')])]
    : [certificate];
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns true if Sallyport may call the URL or redirect browsers to it: HTTPS, or HTTP on this
 * machine.
 */
export const isProtected = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
