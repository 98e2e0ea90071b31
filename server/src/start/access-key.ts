import { createHmac } from 'node:crypto';
import { StartError } from '../config.ts';

/** An access key: requests are signed with its secret. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
}

/** Parses the content of a key file, `ID:SECRET`. @throws StartError */
export function parseAccessKey(text: string): AccessKey {
  const [, id, secret] = /^\s*([\da-f-]{36}):(\S+)\s*$/i.exec(text) ?? [];
  if (id === undefined || secret === undefined)
    throw new StartError('The key file must contain the access key as ID:SECRET.');
  return { id, secret };
}

/**
 * Returns the `Authorization` header for a request.
 *
 * @param signed the signed headers in their order, `(request-target)` included
 */
export function signatureOf(
  { id, secret }: AccessKey,
  signed: Readonly<Record<string, string>>,
): string {
  const text = Object.entries(signed)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  const signature = createHmac('sha256', secret).update(text).digest('base64');
  return `Signature keyId="${id}",algorithm="hmac-sha256",headers="${Object.keys(signed).join(' ')}",signature="${signature}"`;
}
