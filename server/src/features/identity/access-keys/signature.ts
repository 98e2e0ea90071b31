import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isUuid } from '@sallyport/contract';
import type { FastifyRequest } from 'fastify';
import { DIGEST_HEADERS, expectDigests } from '../../../http/body.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db } from '../../../platform/db/database.ts';
import { executePrepared, sql } from '../../../platform/db/sql.ts';
import { Unauthenticated } from '../../../platform/errors.ts';
import { joinPlace, type PlaceColumns } from '../../orgs/index.ts';
import { RULES_OF_ACCOUNT } from '../sign-in-rules/store.ts';
import type { SignedIn } from '../sign-in-sessions/store.ts';
import { AT_SOURCE } from '../source-state/proof.ts';

/** Seal context of the secret of an access key. */
export const sealContext = (id: string) => `access_key.secret.${id}`;

/** Maximum difference between the clocks of a client and the server. */
const SKEW_MILLISECONDS = 15 * 60_000;
/** Interval between updates of a key's last use, so that not every request writes. */
const TOUCH_SECONDS = 60;
const MAX_HEADER = 4_096;

interface Parts {
  readonly keyId: string;
  readonly headers: readonly string[];
  readonly signature: Buffer;
}

/**
 * Parses `Signature keyId="…",algorithm="hmac-sha256",headers="(request-target)
 * date",signature="…"`; undefined for any other header.
 */
export function parseSignature(authorization: string): Parts | undefined {
  const [, rest] = /^signature\s+(.*)$/i.exec(authorization.slice(0, MAX_HEADER)) ?? [];
  if (!rest) return undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', value = ''] of rest.matchAll(/(\w+)="([^"]*)"/g)) {
    // A duplicate parameter is ambiguous.
    if (parameters.has(name)) return undefined;
    parameters.set(name, value);
  }
  const headers = (parameters.get('headers') ?? '').toLowerCase().split(' ').filter(Boolean);
  const keyId = parameters.get('keyId') ?? '';
  const signature = Buffer.from(parameters.get('signature') ?? '', 'base64');
  if (!isUuid(keyId) || parameters.get('algorithm')?.toLowerCase() !== 'hmac-sha256')
    return undefined;
  // Path, method and date must be signed; otherwise one signature could be replayed against any
  // endpoint.
  if (
    !headers.includes('(request-target)') ||
    !headers.includes('date') ||
    new Set(headers).size < headers.length
  )
    return undefined;
  return { keyId: keyId.toLowerCase(), headers, signature };
}

/** Returns the signed text, one line per named header; undefined if a header is missing. */
export function signingText(
  headers: readonly string[],
  request: Pick<FastifyRequest, 'method' | 'url' | 'headers'>,
): string | undefined {
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

interface KeyRow extends Omit<SignedIn, 'kind'>, PlaceColumns {
  secret: string;
  date_last_used: Date | null;
  last_addr: string;
}

/**
 * Returns the owner of the access key that signed a request, with the membership in the
 * organization. Undefined if the signature is wrong or the key is inactive.
 * @throws Unauthenticated if the date is too far off
 */
export async function findSigner(
  request: FastifyRequest,
  organization: string | undefined,
  db: Db,
  vault: Vault,
): Promise<(SignedIn & PlaceColumns) | undefined> {
  const parts = parseSignature(request.headers.authorization ?? '');
  if (!parts) return undefined;
  const at = Date.parse(request.headers.date ?? '');
  if (Number.isNaN(at)) return undefined;
  const skew = Math.abs(Date.now() - at);
  if (skew > SKEW_MILLISECONDS)
    throw new Unauthenticated('signature_date', {
      minutes: Math.ceil(skew / 60_000),
      max: SKEW_MILLISECONDS / 60_000,
    });
  const text = signingText(parts.headers, request);
  if (text === undefined) return undefined;
  const query = sql<KeyRow>`
    select k.id as session_id, k.secret, k.date_last_used, k.remote_addr as last_addr,
      a.id as user_id, a.username, a.name, a.role, a.duty, a.is_active,
      coalesce(a.date_expired <= now(), false) as is_expired, false as has_factor, ${AT_SOURCE},
      ${RULES_OF_ACCOUNT} as sign_in_rules, here.place
    from access_key k join account a on a.id = k.user_id ${joinPlace(organization)}
    where k.id = ${parts.keyId}::uuid and k.is_active and coalesce(k.date_expired > now(), true)`;
  const [key] = await executePrepared(query, db);
  if (!key) return undefined;
  const expected = createHmac('sha256', vault.open(key.secret, sealContext(key.session_id)))
    .update(text)
    .digest();
  if (expected.length !== parts.signature.length || !timingSafeEqual(expected, parts.signature))
    return undefined;
  // Existing clients sign only path and date; for clients that sign a digest, the signature covers
  // the body.
  expectDigests(
    request,
    parts.headers.filter((name) => DIGEST_HEADERS.includes(name)),
  );
  // Store a new address immediately: the key may have been stolen.
  await assertFirstTime(request, parts, db);
  if (
    !key.date_last_used ||
    key.last_addr !== request.ip ||
    Date.now() - key.date_last_used.getTime() > TOUCH_SECONDS * 1_000
  )
    await sql`
      update access_key set date_last_used = now(), remote_addr = ${request.ip}
      where id = ${key.session_id}::uuid`.execute(db);
  const { secret: _, date_last_used: __, last_addr: ___, ...signer } = key;
  return { ...signer, kind: 'access-key' };
}

/**
 * Rejects a changing request that any server has received before. Existing clients sign only date
 * (in seconds), method and path, and may send several bodies within a second. Therefore the check
 * applies to requests with a signed digest or without a body. Reads may be repeated.
 * @throws Unauthenticated
 */
async function assertFirstTime(
  request: FastifyRequest,
  { headers, signature }: Parts,
  db: Db,
): Promise<void> {
  const isReading = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0;
  if (isReading || (hasBody && !headers.some((name) => DIGEST_HEADERS.includes(name)))) return;
  // Clients do not sign the organization header: the same change may target two organizations.
  const digest = createHash('sha256')
    .update(signature)
    .update(String(request.headers['x-jms-org'] ?? ''))
    .digest();
  const { rows } = await sql`
    insert into seen_signature (digest, date_expired)
    values (${digest}, now() + make_interval(secs => ${(2 * SKEW_MILLISECONDS) / 1_000}))
    on conflict do nothing returning 1`.execute(db);
  if (rows.length === 0) throw new Unauthenticated('signature_replayed');
}
