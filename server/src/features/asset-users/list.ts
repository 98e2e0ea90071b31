import {
  type asset,
  assetUser,
  formatDatetime,
  isUuid,
  type LocalText,
  MAX_ITEMS,
  type Row,
  readableFields,
  type SearchTerm,
  say,
} from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import type { Sql } from '../../resources/hooks.ts';
import { SET_SUFFIX } from '../../resources/list-query.ts';
import type { ListSource } from '../../resources/list-source.ts';
import { type Counted, readPaging } from '../../resources/page.ts';
import { setCondition } from '../../resources/resource-set.ts';
import { searchTerms } from '../../resources/search-terms.ts';
import {
  hasWhole,
  likePattern,
  matchesPattern,
  withinPatternTime,
} from '../../resources/search-text.ts';
import { createAccountAmounts } from './amounts.ts';
import { type AssetOrder, SHAPES, type Shape } from './amounts-of.ts';
import { among, MOST_NAMED, originsOf, reachedBy, withStored, withUsername } from './narrow.ts';
import {
  ACCOUNT_COLUMNS,
  accountsFrom,
  type Origin,
  RULES,
  type WantedAccounts,
  WITHIN_ASSET,
} from './rows.ts';

type Connectivity = Row<typeof asset>['connectivity'];

/** One account of an asset as it is answered. */
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

/**
 * Reads the accounts of assets; the first part of an id is the object that has the secret, the
 * second the asset, the third a user.
 */
export interface AssetUserList extends ListSource<AssetUserRow> {
  /** One account by its id. @throws NotFound */
  retrieve(id: string, caller: Caller): Promise<AssetUserRow>;
  list(query: URLSearchParams, caller: Caller): Promise<Counted<AssetUserRow> | undefined>;
  /** The server stops. */
  stop(): Promise<void>;
  /** What a query names, as conditions. @throws Invalid */
  wanted(query: URLSearchParams, caller: Caller): Promise<WantedAccounts>;
}

/** Assets whose accounts are read at once where all are. */
const BATCH = 500;
/** Accounts of more assets than this are counted by a sample of so many. */
const SAMPLE = 500;
/**
 * Pages up to here are found soon by walking through the list, also before the amounts of assets
 * are known.
 */
const NEAR = 200;
/** Numbers of narrowed lists that are kept, and the longest text that names one. */
const MOST_COUNTS = 500;
const MAX_KEY = 2_000;

const MAX_TEXT = 256;
/** The asset that an id names; undefined for what is no whole id. */
function assetOf(id: string): string | undefined {
  const [own, asset, user, ...more] = id.split('_');
  return isUuid(own) && isUuid(asset) && (user === undefined || isUuid(user)) && more.length === 0
    ? asset
    : undefined;
}

const ORDERS: Readonly<Record<AssetOrder, Sql>> = {
  hostname: sql`a.hostname, a.id`,
  '-hostname': sql`a.hostname desc, a.id desc`,
  ip: sql`a.ip, a.id`,
  '-ip': sql`a.ip desc, a.id desc`,
};

const isOrder = (text: string): text is AssetOrder => Object.hasOwn(ORDERS, text);

/** The value of a parameter; '' where it is absent. @throws Invalid */
function textOf(query: URLSearchParams, name: string): string {
  const value = (query.getAll(name).at(-1) ?? '').trim();
  if (value.includes('\u0000')) throw invalid(name, 'nul_byte');
  return value.slice(0, MAX_TEXT);
}

/**
 * The values that a field may have: those of its filter, or of a set. Undefined where there is no
 * such filter.
 * @throws Invalid
 */
