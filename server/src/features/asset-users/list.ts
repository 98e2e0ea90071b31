import { setTimeout as sleep } from 'node:timers/promises';
import { assetUser, isUuid } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { notFound, Unavailable } from '../../platform/errors.ts';
import { type Counted, type ListSource, readPaging } from '../../resources/read/page.ts';
import { hasPattern, withinPatternTime } from '../../resources/read/search.ts';
import { MAX_LISTED } from './account-conditions.ts';
import type { Amounts, AssetOrder } from './amount-index.ts';
import { type AccountAmounts, createAccountAmounts } from './amounts.ts';
import { assetOf, ORDERS, orderOf, readSelection, shapeOf } from './list-query.ts';
import {
  type AccountSelection,
  accountsFrom,
  assetsOf,
  selectAccounts,
  WITHIN_ASSET,
} from './rows.ts';
import { type AssetUserRow, type StoredAccount, wireRow } from './wire-rows.ts';

/** Reads the accounts of assets. Ids are `{origin}_{asset}` or `{origin}_{asset}_{user}`. */
export interface AssetUserList extends ListSource<AssetUserRow> {
  /** Reads one account by its id. @throws NotFound */
  retrieve(id: string, caller: Caller): Promise<AssetUserRow>;
  list(query: URLSearchParams, caller: Caller): Promise<Counted<AssetUserRow> | undefined>;
  stop(): Promise<void>;
  /** Parses a query into conditions. @throws Invalid */
  selection(query: URLSearchParams, caller: Caller): Promise<AccountSelection>;
}

/** Assets per query while a list is streamed. */
const BATCH = 500;
/** Above this number of assets, totals are estimated from a sample of this size. */
const SAMPLE = 500;
/** Pages up to here are read by walking the list, without waiting for counts. */
const NEAR = 200;
/** A page waits this long for counts; reading them continues. */
const WAIT_MILLISECONDS = 10_000;
/** Maximum number of cached totals, and maximum length of their keys. */
const MOST_COUNTS = 500;
const MAX_KEY = 2_000;
/** An estimated total is used for this time: taking the sample costs more than a page. */
const ESTIMATE_MILLISECONDS = 30_000;
/** Parameters that do not change the total. */
const PAGE_PARAMETERS = new Set(['limit', 'offset', 'order', 'draw']);
const LEAST_ID = '00000000-0000-0000-0000-000000000000';

export interface AssetUserListOptions {
  readonly db: Db;
  organizationName(id: string): Promise<string>;
  /** Pages up to here do not wait for counts. */
  readonly near?: number;
  readonly waitMilliseconds?: number;
}

interface PageRequest {
  readonly order: AssetOrder;
  readonly limit: number;
  readonly offset: number;
}

interface AccountCount {
  readonly count: number;
  readonly isEstimate: boolean;
}

interface StoredPage {
  readonly count: number;
  readonly rows: readonly StoredAccount[];
}

/**
 * The accounts are computed from assets and permissions. Usual pages are located by the counts of
 * each asset; the others by walking the assets in list order (docs/performance.md).
 */
class AccountList implements AssetUserList {
  readonly resource = assetUser;
  readonly #options: AssetUserListOptions;
  readonly #db: Db;
  readonly #amounts: AccountAmounts;
  readonly #estimates = new Map<string, AccountCount & { readonly until: number }>();

  constructor(options: AssetUserListOptions) {
    this.#options = options;
    this.#db = options.db;
    this.#amounts = createAccountAmounts(options.db);
  }

  stop(): Promise<void> {
    return this.#amounts.stop();
  }

