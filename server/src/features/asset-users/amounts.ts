import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Sql } from '../../resources/hooks.ts';
import { type Amounts, type AssetAmounts, createAmounts, SHAPES } from './amounts-of.ts';
import { amountsOf } from './rows.ts';

/** Assets that are read at once. */
const BATCH = 5_000;
/** More changed assets than this: everything is read again. */
const MOST_CHANGED = 2_000;
/** The database keeps changes for an hour. What was not looked at for so long is read again. */
const OLDEST_MILLISECONDS = 50 * 60_000;
/** What nobody asks for is forgotten. */
const UNUSED_MILLISECONDS = 10 * 60_000;

interface Kept {
  readonly grants: number;
  readonly amounts: Amounts;
  /** The state of the database that they are of. */
  snapshot: string;
  readAt: number;
  usedAt: number;
}

interface State {
  readonly grants: number;
  readonly snapshot: string;
}

/** How many accounts each asset of an organization has, while that is known to be right. */
export interface AccountAmounts {
  /** The amounts of this moment; undefined where they would have to be read again. */
  known(organizationId: string): Promise<Amounts | undefined>;
  /** Begins to read them where they are not known; nobody waits. */
  readLater(organizationId: string): void;
  /** The server stops: what is read is given up. */
  stop(): Promise<void>;
  /** The amounts of this moment, read again where they have to be. */
  read(organizationId: string): Promise<Amounts>;
}

/**
 * Keeps how many accounts the assets of an organization have, so that a page far down a list is
 * found without making the accounts before it. The database says what changed since
 * (`grant_version`, `account_list_change`): secrets that were stored are counted again for their
 * assets, after any other change everything is.
 */
export function createAccountAmounts(db: Db): AccountAmounts {
  const kept = new Map<string, Kept>();
  const readings = new Map<string, Promise<Amounts>>();

  const known = async (organizationId: string): Promise<Amounts | undefined> => {
    const now = performance.now();
    for (const [id, { usedAt }] of kept) if (now - usedAt > UNUSED_MILLISECONDS) kept.delete(id);
    const mine = kept.get(organizationId);
    if (!mine || now - mine.readAt > OLDEST_MILLISECONDS) return undefined;
    const changed = await changesSince(mine, db);
    if (!changed) {
      if (kept.get(organizationId) === mine) kept.delete(organizationId);
      return undefined;
    }
    if (changed.assets.length > 0)
      mine.amounts.set(
        await countedOf(organizationId, sql`a.id = any (${changed.assets}::uuid[])`, db),
        changed.assets,
      );
    // Two requests may find the same change; the later state is never put back, as what is counted
    // twice is the same.
    mine.snapshot = changed.snapshot;
    mine.readAt = mine.usedAt = now;
    return mine.amounts;
  };

  let isOver = false;
  const readAll = async (organizationId: string): Promise<Amounts> => {
    const readAt = performance.now();
    const { state, amounts } = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => ({
        state: await stateOf(tx),
        amounts: await readAmounts(organizationId, tx, () => isOver),
      }));
    kept.set(organizationId, { ...state, amounts, readAt, usedAt: performance.now() });
    return amounts;
  };

  const read = async (organizationId: string): Promise<Amounts> => {
    const found = await known(organizationId);
    if (found) return found;
    let reading = readings.get(organizationId);
    if (!reading) {
      reading = readAll(organizationId).finally(() => readings.delete(organizationId));
      readings.set(organizationId, reading);
    }
    return reading;
  };

  return {
    known,
    read,
    readLater(organizationId) {
      // The next page says what is wrong, if it still is.
      if (!isOver && !readings.has(organizationId)) read(organizationId).catch(() => undefined);
    },
    async stop() {
      isOver = true;
      await Promise.allSettled(readings.values());
    },
  };
}

async function stateOf(tx: Db | Tx): Promise<State> {
  const { rows } =
    await sql<State>`select version as grants, pg_current_snapshot()::text as snapshot
      from grant_version`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('there is no version of the grants');
  return row;
}

/** The assets that changed since; undefined when it may be any. */
async function changesSince(
  { grants, snapshot }: State,
  db: Db,
): Promise<{ readonly assets: string[]; readonly snapshot: string } | undefined> {
  const { rows } = await sql<State & { assets: string[] | null; everything: boolean }>`
    select g.version as grants, pg_current_snapshot()::text as snapshot, change.*
    from grant_version g cross join lateral (
      select array_agg(distinct asset_id) filter (where asset_id is not null)::text[] as assets,
        coalesce(bool_or(asset_id is null), false) as everything
      from account_list_change
      where not pg_visible_in_snapshot(changed_by, ${snapshot}::pg_snapshot)
    ) change`.execute(db);
  const [row] = rows;
  const assets = row?.assets ?? [];
  return row && row.grants === grants && !row.everything && assets.length <= MOST_CHANGED
    ? { assets, snapshot: row.snapshot }
    : undefined;
}

/** The amounts of the assets for which a condition holds. */
async function countedOf(
  organizationId: string,
  condition: Sql,
  on: Db | Tx,
): Promise<AssetAmounts[]> {
  return (
    await sql<AssetAmounts>`${amountsOf(organizationId, condition, SHAPES.slice(2))}`.execute(on)
  ).rows;
}

async function readAmounts(
  organizationId: string,
  tx: Tx,
  isOver: () => boolean,
): Promise<Amounts> {
  const assets: { id: string; text: string }[] = [];
  const byIp: string[] = [];
  const mine = sql`a.org_id = ${organizationId}`;
  for (let last: { id: string; hostname: string } | undefined; ; ) {
    const after = last ? sql`and (a.hostname, a.id) > (${last.hostname}, ${last.id}::uuid)` : sql``;
    const { rows } = await sql<{ id: string; hostname: string; text: string }>`
      select a.id, a.hostname, lower(a.hostname) || chr(10) || lower(a.ip) as text from asset a
      where ${mine} ${after} order by a.hostname, a.id limit ${BATCH}`.execute(tx);
    for (const { id, text } of rows) assets.push({ id, text });
    last = rows.at(-1);
    if (rows.length < BATCH) break;
  }
  for (let last: { id: string; ip: string } | undefined; ; ) {
    const after = last ? sql`and (a.ip, a.id) > (${last.ip}, ${last.id}::uuid)` : sql``;
    const { rows } = await sql<{
      id: string;
      ip: string;
    }>`select a.id, a.ip from asset a where ${mine} ${after} order by a.ip, a.id
      limit ${BATCH}`.execute(tx);
    for (const { id } of rows) byIp.push(id);
    last = rows.at(-1);
    if (rows.length < BATCH) break;
  }
  const { rows: names } = await sql<{ username: string }>`
    select distinct lower(username) as username from asset_user where org_id = ${organizationId}
    union select lower(username) from admin_user where org_id = ${organizationId}
    union select lower(username) from system_account
    union select lower(username) from account
    where is_active and exists (select 1 from system_account
      where username_same_with_user)`.execute(tx);
  const usernames = names.map(({ username }) => username);
  const amounts = createAmounts(assets, byIp, usernames);
  for (let at = 0; at < assets.length; at += BATCH) {
    if (isOver()) throw new Error('the server stops');
    const ids = assets.slice(at, at + BATCH).map(({ id }) => id);
    amounts.set(await countedOf(organizationId, sql`a.id = any (${ids}::uuid[])`, tx), ids);
  }
  return amounts;
}