function valuesOf(
  query: URLSearchParams,
  name: string,
  parameters = [name, `${name}${SET_SUFFIX}`],
): readonly string[] | undefined {
  const values = parameters.flatMap((parameter) => {
    const given = query.getAll(parameter);
    if (given.some((value) => value.includes('\u0000'))) throw invalid(parameter, 'nul_byte');
    return given
      .flatMap((value) => (parameter === name && name !== 'id' ? [value] : value.split(',')))
      .map((value) => value.trim().slice(0, MAX_TEXT))
      .filter(Boolean);
  });
  if (values.length > MAX_ITEMS) throw invalid(name, 'list_too_long', { max: MAX_ITEMS });
  return values.length > 0 ? values : undefined;
}

/** The condition that a term of a search is found in a text, in lower case. */
function holdsFor({ kind, text }: SearchTerm, within: Sql): Sql {
  if (kind === 'pattern') return matchesPattern(text, within);
  return kind === 'word'
    ? hasWhole(text.toLowerCase(), within)
    : sql`${within} like ${likePattern(text.toLowerCase())}`;
}

/** Reads a query into conditions. @throws Invalid */
async function readWanted(
  query: URLSearchParams,
  caller: Caller,
  db: Db | Tx,
): Promise<WantedAccounts> {
  const organizationId = caller.actor.organization.id;
  const text = (name: string) => textOf(query, name);
  const [assets, rows]: [Sql[], Sql[]] = [[], []];
  for (const name of ['asset_id', 'asset'])
    if (text(name)) assets.push(isUuid(text(name)) ? sql`a.id = ${text(name)}` : sql`false`);
  for (const name of ['hostname', 'ip'] as const) {
    const wanted = valuesOf(query, name);
    if (wanted) assets.push(sql`${sql.ref(`a.${name}`)} = any (${wanted})`);
  }
  const ids = valuesOf(query, 'id', ['id', 'id__in', 'ids']);
  if (ids) {
    const versions = ids.filter((id) => isUuid(id));
    assets.push(
      sql`(a.id = any (${ids.flatMap((id) => assetOf(id) ?? [])}::uuid[])
        or a.id in (select r.asset_id from asset_user r where r.id = any (${versions}::uuid[])))`,
    );
    rows.push(
      sql`(row.id = any (${ids})
        or (row.backend = 'db' and row.origin_id = any (${versions}::uuid[])))`,
    );
  }
  const inSet = await setCondition(query, caller, db, sql`r.id`);
  if (inSet) {
    // Sets hold the ids of stored versions: those of other accounts are no ids of rows.
    assets.push(sql`a.id in (select r.asset_id from asset_user r where ${inSet})`);
    rows.push(
      sql`row.backend = 'db' and row.origin_id in (select r.id from asset_user r where ${inSet})`,
    );
  }
  const node = text('node_id');
  if (node) assets.push(isUuid(node) ? await onNode(node, organizationId, db) : sql`false`);
  const usernames = valuesOf(query, 'username');
  let origins: readonly Origin[] | undefined;
  if (usernames) {
    const isOne = (name: Sql) => sql`${name} = any (${usernames})`;
    rows.push(isOne(sql`row.username`));
    origins = await originsOf(isOne, organizationId, db);
    const otherwise = origins.every((origin) => origin === 'db')
      ? withStored(isOne, organizationId)
      : sql`true`;
    assets.push(await among(withUsername(isOne, organizationId), otherwise, db));
  }
  const backends = valuesOf(query, 'backend');
  if (backends) {
    rows.push(sql`row.backend = any (${backends})`);
    if (backends.length === 1) assets.push(await ofBackend(backends[0] ?? '', organizationId, db));
  }
  for (const term of searchTerms(query)) {
    const holds = (text: Sql) => holdsFor(term, text);
    rows.push(
      sql`(${holds(sql`lower(a.hostname)`)} or ${holds(sql`lower(a.ip)`)}
        or ${holds(sql`lower(row.username)`)})`,
    );
    const named = withUsername((name) => holds(sql`lower(${name})`), organizationId);
    const byAccount = await among(named, sql`true`, db);
    assets.push(
      await among(
        sql`select a.id as asset_id from asset a where a.org_id = ${organizationId}
          and (${holds(sql`a.search_text`)} or ${byAccount})`,
        sql`(${holds(sql`lower(a.hostname)`)} or ${holds(sql`lower(a.ip)`)} or ${byAccount})`,
        db,
      ),
    );
  }
  const [kind, preferred] = [text('prefer'), text('prefer_id')];
  if (kind !== '') assets.push(await ofPreferred(kind, preferred, db));
  return {
    organizationId,
    assets,
    rows,
    isLatest: isWanted(query, 'latest'),
    origins,
    ...(kind !== '' && { preferred }),
  };
}

