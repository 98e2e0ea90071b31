import {
  type asset,
  assetUser,
  formatDatetime,
  isUuid,
  type LocalText,
  type Row,
  readableFields,
  say,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { type Counted, type ListSource, readPaging } from '../../resources/read/page.ts';
import { searchTerms } from '../../resources/read/search-terms.ts';
import { withinPatternTime } from '../../resources/read/search-text.ts';
import { MAX_LISTED } from './account-conditions.ts';
import type { AssetOrder } from './amount-index.ts';
import { createAccountAmounts } from './amounts.ts';
import { assetOf, isOrder, ORDERS, readSelection, shapeOf } from './list-query.ts';
import { ACCOUNT_COLUMNS, type AccountSelection, accountsFrom, WITHIN_ASSET } from './rows.ts';

type Connectivity = Row<typeof asset>['connectivity'];

/** An account of an asset, as on the wire. */
export interface AssetUserRow {
  readonly id: string;
  readonly asset: string;
  readonly hostname: string;
  readonly username: string;
  readonly backend: string;
  readonly origin_id: string;
  readonly is_best: boolean;
  readonly [more: string]: unknown;
}

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
/** Maximum number of cached totals, and maximum length of their keys. */
const MOST_COUNTS = 500;
const MAX_KEY = 2_000;

const NAMES = readableFields(assetUser, false).map(([name]) => name);

export interface AssetUserListOptions {
  readonly db: Db;
  organizationName(id: string): Promise<string>;
  /** Pages up to here do not wait for counts. */
  readonly near?: number;
}

export function createAssetUserList({
  db,
  organizationName,
  near = NEAR,
}: AssetUserListOptions): AssetUserList {
  const amounts = createAccountAmounts(db);
  interface StoredAccount extends AssetUserRow {
    connectivity: [status: 0 | 1 | 2, seconds: number, reason: LocalText | null] | null;
    date_created: Date;
    date_updated: Date;
  }
  const present = async (
    stored: readonly StoredAccount[],
    { actor: { organization }, zone, language }: Caller,
  ): Promise<AssetUserRow[]> => {
    const name = await organizationName(organization.id);
    const moment = (date: Date) => formatDatetime(date, zone);
    return stored.map(({ connectivity: tested, ...row }): AssetUserRow => {
      const [status, seconds, reason] = tested ?? [2, row.date_created.getTime() / 1_000, null];
      const connectivity: Connectivity = {
        status,
        datetime: moment(new Date(seconds * 1_000)),
        ...(reason && { reason: say(reason, language) }),
      };
      const fields = {
        ...row,
        connectivity,
        date_created: moment(row.date_created),
        date_updated: moment(row.date_updated),
        org_name: name,
      };
      return Object.fromEntries(
        NAMES.map((field) => [field, fields[field as keyof typeof fields]]),
      ) as AssetUserRow;
    });
  };
  const orderOf = (query: URLSearchParams): AssetOrder => {
    const orderName = (query.getAll('order').at(-1) ?? '').trim() || 'hostname';
    if (!isOrder(orderName))
      throw invalid('order', 'not_choice', { value: orderName.slice(0, 64) });
    return orderName;
  };
  /** Reads a page located by counts; undefined if the list must be walked. */
  const byAmounts = async (
    query: URLSearchParams,
    { actor }: Caller,
    { limit, offset }: { limit: number; offset: number },
  ) => {
    const narrowed = shapeOf(query);
    if (!narrowed) return undefined;
    const { shape, texts } = narrowed;
    const organizationId = actor.organization.id;
    const known = await (offset + limit <= near
      ? amounts.known(organizationId)
      : amounts.read(organizationId));
    if (!known || (texts.length > 0 && known.hasUsername(texts))) return undefined;
    const order = orderOf(query);
    const { total, assets, skip } = known.find({ shape, order, texts, offset, limit });
    const isOrigin = shape !== 'all' && shape !== 'latest';
    const selection = {
      organizationId,
      assets: [sql`a.id = any (${assets}::uuid[])`],
      rows: isOrigin ? [sql`row.backend = ${shape}`] : [],
      isLatest: shape === 'latest',
    };
    const { rows } = await sql<StoredAccount>`
      select ${ACCOUNT_COLUMNS} ${accountsFrom(selection)}
      order by ${ORDERS[order]}, ${WITHIN_ASSET}
      limit ${limit} offset ${skip}`.execute(db);
    // The result is valid only if nothing changed in between.
    return rows.length === Math.max(0, Math.min(limit, total - offset))
      ? { count: total, rows }
      : undefined;
  };
  const count = async (selection: AccountSelection, db: Db | Tx): Promise<number> => {
    const { organizationId, assets } = selection;
    const here = sql`a.org_id = ${organizationId}`;
    const mine = sql.join([here, ...assets], sql` and `);
    const numberOf = async (from: Sql) =>
      (await sql<{ count: number }>`select count(*) as count ${from}`.execute(db)).rows[0]?.count ??
      0;
    const assetCount = await numberOf(
      sql`from (select 1 from asset a where ${mine} limit ${MAX_LISTED + 1}) listed`,
    );
    if (assetCount <= SAMPLE) return numberOf(accountsFrom(selection));
    // Prepares counts for the next pages.
    amounts.readLater(organizationId);
    // A sample of the selected assets, or of all if they are many. Ids are random.
    const isMany = assetCount > MAX_LISTED;
    const [all, population] = isMany
      ? [await numberOf(sql`from asset a where ${here}`), here]
      : [assetCount, mine];
    const sample = sql`a.id in (select a.id from asset a where ${population} order by a.id
      limit ${SAMPLE})`;
    return Math.round(
      ((await numberOf(accountsFrom({ ...selection, assets: [...assets, sample] }))) * all) /
        Math.min(all, SAMPLE),
    );
  };
  /** Caches totals until an account is added or removed. */
  const countOnce = async (
    query: URLSearchParams,
    selection: AccountSelection,
    one: Db | Tx,
  ): Promise<number> => {
    const kept = (await amounts.known(selection.organizationId))?.counts;
    const key = JSON.stringify(
      [...query]
        .filter(([name]) => !['limit', 'offset', 'order', 'draw'].includes(name))
        .toSorted(),
    );
    const counted = kept?.get(key) ?? (await count(selection, one));
    if (kept && kept.size < MOST_COUNTS && key.length < MAX_KEY) kept.set(key, counted);
    return counted;
  };
  /** Regular expressions from the caller run with a timeout. */
  const within =
    (query: URLSearchParams) =>
    <T>(run: (one: Db | Tx) => Promise<T>): Promise<T> =>
      searchTerms(query).some(({ kind }) => kind === 'pattern')
        ? withinPatternTime(db, run)
        : run(db);
  return {
    resource: assetUser,
    stop: () => amounts.stop(),
    selection: (query, caller) => readSelection(query, caller, db),
    async list(query, caller) {
      const [{ limit, offset }, orderName] = [readPaging(query), orderOf(query)];
      const order = ORDERS[orderName];
      // Unpaged lists are streamed instead.
      if (limit === undefined) {
        await within(query)((one) => readSelection(query, caller, one));
        return undefined;
      }
      const located = await byAmounts(query, caller, { limit, offset });
      if (located) return { count: located.count, results: await present(located.rows, caller) };
      const [rows, counted] = await within(query)(async (one) => {
        const selection = await readSelection(query, caller, one);
        // The ids of the page are read first, so that skipped accounts are not computed in full.
        const page = sql`select a.id as asset_id, row.id as account_id ${accountsFrom(selection)}
          order by ${order}, ${WITHIN_ASSET} limit ${limit} offset ${offset}`;
        const onPage = {
          ...selection,
          assets: [...selection.assets, sql`a.id in (select asset_id from page)`],
          rows: [...selection.rows, sql`row.id in (select account_id from page)`],
        };
        const { rows: accounts } = await sql<StoredAccount>`
          with page as materialized (${page}) select ${ACCOUNT_COLUMNS} ${accountsFrom(onPage)}
          order by ${order}, ${WITHIN_ASSET}`.execute(one);
        return [accounts, await countOnce(query, selection, one)] as const;
      });
      // The total is at least what this page shows, whatever the sample says.
      const least = offset + rows.length;
      const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
      return {
        count: isLast ? least : Math.max(counted, least),
        results: await present(rows, caller),
      };
    },
    async *stream(query, caller) {
      const selection = await within(query)((one) => readSelection(query, caller, one));
      const mine = sql.join(
        [sql`a.org_id = ${selection.organizationId}`, ...selection.assets],
        sql` and `,
      );
      for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
        const { rows: next } = await sql<{
          id: string;
        }>`select a.id from asset a where ${mine} and a.id > ${last}::uuid order by a.id
          limit ${BATCH}`.execute(db);
        const end = next.at(-1);
        if (!end) return;
        const batch = {
          ...selection,
          assets: [...selection.assets, sql`a.id = any (${next.map(({ id }) => id)}::uuid[])`],
        };
        const { rows } = await within(query)((one) =>
          sql<StoredAccount>`select ${ACCOUNT_COLUMNS} ${accountsFrom(batch)}
            order by ${ORDERS.hostname}, ${WITHIN_ASSET}`.execute(one),
        );
        if (rows.length > 0) yield await present(rows, caller);
        last = end.id;
      }
    },
    async retrieve(id, caller) {
      if (!assetOf(id) && !isUuid(id)) throw notFound();
      const { rows } = await sql<StoredAccount>`select ${ACCOUNT_COLUMNS}
          ${accountsFrom(await readSelection(new URLSearchParams({ id }), caller, db))}`.execute(
        db,
      );
      const [row] = await present(rows, caller);
      if (!row) throw notFound();
      return row;
    },
  };
}
