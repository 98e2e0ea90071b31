import {
  createSign,
  createVerify,
  type KeyObject,
  randomBytes,
  type X509Certificate,
} from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { XmlRefused } from '../../platform/xml/document.ts';
import { MAX_MESSAGE, RSA_SHA256 } from './names.ts';

/** Hash algorithms by the name of the signature algorithm. */
const HASHES: Readonly<Record<string, string>> = {
  [RSA_SHA256]: 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': 'sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
};
const MAX_PACKED = 100_000;

type Kind = 'SAMLRequest' | 'SAMLResponse';

/** Creates a unique message id, which is a valid XML name. */
export const newId = (): string => `_${randomBytes(20).toString('hex')}`;

interface OutgoingMessage {
  /** Address of the provider. */
  readonly location: string;
  readonly kind: Kind;
  readonly message: string;
  readonly key: KeyObject;
  readonly relayState?: string;
}

/** Builds the signed address that takes a message to the provider (SAML 2.0 Bindings 3.4.4.1). */
export function signedAddress({
  location,
  kind,
  message,
  key,
  relayState,
}: OutgoingMessage): string {
  const parts = [`${kind}=${encodeURIComponent(deflateRawSync(message).toString('base64'))}`];
  if (relayState) parts.push(`RelayState=${encodeURIComponent(relayState)}`);
  parts.push(`SigAlg=${encodeURIComponent(RSA_SHA256)}`);
  const signature = createSign('sha256').update(parts.join('&')).sign(key, 'base64');
  return `${location}${location.includes('?') ? '&' : '?'}${parts.join('&')}&Signature=${encodeURIComponent(signature)}`;
}

/** The parts of a query as sent: the signature covers their encoded form. */
function rawParts(query: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const part of query.split('&')) {
    const mark = part.indexOf('=');
    const name = mark < 0 ? part : part.slice(0, mark);
    if (parts.has(name)) throw new XmlRefused('a part of the address comes twice');
    parts.set(name, mark < 0 ? '' : part.slice(mark + 1));
  }
  return parts;
}

function decoded(raw: string | undefined): string {
  try {
    return decodeURIComponent((raw ?? '').replaceAll('+', ' '));
  } catch {
    throw new XmlRefused('the address cannot be read');
  }
}

/** Decompresses a message from an address. @throws XmlRefused */
function unpacked(packed: string): string {
  if (packed === '' || packed.length > MAX_PACKED)
    throw new XmlRefused('the message is missing or too large');
  try {
    return inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_MESSAGE }).toString(
      'utf8',
    );
  } catch {
    throw new XmlRefused('the message cannot be unpacked');
  }
}

/**
 * Reads a signed message from a query.
 * @throws XmlRefused unless one of the certificates signed it
 */
export function readSignedAddress(
  query: string,
  kind: Kind,
  certificates: readonly X509Certificate[],
): { readonly message: string; readonly relayState: string } {
  const raw = rawParts(query);
  const hash = HASHES[decoded(raw.get('SigAlg'))];
  if (!hash || !raw.has('Signature'))
    throw new XmlRefused('the message is not signed by an accepted algorithm');
  const signed = [kind, 'RelayState', 'SigAlg']
    .flatMap((name) => (raw.has(name) ? [`${name}=${raw.get(name)}`] : []))
    .join('&');
  const signature = Buffer.from(decoded(raw.get('Signature')).replaceAll(' ', '+'), 'base64');
  const isTheirs = certificates.some(
    ({ publicKey }) =>
      publicKey.asymmetricKeyType === 'rsa' &&
      createVerify(hash).update(signed).verify(publicKey, signature),
  );
  if (!isTheirs) throw new XmlRefused('the signature is by none of the known certificates');
  return {
    message: unpacked(decoded(raw.get(kind)).replaceAll(' ', '+')),
    relayState: decoded(raw.get('RelayState')),
  };
}