/** The assets right on a node. */
function onNode(node: string, organizationId: string, db: Db): Promise<Sql> {
  const here = (asset: Sql) =>
    sql`from node_assets held join node n on n.id = held.node_id
      where n.id = ${node} and n.org_id = ${organizationId} and ${asset}`;
  return among(
    sql`select held.asset_id ${here(sql`true`)}`,
    sql`exists (select 1 ${here(sql`held.asset_id = a.id`)})`,
    db,
  );
}

/** The assets that may have accounts of one origin. */
async function ofBackend(backend: string, organizationId: string, db: Db): Promise<Sql> {
  if (backend === 'db') return sql`exists (select 1 from asset_user r where r.asset_id = a.id)`;
  if (backend === 'admin_user') return sql`a.admin_user_id is not null`;
  const isDynamic = backend === 'system_user_dynamic';
  if (!isDynamic && backend !== 'system_user') return sql`false`;
  return among(
    reachedBy(
      sql`select s.id from system_account s where s.org_id = ${organizationId}
        and s.username_same_with_user = ${isDynamic}`,
    ),
    sql`true`,
    db,
  );
}

/** The assets of the admin user or system user whose accounts are wanted. @throws Invalid */
function ofPreferred(kind: string, id: string, db: Db): Promise<Sql> | Sql {
  if (kind !== 'admin_user' && kind !== 'system_user')
    throw invalid('prefer', 'not_choice', { value: kind.slice(0, 64) });
  if (!isUuid(id)) throw invalid('prefer_id', 'required');
  if (kind === 'admin_user') return sql`a.admin_user_id = ${id}`;
  const one = sql`select ${id}::uuid`;
  return among(
    reachedBy(one),
    sql`exists (select 1 from asset_permission_system_users used
      where used.system_user_id = ${id} and used.asset_permission_id in ${RULES})`,
    db,
  );
}

/**
 * Whose pages are found by the amounts of assets: everything or one shape of it, narrowed by words
 * at the most. Undefined for other lists.
 */
function shapeOf(
  query: URLSearchParams,
): { readonly shape: Shape; readonly texts: readonly string[] } | undefined {
  for (const name of new Set(query.keys()))
    if (NARROWING.has(name) && textOf(query, name) !== '') return undefined;
  const [backends = [], isLatest] = [valuesOf(query, 'backend'), isWanted(query, 'latest')];
  const terms = searchTerms(query);
  const [backend] = backends;
  const shape = SHAPES.find((one) => one === (isLatest ? 'latest' : (backend ?? 'all')));
  // Names of origins are shapes, and the others are none of them.
  if (
    !shape ||
    backends.length > 1 ||
    (isLatest && backend) ||
    backend === 'all' ||
    backend === 'latest'
  )
    return undefined;
  return terms.every(({ kind }) => kind === 'text')
    ? { shape, texts: terms.map(({ text }) => text.toLowerCase()) }
    : undefined;
}

const isWanted = (query: URLSearchParams, name: string): boolean =>
  /^(1|true|yes)$/i.test(textOf(query, name));

