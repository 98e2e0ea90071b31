import { createHmac, timingSafeEqual } from 'node:crypto';
import { isUuid } from '@sallyport/contract';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { DIGEST_HEADERS, expectDigests } from '../../../http/body-digest.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { SignedIn } from '../sign-ins.ts';
import { sealContext } from './hooks.ts';

/** How far the clock of a script may be from ours, either way. */
const SKEW_MILLISECONDS = 15 * 60_000;
/** How long a key may be used before its use is written down again: not every request should write. */
const TOUCH_SECONDS = 60;
const MAX_HEADER = 4_096;

interface Parts {
  readonly keyId: string;
  readonly headers: readonly string[];
  readonly signature: Buffer;
}

/** Reads `Signature keyId="…",algorithm="hmac-sha256",headers="(request-target) date",signature="…"`; undefined for anything else. */
export function parseSignature(authorization: string): Parts | undefined {
  const [, rest] = /^signature\s+(.*)$/i.exec(authorization.slice(0, MAX_HEADER)) ?? [];
  if (!rest) return undefined;
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of rest.matchAll(/(\w+)="([^"]*)"/g)) {
    // What is said twice could be read in two ways.
    if (found.has(name)) return undefined;
    found.set(name, value);
  }
  const headers = (found.get('headers') ?? '').toLowerCase().split(' ').filter(Boolean);
  const keyId = found.get('keyId') ?? '';
  const signature = Buffer.from(found.get('signature') ?? '', 'base64');
  if (!isUuid(keyId) || found.get('algorithm')?.toLowerCase() !== 'hmac-sha256') return undefined;
  // The road, the verb and the moment must be signed; otherwise one signature would open every door for ever.
  if (!headers.includes('(request-target)') || !headers.includes('date') || new Set(headers).size < headers.length) return undefined;
  return { keyId: keyId.toLowerCase(), headers, signature };
}

/** The text that is signed: a line for each named header; undefined when one of them is missing. */
export function signingText(headers: readonly string[], request: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): string | undefined {
  const lines: string[] = [];
  for (const name of headers) {
    if (name === '(request-target)') {
      lines.push(`(request-target): ${request.method.toLowerCase()} ${request.url}`);
      continue;
    }
    const value = request.headers[name];
    if (value === undefined) return undefined;
    lines.push(`${name}: ${Array.isArray(value) ? value.join(', ') : value}`);
  }
  return lines.join('\n');
}

interface KeyRow extends Omit<SignedIn, 'kind'> {
  secret: string;
  date_last_used: Date | null;
}

/** The owner of the access key that signed a request; undefined when the signature is not good, the key is off, or the clock is. */
export async function findSigner(request: FastifyRequest, db: Db, vault: Vault): Promise<SignedIn | undefined> {
  const parts = parseSignature(request.headers.authorization ?? '');
  if (!parts) return undefined;
  const at = Date.parse(request.headers.date ?? '');
  if (!(Math.abs(Date.now() - at) <= SKEW_MILLISECONDS)) return undefined;
  const text = signingText(parts.headers, request);
  if (text === undefined) return undefined;
  const { rows } = await sql<KeyRow>`
    select k.id as session_id, k.secret, k.date_last_used, a.id as user_id, a.username, a.name, a.role, a.is_active,
      coalesce(a.date_expired <= now(), false) as is_expired
    from access_key k join account a on a.id = k.user_id where k.id = ${parts.keyId}::uuid and k.is_active`.execute(db);
  const [key] = rows;
  if (!key) return undefined;
  const expected = createHmac('sha256', vault.open(key.secret, sealContext(key.session_id)))
    .update(text)
    .digest();
  if (expected.length !== parts.signature.length || !timingSafeEqual(expected, parts.signature)) return undefined;
  // Established clients sign the road and the date only; whoever signs a digest as well has the body covered by it.
  expectDigests(
    request,
    parts.headers.filter((name) => DIGEST_HEADERS.includes(name)),
  );
  if (!key.date_last_used || Date.now() - key.date_last_used.getTime() > TOUCH_SECONDS * 1_000)
    await sql`update access_key set date_last_used = now() where id = ${key.session_id}::uuid`.execute(db);
  const { secret: _, date_last_used: __, ...signer } = key;
  return { ...signer, kind: 'access-key' };
}
