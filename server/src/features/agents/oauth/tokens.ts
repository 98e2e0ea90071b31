import { createHash, timingSafeEqual } from 'node:crypto';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { TooManyRequests } from '../../../platform/errors.ts';
import { endAgents } from '../store.ts';
import { extendClient } from './clients.ts';

/** Beginning of access tokens, by which scanners of code and logs recognize them. */
const ACCESS = 'spa_';
const REFRESH = 'spr_';
/** Seconds for which an access token is valid, and for which a replaced one remains valid. */
const ACCESS_SECONDS = 900;
const REPLACED_SECONDS = 60;
/** Renewals of one agent in this time. Used tokens stay until the agent ends, to find thieves. */
const MAX_RENEWALS = 30;
const RENEWAL_SECONDS = 600;

/** New tokens of an agent. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  /** Seconds for which the access token is valid. */
  readonly seconds: number;
}

/** A refused exchange. The second use of a token ends its agent, unless it has ended before. */
export interface RefusedExchange {
  readonly isReused: boolean;
  readonly ended: readonly { readonly name: string; readonly user_id: string }[];
}
const REFUSED: RefusedExchange = { isReused: false, ended: [] };

export type Exchanged = Tokens | RefusedExchange;

/** The agent of a code or a refresh token. */
interface Granted {
  readonly agent_id: string;
  readonly client_id: string;
  readonly is_used: boolean;
  /** False once the agent, or the sign-in of its owner, has ended. */
  readonly is_live: boolean;
}

/** True while an agent (alias `a`) may receive tokens. */
const IS_LIVE = sql`(a.date_ended is null and exists (select from web_session s
  where s.id = a.sign_in_id and s.date_expired > now()))`;

async function issueTokens({ agent_id: agent, client_id: client }: Granted, tx: Tx) {
  const access = ACCESS + randomToken();
  const refresh = REFRESH + randomToken();
  await sql`
    update agent_token set date_expired = least(date_expired,
      now() + make_interval(secs => ${REPLACED_SECONDS}))
    where agent_id = ${agent} and kind = 'access'`.execute(tx);
  const { rows } = await sql<{ kind: string; seconds: number }>`
    insert into agent_token (digest, agent_id, client_id, kind, date_expired)
    select d.digest, a.id, ${client}, d.kind, case d.kind when 'refresh' then a.date_expired
      else least(a.date_expired, now() + make_interval(secs => ${ACCESS_SECONDS})) end
    from agent a, (values (${tokenDigest(access)}::bytea, 'access'),
      (${tokenDigest(refresh)}::bytea, 'refresh')) d (digest, kind)
    where a.id = ${agent}
    returning kind, extract(epoch from date_expired - now())::integer as seconds`.execute(tx);
  await extendClient(client, tx);
  const seconds = rows.find(({ kind }) => kind === 'access')?.seconds ?? 0;
  return { access, refresh, seconds };
}

/** Ends the agent of a code or token that was used twice: one of its two holders is a thief. */
async function endReused({ agent_id: id }: Granted, tx: Tx): Promise<RefusedExchange> {
  return { isReused: true, ended: await endAgents(sql`t.id = ${id}`, 'OAuth', tx) };
}

/** Returns true if the verifier belongs to the challenge (RFC 7636, S256). */
function verifies(verifier: string, challenge: string): boolean {
  const digest = createHash('sha256').update(verifier).digest();
  const expected = Buffer.from(challenge, 'base64url');
  return digest.length === expected.length && timingSafeEqual(digest, expected);
}

/** A code, with the proof that its bearer started the request. */
export interface CodeExchange {
  readonly code: string;
  readonly clientId: string;
  readonly redirect: string | undefined;
  readonly verifier: string;
}

