import { createHash, randomBytes } from 'node:crypto';
import { isUuid, type Language } from '@sallyport/contract';
import { displayName } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

const PREFIX = 'spk_';
const BYTES = 32;
const TOKEN = /^spk_[A-Za-z0-9_-]{43}$/;
/** Valid tokens of one user; a new one ends the oldest. */
const MAX_TOKENS = 20;

/** Minutes that a token of a page has left if another page continues it. */
const MIN_LEFT = 60;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The client of a token: a kubeconfig, or a page of the console. */
export type TokenClient = 'KT' | 'WT';

/** The user, cluster and account of a new token. */
export interface TokenWish {
  readonly userId: string;
  readonly loginId: string;
  readonly language: Language;
  readonly clusterId: string;
  readonly systemUserId: string;
  readonly minutes: number;
  readonly loginFrom?: TokenClient;
}

/** Creates a token. Only its hash is stored. */
export async function createToken(
  { userId, loginId, language, clusterId, systemUserId, minutes, loginFrom = 'KT' }: TokenWish,
  tx: Tx,
): Promise<{ readonly id: string; readonly token: string; readonly dateExpired: Date }> {
  const token = `${PREFIX}${randomBytes(BYTES).toString('base64url')}`;
  await sql`delete from cluster_token where date_expired < now() or id in (
    select id from cluster_token where user_id = ${userId}
      and login_from = ${loginFrom}
    order by date_created desc offset ${MAX_TOKENS - 1})`.execute(tx);
  const { rows } = await sql<{ id: string; date_expired: Date }>`
    insert into cluster_token (user_id, cluster_id, system_user_id, login_id, token_hash, language,
      login_from, date_expired)
    values (${userId}, ${clusterId}, ${systemUserId}, ${loginId}, ${hashOf(token)}, ${language},
      ${loginFrom}, now() + make_interval(mins => ${minutes}))
    returning id, date_expired`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('a token was not stored');
  return { id: row.id, token, dateExpired: row.date_expired };
}

/** A valid token. */
export interface LiveToken {
  readonly id: string;
  readonly clusterId: string;
  readonly systemUserId: string;
  readonly userId: string;
  readonly loginId: string;
  readonly display: string;
  readonly language: Language;
  readonly loginFrom: TokenClient;
  readonly dateExpired: Date;
}

/** Returns a token that has not expired, of an active account. */
async function findLive(condition: Sql, db: Db): Promise<LiveToken | undefined> {
  const { rows } = await sql<{
    id: string;
    cluster_id: string;
    system_user_id: string;
    user_id: string;
    login_id: string;
    language: Language;
    login_from: TokenClient;
    date_expired: Date;
    username: string;
    name: string;
  }>`
    select t.id, t.cluster_id, t.system_user_id, t.user_id, t.login_id, t.language,
      t.login_from, t.date_expired, a.username, a.name
    from cluster_token t join account a on a.id = t.user_id
    where ${condition} and t.date_expired > now()
      and a.is_active and coalesce(a.date_expired > now(), true)`.execute(db);
  const [row] = rows;
  return (
    row && {
      id: row.id,
      clusterId: row.cluster_id,
      systemUserId: row.system_user_id,
      userId: row.user_id,
      loginId: row.login_id,
      display: displayName(row),
      language: row.language,
      loginFrom: row.login_from,
      dateExpired: row.date_expired,
    }
  );
}

/** Returns the token of a kubeconfig. */
export const findToken = async (token: string, db: Db): Promise<LiveToken | undefined> =>
  TOKEN.test(token) ? findLive(sql`t.token_hash = ${hashOf(token)}`, db) : undefined;

/** Returns the token of a page, which its sign-in names by id. */
export const findVisit = async (
  id: string,
  loginId: string,
  db: Db,
): Promise<LiveToken | undefined> =>
  isUuid(id)
    ? findLive(sql`t.id = ${id} and t.login_id = ${loginId} and t.login_from = 'WT'`, db)
    : undefined;

/**
 * Returns the newest token of the pages of a sign-in for a cluster and an account; undefined if it
 * ends soon: the terminals that a page opens end with it.
 */
export const latestVisit = (
  { loginId, clusterId, systemUserId }: Pick<TokenWish, 'loginId' | 'clusterId' | 'systemUserId'>,
  db: Db,
): Promise<LiveToken | undefined> =>
  findLive(
    sql`t.id = (select id from cluster_token where login_id = ${loginId}
      and cluster_id = ${clusterId} and system_user_id = ${systemUserId} and login_from = 'WT'
      and date_expired > now() + make_interval(mins => ${MIN_LEFT})
      order by date_expired desc limit 1)`,
    db,
  );

/** Returns the tokens among some that are still valid. */
export async function validTokens(ids: readonly string[], db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`select id from cluster_token
    where id = any (${ids}::uuid[]) and date_expired > now()`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Notes the use of a token. */
export async function noteUse(id: string, db: Db): Promise<void> {
  await sql`update cluster_token set date_used = now() where id = ${id}`.execute(db);
}

/** Ends a token. */
export async function endToken(id: string, db: Db): Promise<void> {
  await sql`delete from cluster_token where id = ${id}`.execute(db);
}

/** Deletes expired tokens. */
export async function clearTokens(db: Db): Promise<void> {
  await sql`delete from cluster_token where date_expired < now()`.execute(db);
}
