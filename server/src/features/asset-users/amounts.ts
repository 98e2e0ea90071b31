import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { readInBatches } from '../../resources/read/reader.ts';
import { type Amounts, type AssetAmounts, createAmounts } from './amount-index.ts';
import { type ListedAsset, ListedAssets } from './listed-assets.ts';
import { countsOf } from './rows.ts';

/** Assets per query. */
const BATCH = 5_000;
/** Above this number of changed assets, all counts are read again. */
const MOST_CHANGED = 2_000;
/** The database keeps changes for an hour. Counts older than this are read again. */
const OLDEST_MILLISECONDS = 50 * 60_000;
/** Reading all counts of an organization is stopped after this time. */
const LONGEST_READ = '10min';
/** Unused counts are dropped after this time. */
const UNUSED_MILLISECONDS = 10 * 60_000;

interface Entry {
  readonly grants: number;
  readonly amounts: Amounts;
  /** Database snapshot of the counts. */
  snapshot: string;
  readAt: number;
  usedAt: number;
}

interface State {
  readonly grants: number;
  readonly snapshot: string;
}

/** Cached account counts per organization. */
export interface AccountAmounts {
  /** Returns current counts; undefined if they must be read again. */
  known(organizationId: string): Promise<Amounts | undefined>;
  /** Starts reading missing counts in the background. */
  readLater(organizationId: string): void;
  /** Aborts reading when the server stops. */
  stop(): Promise<void>;
  /** Returns current counts; reads them if needed. */
  read(organizationId: string): Promise<Amounts>;
}

/**
 * Creates the cache of account counts, which locates distant pages without computing all accounts
 * before them. The database records changes (`grant_version`, `account_list_change`). Stored
 * secrets cause a recount of their assets, other changes of all assets.
 */
export function createAccountAmounts(db: Db): AccountAmounts {
  const kept = new Map<string, Entry>();
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
    // Two requests may apply the same change, which is idempotent.
    mine.snapshot = changed.snapshot;
    mine.readAt = mine.usedAt = now;
    return mine.amounts;
  };

  let isStopping = false;
  const readAll = async (organizationId: string): Promise<Amounts> => {
    const readAt = performance.now();
    const { state, amounts } = await db.transaction(
      async (tx) => {
        await sql`set local statement_timeout = ${sql.lit(LONGEST_READ)}`.execute(tx);
        return {
          state: await stateOf(tx),
          amounts: await readAmounts(organizationId, tx, () => isStopping),
        };
      },
      { isolation: 'repeatable read' },
    );
    kept.set(organizationId, { ...state, amounts, readAt, usedAt: performance.now() });
    return amounts;
  };

  const read = async (organizationId: string): Promise<Amounts> => {
    const cached = await known(organizationId);
    if (cached) return cached;
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
      // An error is reported by the next page, if it persists.
      if (!isStopping && !readings.has(organizationId)) read(organizationId).catch(() => undefined);
    },
    async stop() {
      isStopping = true;
      await Promise.allSettled(readings.values());
    },
  };
}

async function stateOf(tx: Db | Tx): Promise<State> {
  const { rows } =
    await sql<State>`select version as grants, pg_current_snapshot()::text as snapshot
      from grant_version`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('table grant_version is empty');
  return row;
}

/** Assets that changed since the snapshot; undefined if any may have changed. */
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

/** Counts of the assets that match a condition. */
async function countedOf(
  organizationId: string,
  condition: Sql,
  on: Db | Tx,
): Promise<AssetAmounts[]> {
  return (await sql<AssetAmounts>`${countsOf(organizationId, condition)}`.execute(on)).rows;
}

async function readAmounts(
  organizationId: string,
  tx: Tx,
  isStopping: () => boolean,
): Promise<Amounts> {
  const inOrder = sql`
    select a.id, lower(a.hostname) || chr(10) || lower(a.ip) as text,
      row_number() over (order by a.ip, a.id)::integer - 1 as ip_place
    from asset a where a.org_id = ${organizationId} order by a.hostname, a.id`;
  const assets = new ListedAssets();
  for await (const rows of readInBatches<ListedAsset>(inOrder, tx, BATCH)) assets.add(rows);
  const { rows: names } = await sql<{ username: string }>`
    select distinct lower(username) as username from asset_user where org_id = ${organizationId}
    union select lower(username) from admin_user where org_id = ${organizationId}
    union select lower(username) from system_account
    union select lower(username) from account
    where is_active and exists (select 1 from system_account
      where username_same_with_user)`.execute(tx);
  const usernames = names.map(({ username }) => username);
  const amounts = createAmounts(assets, usernames);
  for (let at = 0; at < assets.ids.length; at += BATCH) {
    if (isStopping()) throw new Error('the server is stopping');
    const ids = assets.ids.slice(at, at + BATCH);
    amounts.set(await countedOf(organizationId, sql`a.id = any (${ids}::uuid[])`, tx), ids);
  }
  return amounts;
}