  selection(query: URLSearchParams, caller: Caller): Promise<AccountSelection> {
    return inTime(query, this.#db, (db) => readSelection(query, caller, db));
  }

  async list(query: URLSearchParams, caller: Caller): Promise<Counted<AssetUserRow> | undefined> {
    const { limit, offset } = readPaging(query);
    const order = orderOf(query);
    // Unpaged lists are streamed instead; this rejects an invalid query.
    if (limit === undefined) {
      await this.selection(query, caller);
      return undefined;
    }
    const request = { order, limit, offset };
    const { count, rows } =
      (await this.#locatePage(query, caller, request)) ??
      (await this.#walkToPage(query, caller, request));
    return { count, results: await this.#present(rows, caller) };
  }

  async *stream(query: URLSearchParams, caller: Caller): AsyncGenerator<AssetUserRow[]> {
    const selection = await this.selection(query, caller);
    const mine = assetsOf(selection);
    for (let last = LEAST_ID; ; ) {
      const { rows: next } = await sql<{ id: string }>`
        select a.id from asset a where ${mine} and a.id > ${last}::uuid order by a.id
        limit ${BATCH}`.execute(this.#db);
      const end = next.at(-1);
      if (!end) return;
      const batch = withAssets(selection, sql`a.id = any (${next.map(({ id }) => id)}::uuid[])`);
      const { rows } = await inTime(query, this.#db, (db) =>
        sql<StoredAccount>`${selectAccounts(batch)}
          order by ${ORDERS.hostname}, ${WITHIN_ASSET}`.execute(db),
      );
      if (rows.length > 0) yield await this.#present(rows, caller);
      last = end.id;
    }
  }

  async retrieve(id: string, caller: Caller): Promise<AssetUserRow> {
    if (!assetOf(id) && !isUuid(id)) throw notFound();
    const selection = await this.selection(new URLSearchParams({ id }), caller);
    const { rows } = await sql<StoredAccount>`${selectAccounts(selection)}`.execute(this.#db);
    const [row] = await this.#present(rows, caller);
    if (!row) throw notFound();
    return row;
  }

  /** Reads a page that the counts locate; undefined if the list must be walked. */
  async #locatePage(
    query: URLSearchParams,
    { actor }: Caller,
    { order, limit, offset }: PageRequest,
  ): Promise<StoredPage | undefined> {
    const narrowed = shapeOf(query);
    if (!narrowed) return undefined;
    const { shape, texts } = narrowed;
    const organizationId = actor.organization.id;
    const isNear = offset + limit <= (this.#options.near ?? NEAR);
    const known = await (isNear
      ? this.#amounts.known(organizationId)
      : this.#waitForAmounts(organizationId));
    if (!known || (texts.length > 0 && known.hasUsername(texts))) return undefined;
    const { total, assets, skip } = await known.find({ shape, order, texts, offset, limit });
    const isOrigin = shape !== 'all' && shape !== 'latest';
    const selection = {
      organizationId,
      assets: [sql`a.id = any (${assets}::uuid[])`],
      rows: isOrigin ? [sql`row.backend = ${shape}`] : [],
      isLatest: shape === 'latest',
    };
    const { rows } = await sql<StoredAccount>`${selectAccounts(selection)}
      order by ${ORDERS[order]}, ${WITHIN_ASSET}
      limit ${limit} offset ${skip}`.execute(this.#db);
    // The result is valid only if nothing changed in between.
    return rows.length === Math.max(0, Math.min(limit, total - offset))
      ? { count: total, rows }
      : undefined;
  }

  /** @throws Unavailable while many counts are read */
  async #waitForAmounts(organizationId: string): Promise<Amounts> {
    const reading = this.#amounts.read(organizationId);
    const { waitMilliseconds = WAIT_MILLISECONDS } = this.#options;
    const waited = new AbortController();
    const limit = sleep(waitMilliseconds, undefined, { signal: waited.signal });
    const amounts = await Promise.race([reading, limit]).finally(() => waited.abort());
    if (amounts) return amounts;
    // An error of the reading is reported by the next page, if it persists.
    reading.catch(() => undefined);
    throw new Unavailable('busy');
  }

  /** Reads a page by computing the accounts of the assets before it. */
  #walkToPage(
    query: URLSearchParams,
    caller: Caller,
    { order: name, limit, offset }: PageRequest,
  ): Promise<StoredPage> {
    const order = sql`${ORDERS[name]}, ${WITHIN_ASSET}`;
    return inTime(query, this.#db, async (db) => {
      const selection = await readSelection(query, caller, db);
      // The ids of the page are read first, so that skipped accounts are not computed in full.
      const page = sql`select a.id as asset_id, row.id as account_id ${accountsFrom(selection)}
        order by ${order} limit ${limit} offset ${offset}`;
      const onPage = {
        ...withAssets(selection, sql`a.id in (select asset_id from page)`),
        rows: [...selection.rows, sql`row.id in (select account_id from page)`],
      };
      const [{ rows }, counted] = await Promise.all([
        sql<StoredAccount>`
          with page as materialized (${page}) ${selectAccounts(onPage)} order by ${order}`.execute(
          db,
        ),
        this.#countOnce(query, selection, db),
      ]);
      // The total is at least what this page shows, whatever the sample says.
      const least = offset + rows.length;
      const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
      return { count: isLast ? least : Math.max(counted, least), rows };
    });
  }

  /** Returns the total of a list, which is cached until an account is added or removed. */
  async #countOnce(
    query: URLSearchParams,
    selection: AccountSelection,
    db: Db | Tx,
  ): Promise<number> {
    const { organizationId } = selection;
    const totals = (await this.#amounts.known(organizationId))?.counts;
    const key = JSON.stringify(
      [...query].filter(([name]) => !PAGE_PARAMETERS.has(name)).toSorted(),
    );
    const cached = totals?.get(key);
    if (cached !== undefined) return cached;
    const estimates = `${organizationId} ${key}`;
    const estimate = this.#estimates.get(estimates);
    const isRecent = estimate !== undefined && estimate.until > performance.now();
    const { count, isEstimate } = isRecent ? estimate : await countAccounts(selection, db);
    // Prepares counts for the next pages.
    if (isEstimate) this.#amounts.readLater(organizationId);
    if (key.length >= MAX_KEY) return count;
    if (totals && totals.size < MOST_COUNTS) totals.set(key, count);
    if (isEstimate && !isRecent) this.#keepEstimate(estimates, count);
    return count;
  }

  #keepEstimate(key: string, count: number): void {
    if (this.#estimates.size >= MOST_COUNTS) this.#estimates.clear();
    const until = performance.now() + ESTIMATE_MILLISECONDS;
    this.#estimates.set(key, { count, isEstimate: true, until });
  }

  async #present(stored: readonly StoredAccount[], caller: Caller): Promise<AssetUserRow[]> {
    const name = await this.#options.organizationName(caller.actor.organization.id);
    return stored.map((row) => wireRow(row, caller, name));
  }
}

/** Creates the list of the accounts on assets. */
export const createAssetUserList = (options: AssetUserListOptions): AssetUserList =>
  new AccountList(options);

const withAssets = (selection: AccountSelection, condition: Sql): AccountSelection => ({
  ...selection,
  assets: [...selection.assets, condition],
});

/** Regular expressions from the caller run with a timeout. */
const inTime = <T>(query: URLSearchParams, db: Db, run: (db: Db | Tx) => Promise<T>): Promise<T> =>
  hasPattern(query) ? withinPatternTime(db, run) : run(db);

/** Counts selected accounts; for many assets, estimates their number from a sample of them. */
async function countAccounts(selection: AccountSelection, db: Db | Tx): Promise<AccountCount> {
  const numberOf = async (from: Sql) =>
    (await sql<{ count: number }>`select count(*) as count ${from}`.execute(db)).rows[0]?.count ??
    0;
  const mine = assetsOf(selection);
  const { rows } = await sql<{ assets: number; accounts: number | null }>`
    with listed as materialized (
      select count(*) as assets from (select 1 from asset a where ${mine}
        limit ${MAX_LISTED + 1}) found)
    select assets, case when assets <= ${SAMPLE} then (select count(*) ${accountsFrom(selection)})
      end as accounts from listed`.execute(db);
  const { assets: assetCount = 0, accounts = 0 } = rows[0] ?? {};
  if (accounts !== null) return { count: accounts, isEstimate: false };
  // A sample of the selected assets, or of all if they are many. Ids are random.
  const isMany = assetCount > MAX_LISTED;
  const population = isMany ? sql`a.org_id = ${selection.organizationId}` : mine;
  const all = isMany ? await assetsIn(selection.organizationId, db) : assetCount;
  const sample = sql`a.id in (select a.id from asset a where ${population} order by a.id
    limit ${SAMPLE})`;
  const sampled = await numberOf(accountsFrom(withAssets(selection, sample)));
  return { count: Math.round((sampled * all) / SAMPLE), isEstimate: true };
}

/** Counts the assets of an organization: triggers keep their number with each change. */
async function assetsIn(organizationId: string, db: Db | Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(assets), 0)::bigint as count from asset_tally
    where org_id = ${organizationId} and day is null`.execute(db);
  return rows[0]?.count ?? 0;
}
