import type { DutyOrNone, ScimSource, ScimToken } from '@sallyport/contract';
import { formatDatetime } from '@sallyport/contract';
import { type Caller, displayName } from '../../platform/actor.ts';
import { databaseClock } from '../../platform/clock.ts';
import { randomToken, tokenDigest } from '../../platform/crypto/token.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, notFound } from '../../platform/errors.ts';

/** Prefix by which secret scanners detect a leaked token. */
const PREFIX = 'sallyport_scim_';
/** Minimum interval between updates of the last use. */
const TOUCH_SECONDS = 60;
export const MAX_TOKENS = 20;

/** A valid token. */
export interface KnownToken {
  readonly id: string;
  readonly name: string;
  readonly source: ScimSource;
  /** True for the token of a running test, which only reads: one administrator makes it alone. */
  readonly isOfTest: boolean;
}

/** Returns the token of a request. Undefined if it is unknown, expired or not approved. */
export async function findToken(
  token: string,
  remoteAddress: string,
  db: Db,
): Promise<KnownToken | undefined> {
  if (!token.startsWith(PREFIX) || token.length > 200) return undefined;
  const { rows } = await sql<KnownToken & { touch: boolean }>`
    select id, name, source, created_by = '' as "isOfTest",
      coalesce(date_last_used < now() - make_interval(secs => ${TOUCH_SECONDS}), true)
      or last_addr <> ${remoteAddress} as touch
    from scim_token
    where digest = ${tokenDigest(token)} and date_expired > now() and date_approved is not null`.execute(
    db,
  );
  const [match] = rows;
  if (match?.touch)
    await sql`update scim_token set date_last_used = now(),
      last_addr = ${remoteAddress} where id = ${match.id}`.execute(db);
  if (!match) return undefined;
  const { touch: _, ...known } = match;
  return known;
}

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly source: ScimSource;
  readonly created_by: string;
  readonly date_created: Date;
  readonly date_expired: Date;
  readonly date_last_used: Date | null;
  readonly last_addr: string;
  readonly is_approved: boolean;
  readonly creator_id: string | null;
}

/** The reader of tokens. */
type Reader = Pick<Caller, 'actor' | 'zone'>;

const toWire = ({ creator_id, ...row }: TokenRow, { actor, zone }: Reader): ScimToken => ({
  ...row,
  is_own: creator_id === actor.userId,
  is_expired: row.date_expired.getTime() <= databaseClock.now(),
  date_created: formatDatetime(row.date_created, zone),
  date_expired: formatDatetime(row.date_expired, zone),
  date_last_used: row.date_last_used && formatDatetime(row.date_last_used, zone),
});

const COLUMNS = sql`id, name, source, created_by, date_created, date_expired, date_last_used,
  last_addr, date_approved is not null as is_approved, creator_id`;

/**
 * All tokens of administrators without their secrets, newest first. The token of a running test has
 * no creator and is excluded.
 */
export async function listTokens(reader: Reader, on: Db | Tx): Promise<ScimToken[]> {
  const { rows } = await sql<TokenRow>`select ${COLUMNS} from scim_token where created_by <> ''
      order by date_created desc, id`.execute(on);
  return rows.map((row) => toWire(row, reader));
}

/** Returns true if the default organization controls its changes: then no token can be made. */
export async function isControlled(tx: Tx): Promise<boolean> {
  const { rows } = await sql`select 1 from change_control where org_id = '' for share`.execute(tx);
  return rows.length > 0;
}

/**
 * Stores a new token, which may need an approval. A token of a running test, without a creator,
 * needs none. Returns undefined if the name is taken.
 */
export async function addToken(
  {
    name,
    source,
    until,
    createdBy,
  }: {
    readonly name: string;
    readonly source: ScimSource;
    readonly until: Date;
    readonly createdBy: string;
  },
  caller: Reader,
  tx: Tx,
): Promise<(ScimToken & { readonly token: string }) | undefined> {
  const token = `${PREFIX}${randomToken()}`;
  const { rows } = await sql<TokenRow>`
    insert into scim_token (name, digest, source, created_by, date_expired, creator_id,
      creator_duty, date_approved)
    values (${name}, ${tokenDigest(token)}, ${source}, ${createdBy}, ${until},
      ${caller.actor.userId}, ${caller.actor.duty},
      case when ${createdBy} = '' or not duties_are_separated() then now() end)
    on conflict (name) do nothing returning ${COLUMNS}`.execute(tx);
  return rows[0] && { ...toWire(rows[0], caller), token };
}

/**
 * Approves a token that another administrator made; while duties are separated, one with another
 * duty. Returns its name, or undefined if it waits for no approval.
 * @throws Forbidden, NotFound
 */
export async function approveToken(id: string, { actor }: Reader, tx: Tx) {
  const { rows } = await sql<{
    name: string;
    creator_id: string | null;
    creator_duty: DutyOrNone;
    is_approved: boolean;
    is_separated: boolean;
  }>`select name, creator_id, creator_duty, date_approved is not null as is_approved,
      duties_are_separated() as is_separated
    from scim_token where id = ${id} for update`.execute(tx);
  const [row] = rows;
  if (!row) throw notFound();
  if (row.is_approved) return undefined;
  if (row.creator_id === actor.userId) throw new Forbidden('change_set_own');
  if (row.creator_duty === actor.duty && (actor.duty !== '' || row.is_separated))
    throw new Forbidden('change_set_other_duty');
  await sql`update scim_token set date_approved = now(), approved_by = ${displayName(actor)}
    where id = ${id}`.execute(tx);
  return row.name;
}

/** Deletes a token. Returns its name, or undefined if it does not exist. */
export async function removeToken(id: string, tx: Tx): Promise<string | undefined> {
  const { rows } = await sql<{
    name: string;
  }>`delete from scim_token where id = ${id}::uuid returning name`.execute(tx);
  return rows[0]?.name;
}