/** Exchanges a code for tokens, once. */
export async function exchangeCode(wanted: CodeExchange, tx: Tx): Promise<Exchanged> {
  const { rows } = await sql<Granted & { redirect: string; challenge: string }>`
    select a.id as agent_id, c.client_id, c.redirect, c.challenge,
      c.date_code_used is not null as is_used, ${IS_LIVE} as is_live
    from agent_consent c join agent a on a.id = c.agent_id
    where c.code_digest = ${tokenDigest(wanted.code)} and c.date_expired > now()
    for update of c`.execute(tx);
  const [row] = rows;
  if (!row || row.client_id !== wanted.clientId) return REFUSED;
  if (wanted.redirect !== undefined && !isSame(wanted.redirect, row.redirect)) return REFUSED;
  if (!verifies(wanted.verifier, row.challenge)) return REFUSED;
  if (row.is_used) return endReused(row, tx);
  if (!row.is_live) return REFUSED;
  await sql`update agent_consent set date_code_used = now()
    where code_digest = ${tokenDigest(wanted.code)}`.execute(tx);
  return issueTokens(row, tx);
}

const isSame = (given: string, stored: string): boolean =>
  URL.canParse(given) && new URL(given).href === stored;

/** @throws TooManyRequests if an agent renewed its tokens too often */
async function assertSeldom({ agent_id: agent }: Granted, tx: Tx): Promise<void> {
  const { rows } = await sql<{ renewals: number }>`
    select count(*)::integer as renewals from agent_token
    where agent_id = ${agent} and date_used > now() - make_interval(secs => ${RENEWAL_SECONDS})`.execute(
    tx,
  );
  if ((rows[0]?.renewals ?? 0) >= MAX_RENEWALS)
    throw new TooManyRequests('too_many_requests', { seconds: RENEWAL_SECONDS });
}

/** Exchanges a refresh token for new tokens, once. @throws TooManyRequests */
export async function refreshTokens(
  { token, clientId }: { readonly token: string; readonly clientId: string },
  tx: Tx,
): Promise<Exchanged> {
  const digest = tokenDigest(token);
  const { rows } = await sql<Granted>`
    select t.agent_id, t.client_id, t.date_used is not null as is_used, ${IS_LIVE} as is_live
    from agent_token t join agent a on a.id = t.agent_id
    where t.digest = ${digest} and t.kind = 'refresh' and t.date_expired > now()
    for update of t`.execute(tx);
  const [row] = rows;
  if (!row || row.client_id !== clientId) return REFUSED;
  if (row.is_used) return endReused(row, tx);
  if (!row.is_live) return REFUSED;
  await assertSeldom(row, tx);
  await sql`update agent_token set date_used = now() where digest = ${digest}`.execute(tx);
  return issueTokens(row, tx);
}

/** Returns the sign-in of an access token; undefined for other tokens. */
export async function signInOfToken(token: string, db: Db): Promise<string | undefined> {
  if (!token.startsWith(ACCESS)) return undefined;
  const { rows } = await sql<{ sign_in_id: string }>`
    select a.sign_in_id from agent_token t join agent a on a.id = t.agent_id
    where t.digest = ${tokenDigest(token)} and t.kind = 'access' and t.date_expired > now()
      and a.date_ended is null`.execute(db);
  return rows[0]?.sign_in_id;
}

/** Ends a token: an access token alone, and with a refresh token its agent (RFC 7009). */
export async function revokeToken(token: string, clientId: string, tx: Tx): Promise<void> {
  const { rows } = await sql<{ kind: string; agent_id: string }>`
    delete from agent_token where digest = ${tokenDigest(token)} and client_id = ${clientId}
    returning kind, agent_id`.execute(tx);
  const [row] = rows;
  if (row?.kind === 'refresh') await endAgents(sql`t.id = ${row.agent_id}`, 'OAuth', tx);
}

/** Deletes expired tokens. Called periodically. */
export async function clearTokens(db: Db): Promise<void> {
  await sql`delete from agent_token where date_expired < now()`.execute(db);
}
