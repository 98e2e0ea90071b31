import {
  isUuid,
  MAX_ITEMS,
  SECRET_STATES,
  type SearchTerm,
  type SecretState,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { SET_SUFFIX } from '../../resources/read/list-query.ts';
import { setCondition } from '../../resources/read/resource-set.ts';
import {
  hasWhole,
  likePattern,
  MAX_TEXT,
  matchesPattern,
  searchTerms,
} from '../../resources/read/search.ts';
import {
  amongAssets,
  assetsReachedBy,
  originsOf,
  withStored,
  withUsername,
} from './account-conditions.ts';
import type { AssetOrder, Shape } from './amount-index.ts';
import { type AccountSelection, ORIGINS, type Origin, RULES } from './rows.ts';
import { SECRETS, withSecretIn } from './secret-states.ts';

/** Asset of an account id; undefined for a malformed id. */
export function assetOf(id: string): string | undefined {
  const [own, asset, user, ...more] = id.split('_');
  return isUuid(own) && isUuid(asset) && (user === undefined || isUuid(user)) && more.length === 0
    ? asset
    : undefined;
}

export const ORDERS: Readonly<Record<AssetOrder, Sql>> = {
  hostname: sql`a.hostname, a.id`,
  '-hostname': sql`a.hostname desc, a.id desc`,
  ip: sql`a.ip, a.id`,
  '-ip': sql`a.ip desc, a.id desc`,
};

const isOrder = (text: string): text is AssetOrder => Object.hasOwn(ORDERS, text);

/** Returns the order of a query. @throws Invalid */
export function orderOf(query: URLSearchParams): AssetOrder {
  const name = (query.getAll('order').at(-1) ?? '').trim() || 'hostname';
  if (!isOrder(name)) throw invalid('order', 'not_choice', { value: name.slice(0, 64) });
  return name;
}

/** Value of a parameter; '' if it is absent. @throws Invalid */
function textOf(query: URLSearchParams, name: string): string {
  const value = (query.getAll(name).at(-1) ?? '').trim();
  if (value.includes('\u0000')) throw invalid(name, 'nul_byte');
  return value.slice(0, MAX_TEXT);
}

/**
 * Values of a field's filters; undefined without a filter.
 * @throws Invalid
 */
function valuesOf(
  query: URLSearchParams,
  name: string,
  parameters = [name, `${name}${SET_SUFFIX}`],
): readonly string[] | undefined {
  const values = parameters.flatMap((parameter) => {
    const raw = query.getAll(parameter);
    if (raw.some((value) => value.includes('\u0000'))) throw invalid(parameter, 'nul_byte');
    return raw
      .flatMap((value) => (parameter === name && name !== 'id' ? [value] : value.split(',')))
      .map((value) => value.trim().slice(0, MAX_TEXT))
      .filter(Boolean);
  });
  if (values.length > MAX_ITEMS) throw invalid(name, 'list_too_long', { max: MAX_ITEMS });
  return values.length > 0 ? values : undefined;
}

/** True if a lower-case text contains a search term. */
function holdsFor({ kind, text }: SearchTerm, within: Sql): Sql {
  if (kind === 'pattern') return matchesPattern(text, within);
  return kind === 'word'
    ? hasWhole(text.toLowerCase(), within)
    : sql`${within} like ${likePattern(text.toLowerCase())}`;
}

/** Parses a query into conditions. @throws Invalid */
export async function readSelection(
  query: URLSearchParams,
  caller: Caller,
  db: Db | Tx,
): Promise<AccountSelection> {
  const organizationId = caller.actor.organization.id;
  const text = (name: string) => textOf(query, name);
  const [assets, rows]: [Sql[], Sql[]] = [[], []];
  for (const name of ['asset_id', 'asset'])
    if (text(name)) assets.push(isUuid(text(name)) ? sql`a.id = ${text(name)}` : sql`false`);
  for (const name of ['hostname', 'ip'] as const) {
    const values = valuesOf(query, name);
    if (values) assets.push(sql`${sql.ref(`a.${name}`)} = any (${values})`);
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
  const inSet = await setCondition(query, caller, db, { id: sql`r.id` });
  if (inSet) {
    // Sets contain ids of stored versions only.
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
    assets.push(await amongAssets(withUsername(isOne, organizationId), otherwise, db));
  }
  const backends = valuesOf(query, 'backend');
  if (backends) {
    rows.push(sql`row.backend = any (${backends})`);
    if (backends.length === 1) assets.push(await ofBackend(backends[0] ?? '', organizationId, db));
  }
  const state = text('secret');
  if (state !== '') {
    if (!isSecretState(state)) throw invalid('secret', 'not_choice', { value: state.slice(0, 64) });
    rows.push(SECRETS[state](sql`row`));
    assets.push(await withSecretIn(state, organizationId, db));
  }
  for (const term of searchTerms(query)) {
    const holds = (text: Sql) => holdsFor(term, text);
    rows.push(
      sql`(${holds(sql`lower(a.hostname)`)} or ${holds(sql`lower(a.ip)`)}
        or ${holds(sql`lower(row.username)`)})`,
    );
    const byUsername = withUsername((name) => holds(sql`lower(${name})`), organizationId);
    const byAccount = await amongAssets(byUsername, sql`true`, db);
    assets.push(
      await amongAssets(
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
    isLatest: isSet(query, 'latest'),
    origins,
    ...(kind !== '' && { preferred }),
  };
}

const isSecretState = (text: string): text is SecretState =>
  SECRET_STATES.some((state) => state === text);

/** Condition for assets directly on a node. */
function onNode(node: string, organizationId: string, db: Db): Promise<Sql> {
  const here = (asset: Sql) =>
    sql`from node_assets held join node n on n.id = held.node_id
      where n.id = ${node} and n.org_id = ${organizationId} and ${asset}`;
  return amongAssets(
    sql`select held.asset_id ${here(sql`true`)}`,
    sql`exists (select 1 ${here(sql`held.asset_id = a.id`)})`,
    db,
  );
}

/** Condition for assets that may have accounts of an origin. */
async function ofBackend(backend: string, organizationId: string, db: Db): Promise<Sql> {
  if (backend === 'db') return sql`exists (select 1 from asset_user r where r.asset_id = a.id)`;
  if (backend === 'admin_user') return sql`a.admin_user_id is not null`;
  const isDynamic = backend === 'system_user_dynamic';
  if (!isDynamic && backend !== 'system_user') return sql`false`;
  return amongAssets(
    assetsReachedBy(
      sql`select s.id from system_account s where s.org_id = ${organizationId}
        and s.username_same_with_user = ${isDynamic}`,
    ),
    sql`true`,
    db,
  );
}

/** Condition for assets of an admin user or system user. @throws Invalid */
function ofPreferred(kind: string, id: string, db: Db): Promise<Sql> | Sql {
  if (kind !== 'admin_user' && kind !== 'system_user')
    throw invalid('prefer', 'not_choice', { value: kind.slice(0, 64) });
  if (!isUuid(id)) throw invalid('prefer_id', 'required');
  if (kind === 'admin_user') return sql`a.admin_user_id = ${id}`;
  return amongAssets(
    assetsReachedBy(sql`select ${id}::uuid`),
    sql`exists (select 1 from asset_permission_system_users used
      where used.system_user_id = ${id} and used.asset_permission_id in ${RULES})`,
    db,
  );
}

/**
 * Returns the shape and search texts of a list whose pages can be located by counts; undefined for
 * other lists.
 */
export function shapeOf(
  query: URLSearchParams,
): { readonly shape: Shape; readonly texts: readonly string[] } | undefined {
  for (const name of new Set(query.keys()))
    if (NARROWING.has(name) && textOf(query, name) !== '') return undefined;
  const backends = valuesOf(query, 'backend') ?? [];
  const [backend] = backends;
  const isLatest = isSet(query, 'latest');
  if (backends.length > 1 || (isLatest && backend)) return undefined;
  const whole = isLatest ? 'latest' : 'all';
  const shape = backend ? ORIGINS.find((origin) => origin === backend) : whole;
  const terms = searchTerms(query);
  return shape && terms.every(({ kind }) => kind === 'text')
    ? { shape, texts: terms.map(({ text }) => text.toLowerCase()) }
    : undefined;
}

const isSet = (query: URLSearchParams, name: string): boolean =>
  /^(1|true|yes)$/i.test(textOf(query, name));

/** Filters that exclude locating pages by counts. */
const NARROWING = new Set([
  'asset_id',
  'asset',
  'node_id',
  'prefer',
  'prefer_id',
  'spm',
  'secret',
  ...['hostname', 'ip', 'id', 'username'].flatMap((name) => [name, `${name}${SET_SUFFIX}`]),
  'ids',
]);