/** Parameters by which a list is narrowed in another way. */
const NARROWING = new Set([
  'asset_id',
  'asset',
  'node_id',
  'prefer',
  'prefer_id',
  'spm',
  ...['hostname', 'ip', 'id', 'username'].flatMap((name) => [name, `${name}${SET_SUFFIX}`]),
  'ids',
]);

/** The fields of a row, in their order. */
const NAMES = readableFields(assetUser, false).map(([name]) => name);

export interface AssetUserListOptions {
  readonly db: Db;
  organizationName(id: string): Promise<string>;
  /** Pages up to here do not wait for the amounts of assets. */
  readonly near?: number;
}

/** Reads the accounts of assets. */
export function createAssetUserList({
  db,
  organizationName,
  near = NEAR,
}: AssetUserListOptions): AssetUserList {
  const amounts = createAccountAmounts(db);
  interface Found extends AssetUserRow {
    connectivity: [status: 0 | 1 | 2, seconds: number, reason: LocalText | null] | null;
    date_created: Date;
    date_updated: Date;
  }
  const present = async (
    found: readonly Found[],
    { actor: { organization }, zone, language }: Caller,
  ): Promise<AssetUserRow[]> => {
    const name = await organizationName(organization.id);
    const moment = (date: Date) => formatDatetime(date, zone);
    return found.map(({ connectivity: tested, ...row }): AssetUserRow => {
      const [status, seconds, reason] = tested ?? [2, row.date_created.getTime() / 1_000, null];
      const connectivity: Connectivity = {
        status,
        datetime: moment(new Date(seconds * 1_000)),
        ...(reason && { reason: say(reason, language) }),
      };
      const shown = {
        ...row,
        connectivity,
        date_created: moment(row.date_created),
        date_updated: moment(row.date_updated),
        org_name: name,
      };
      return Object.fromEntries(
        NAMES.map((field) => [field, shown[field as keyof typeof shown]]),
      ) as AssetUserRow;
    });
  };
  const orderOf = (query: URLSearchParams): AssetOrder => {
    const wished = (query.getAll('order').at(-1) ?? '').trim() || 'hostname';
    if (!isOrder(wished)) throw invalid('order', 'not_choice', { value: wished.slice(0, 64) });
    return wished;
  };
  /** A page whose assets are found by their amounts; undefined where it has to be looked for. */
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
    const wanted = {
      organizationId,
      assets: [sql`a.id = any (${assets}::uuid[])`],
      rows: isOrigin ? [sql`row.backend = ${shape}`] : [],
      isLatest: shape === 'latest',
    };
    const { rows } = await sql<Found>`
      select ${ACCOUNT_COLUMNS} ${accountsFrom(wanted)} order by ${ORDERS[order]}, ${WITHIN_ASSET}
      limit ${limit} offset ${skip}`.execute(db);
    // Otherwise something changed between the two.
    return rows.length === Math.max(0, Math.min(limit, total - offset))
      ? { count: total, rows }
      : undefined;
  };
  const count = async (wanted: WantedAccounts, db: Db | Tx): Promise<number> => {
    const { organizationId, assets } = wanted;
    const here = sql`a.org_id = ${organizationId}`;
    const mine = sql.join([here, ...assets], sql` and `);
    const numberOf = async (from: Sql) =>
      (await sql<{ count: number }>`select count(*) as count ${from}`.execute(db)).rows[0]?.count ??
      0;
    const named = await numberOf(
      sql`from (select 1 from asset a where ${mine} limit ${MOST_NAMED + 1}) named`,
    );
    if (named <= SAMPLE) return numberOf(accountsFrom(wanted));
    // For the pages that are looked at next.
    amounts.readLater(organizationId);
    // A sample of those that are wanted, or of all where these are many; ids are random.
    const isMany = named > MOST_NAMED;
    const [all, those] = isMany
      ? [await numberOf(sql`from asset a where ${here}`), here]
      : [named, mine];
    const sample = sql`a.id in (select a.id from asset a where ${those} order by a.id
      limit ${SAMPLE})`;
    return Math.round(
      ((await numberOf(accountsFrom({ ...wanted, assets: [...assets, sample] }))) * all) /
        Math.min(all, SAMPLE),
    );
  };
  /** The same while no account comes or goes: the pages of a list are counted once. */
  const countOnce = async (
    query: URLSearchParams,
    wanted: WantedAccounts,
    one: Db | Tx,
  ): Promise<number> => {
    const kept = (await amounts.known(wanted.organizationId))?.counts;
    const key = JSON.stringify(
      [...query]
        .filter(([name]) => !['limit', 'offset', 'order', 'draw'].includes(name))
        .toSorted(),
    );
    const counted = kept?.get(key) ?? (await count(wanted, one));
    if (kept && kept.size < MOST_COUNTS && key.length < MAX_KEY) kept.set(key, counted);
    return counted;
  };
  /** What a pattern of the caller decides is given up after a while. */
  const within =
    (query: URLSearchParams) =>
    <T>(run: (one: Db | Tx) => Promise<T>): Promise<T> =>
      searchTerms(query).some(({ kind }) => kind === 'pattern')
        ? withinPatternTime(db, run)
        : run(db);
  return {
    resource: assetUser,
    stop: () => amounts.stop(),
    wanted: (query, caller) => readWanted(query, caller, db),
    async list(query, caller) {
      const [{ limit, offset }, wished] = [readPaging(query), orderOf(query)];
      const order = ORDERS[wished];
      // Everything is written while it is read.
      if (limit === undefined) {
        await within(query)((one) => readWanted(query, caller, one));
        return undefined;
      }
      const found = await byAmounts(query, caller, { limit, offset });
      if (found) return { count: found.count, results: await present(found.rows, caller) };
      const [rows, counted] = await within(query)(async (one) => {
        const wanted = await readWanted(query, caller, one);
        // What is skipped is not made into rows.
        const page = sql`select a.id as asset_id, row.id as account_id ${accountsFrom(wanted)}
          order by ${order}, ${WITHIN_ASSET} limit ${limit} offset ${offset}`;
        const shown = {
          ...wanted,
          assets: [...wanted.assets, sql`a.id in (select asset_id from page)`],
          rows: [...wanted.rows, sql`row.id in (select account_id from page)`],
        };
        const { rows: found } = await sql<Found>`
          with page as materialized (${page}) select ${ACCOUNT_COLUMNS} ${accountsFrom(shown)}
          order by ${order}, ${WITHIN_ASSET}`.execute(one);
        return [found, await countOnce(query, wanted, one)] as const;
      });
      // What is on this page is there, whatever the sample says.
      const least = offset + rows.length;
      const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
      return {
        count: isLast ? least : Math.max(counted, least),
        results: await present(rows, caller),
      };
    },
    async *stream(query, caller) {
      const wanted = await within(query)((one) => readWanted(query, caller, one));
      const mine = sql.join(
        [sql`a.org_id = ${wanted.organizationId}`, ...wanted.assets],
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
          ...wanted,
          assets: [...wanted.assets, sql`a.id = any (${next.map(({ id }) => id)}::uuid[])`],
        };
        const { rows } = await within(query)((one) =>
          sql<Found>`select ${ACCOUNT_COLUMNS} ${accountsFrom(batch)}
            order by ${ORDERS.hostname}, ${WITHIN_ASSET}`.execute(one),
        );
        if (rows.length > 0) yield await present(rows, caller);
        last = end.id;
      }
    },
    async retrieve(id, caller) {
      if (!assetOf(id) && !isUuid(id)) throw notFound();
      const { rows } = await sql<Found>`select ${ACCOUNT_COLUMNS}
          ${accountsFrom(await readWanted(new URLSearchParams({ id }), caller, db))}`.execute(db);
      const [row] = await present(rows, caller);
      if (!row) throw notFound();
      return row;
    },
  };
}
