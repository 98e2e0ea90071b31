import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import {
  Boolean as Bool,
  fromBER,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Sequence,
} from 'asn1js';
import { fetchLimited } from '../limited-fetch.ts';
import { SHA256_OID, type Timestamp, TokenRefused, verifyToken } from './token.ts';

const TIMEOUT_MILLISECONDS = 15_000;
const MAX_ANSWER = 65_536;
const NONCE_BYTES = 8;

/** An authority of timestamps (RFC 3161) and the certificates that its tokens lead to. */
export interface TimestampAuthority {
  readonly url: string;
  readonly authorities: readonly X509Certificate[];
}

/** Returns the certificates of a PEM file. @throws Error if it has none, or a wrong one */
export function readAuthorities(pem: string): readonly X509Certificate[] {
  const parts = pem.match(/-----BEGIN CERTIFICATE-----[\w+/=\s]+-----END CERTIFICATE-----/g);
  if (!parts) throw new Error('it has no certificate');
  return parts.map((part) => new X509Certificate(part));
}

function requestOf(digest: Buffer, nonce: bigint): ArrayBuffer {
  const algorithm = new Sequence({
    value: [new ObjectIdentifier({ value: SHA256_OID }), new Null()],
  });
  return new Sequence({
    value: [
      new Integer({ value: 1 }),
      new Sequence({ value: [algorithm, new OctetString({ valueHex: new Uint8Array(digest) })] }),
      Integer.fromBigInt(nonce),
      // The token brings its certificates, so that it can be verified later.
      new Bool({ value: true }),
    ],
  }).toBER();
}

/** Returns the token of a response. @throws TokenRefused if the authority granted none */
function tokenIn(response: Buffer): Buffer {
  const { result } = fromBER(response);
  const [status, token] = result instanceof Sequence ? result.valueBlock.value : [];
  const code = status instanceof Sequence ? status.valueBlock.value[0] : undefined;
  // 0: granted, 1: granted with changes.
  if (!(code instanceof Integer) || !(token instanceof Sequence) || code.valueBlock.valueDec > 1)
    throw new TokenRefused('the authority granted none');
  return Buffer.from(token.valueBeforeDecodeView);
}

async function post(url: string, body: ArrayBuffer): Promise<Buffer> {
  const { status, body: answer } = await fetchLimited(
    url,
    {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/timestamp-query' },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    },
    {
      maximum: MAX_ANSWER,
      tooLarge: () => new Error('the answer of the authority is too large'),
    },
  );
  if (status !== 200) throw new Error(`the authority answers ${status}`);
  return answer;
}

/**
 * Has the authority sign the digest of a text with the time, and verifies its token.
 * @throws TokenRefused for a wrong token, Error if the authority cannot be reached
 */
export async function requestTimestamp(
  { url, authorities }: TimestampAuthority,
  text: string,
): Promise<Timestamp & { readonly token: Buffer }> {
  const digest = createHash('sha256').update(text).digest();
  // Positive, as some authorities reject negative numbers.
  const nonce = BigInt(`0x${randomBytes(NONCE_BYTES).toString('hex')}`) >> 1n;
  const token = tokenIn(await post(url, requestOf(digest, nonce)));
  return { ...verifyToken(token, { digest, nonce, authorities }), token };
}
