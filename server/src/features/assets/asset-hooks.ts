import {
  asset,
  formatDatetime,
  isUuid,
  type LocalText,
  label,
  parseField,
  platform,
  say,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Forbidden, Invalid, invalid } from '../../platform/errors.ts';
import {
  hooksFor,
  kept,
  type Operation,
  type StoredRow,
  type Values,
} from '../../resources/hooks.ts';
import { type AttentionConditions, allOf, attentionFilter } from '../../resources/read/scope.ts';
import { firstNames } from '../../resources/relations/named-objects.ts';
import { assetsOfReference } from './reference-sums.ts';
import { useFilters } from './session-use.ts';
import { rootOf } from './tree.ts';

/** Assets with a changed host key, and unreachable assets. */
export const ASSET_ATTENTION = {
  changed_host_keys: () =>
    sql`exists (select 1 from host_key k where k.asset_id = t.id
      and k.offered_public_key is not null)`,
  unreachable_assets: () => sql`(t.is_active and t.connectivity_status = 0)`,
} satisfies AttentionConditions;

/**
 * Converts `protocol` and `port`, which the oldest clients send, to a list of protocols. Defaults
 * are ssh and 22. Returns undefined if the body has `protocols`, or neither field.
 * @throws Invalid
 */
export function protocolsOf(body: unknown): string[] | undefined {
  const { protocol, port, protocols } = body as {
    readonly protocol?: unknown;
    readonly port?: unknown;
    readonly protocols?: unknown;
  };
  if (protocols !== undefined || (protocol === undefined && port === undefined)) return undefined;
  const [name, number] = [protocol ?? 'ssh', port ?? 22];
  if (typeof name !== 'string') throw invalid('protocol', 'not_string');
  if (typeof number !== 'number' && typeof number !== 'string')
    throw invalid('port', 'not_integer');
  if (!/^\d{1,5}$/.test(String(number).trim())) throw invalid('port', 'not_port');
  const parsed = parseField(asset.fields.protocols, [`${name.trim()}/${String(number).trim()}`]);
  if ('problem' in parsed) throw new Invalid({ protocol: [parsed.problem] });
  return parsed.value as string[];
}

/** True if an asset (alias `t`) is on, or below, the node with this id or key. */
function nodeCondition(value: string, { actor }: Caller, query: URLSearchParams): Sql {
  const node = isUuid(value) ? sql`n.id = ${value}` : sql`n.key = ${value}`;
  const scope = sql`n.org_id = ${actor.organization.id}`;
  // `show_current_asset` takes precedence; otherwise `all=1` includes the subtree.
  const current = query.get('show_current_asset');
  const withDescendants =
    current !== null ? current !== '1' : ['1', 'true', 'all'].includes(query.get('all') ?? '');
  return withDescendants
    ? sql`t.id in (select below.asset_id from asset_ancestor below
      join node n on n.id = below.node_id where ${node} and ${scope})`
    : sql`t.id in (select held.asset_id from node_assets held join node n on n.id = held.node_id
      where ${node} and ${scope})`;
}

/** True if an asset (alias `t`) has all labels of the query, each `name:value` or `name#value`. */
function labelCondition(value: string, { actor }: Caller, query: URLSearchParams): Sql {
  const conditions = query.getAll('label').map((pair) => {
    const [, name = '', labelValue = ''] = /^([^:#]*)[:#](.*)$/.exec(pair) ?? [];
    return sql`exists (select 1 from label_assets la join label l on l.id = la.label_id
      where la.asset_id = t.id and l.org_id = ${actor.organization.id} and l.is_active
        and l.name = ${name} and l.value = ${labelValue})`;
  });
  return value ? allOf(conditions) : sql`true`;
}

/** True if permissions reach an asset (alias `t`) with the system user. */
const reachedBy = (systemUser: string): Sql => sql`t.id in (
  select direct.asset_id from asset_permission_system_users link
    join asset_permission_assets direct on direct.asset_permission_id = link.asset_permission_id
  where link.system_user_id = ${systemUser}
  union all
  select below.asset_id from asset_permission_system_users link
    join asset_permission_nodes rule on rule.asset_permission_id = link.asset_permission_id
    join asset_ancestor below on below.node_id = rule.node_id
  where link.system_user_id = ${systemUser})`;

/** The latest session; an index lookup per row. */
const LAST_SESSION = sql`(
  select jsonb_build_object('id', s.id, 'seconds', extract(epoch from s.date_start), 'is_success',
    s.is_success, 'is_finished', s.is_finished, 'end_reason', s.end_reason)
  from session s where s.org_id = t.org_id and s.asset_id = t.id::text
  order by s.date_start desc, s.id desc limit 1)`;

/** State of an asset's host keys: `changed` (another key was offered), `pinned` or `none`. */
const HOST_KEY = sql`(
  select case when bool_or(k.offered_public_key is not null) then 'changed'
    when count(*) > 0 then 'pinned' else 'none' end from host_key k where k.asset_id = t.id)`;

/** Names of all platforms, read once per operation and locked until it ends. */
const PLATFORM_NAMES = kept(async ({ tx }) => {
  const { rows } = await sql<{ name: string }>`select name from platform for key share`.execute(tx);
  return new Set(rows.map((row) => row.name));
});

export interface AssetHookOptions {
  /** Licensed number of assets over all organizations; undefined without a limit. */
  assetLimit(): number | undefined;
  /** Called with new assets, in the transaction that creates them. */
  onCreated?(ids: readonly string[], operation: Pick<Operation, 'caller' | 'tx'>): Promise<void>;
}

/**
 * Rejects `wanted` new assets above the licensed number. Existing ones remain. `written` of the new
 * ones are in the table.
 * @throws AppError
 */
export async function assertLicensed(
  limit: number | undefined,
  { wanted, written }: { readonly wanted: number; readonly written: number },
  tx: Tx,
): Promise<void> {
  if (limit === undefined || wanted === 0) return;
  // Serializes concurrent creators, so that both cannot take the last place.
  await sql`select pg_advisory_xact_lock(hashtext('sallyport license assets'))`.execute(tx);
  const { rows } = await sql<{ count: number }>`select count(*) as count from asset`.execute(tx);
  const present = (rows[0]?.count ?? 0) - written;
  if (present + wanted > limit) throw new Forbidden('license_assets', { limit, wanted });
}

export const createAssetHooks = ({ assetLimit, onCreated }: AssetHookOptions) =>
  hooksFor(asset, {
    columns: {
      connectivity: () =>
        sql`json_build_array(t.connectivity_status,
          extract(epoch from coalesce(t.connectivity_date, t.date_created)),
          t.connectivity_reason)`,
      first_names: ({ actor: { organization } }) => sql`jsonb_build_object(
        'nodes', ${firstNames(
          sql`o.value`,
          sql`node_assets link join node o on o.id = link.node_id
          where link.asset_id = t.id and o.org_id = ${organization.id}`,
        )},
        'labels', ${firstNames(
          sql`o.name || ':' || o.value`,
          sql`label_assets link
          join label o on o.id = link.label_id where link.asset_id = t.id
          and o.org_id = ${organization.id}`,
        )})`,
      last_session: () => LAST_SESSION,
      host_key: () => HOST_KEY,
      hardware_info: () =>
        sql`case when t.cpu_count is null then ''
          else concat_ws(' ', coalesce(t.cpu_vcpus,
          t.cpu_count * coalesce(t.cpu_cores, 1)) || ' Core', t.memory, t.disk_total) end`,
    },
    // Triggers keep the tally in the transaction of each change.
    countAll: ({ actor: { organization } }) => sql`(select coalesce(sum(assets), 0)::bigint
      from asset_tally where org_id = ${organization.id} and day is null)`,
    present(rows, { caller: { zone, language } }) {
      for (const row of rows) {
        const [status, seconds, reason] = (row.connectivity ?? [2, 0, null]) as [
          number,
          number,
          LocalText | null,
        ];
        // Clients expect a date even before the first test: use the creation date.
        if ('connectivity' in row) {
          row.connectivity = {
            status,
            datetime: formatDatetime(new Date(seconds * 1_000), zone),
            ...(reason && { reason: say(reason, language) }),
          };
        }
        const last = row.last_session as { seconds: number } | null | undefined;
        if (!last) continue;
        const { seconds: began, ...session } = last;
        row.last_session = { ...session, date: formatDatetime(new Date(began * 1_000), zone) };
      }
    },
    filters: {
      node: nodeCondition,
      node_id: nodeCondition,
      label: labelCondition,
      connectivity: (value) =>
        /^[012]$/.test(value) ? sql`t.connectivity_status = ${Number(value)}` : sql`false`,
      ...useFilters('asset'),
      attention: attentionFilter(ASSET_ATTENTION),
      ips: (value) => sql`t.ip = any (${value.split(',').slice(0, 1_000)})`,
      platform__base: (value) =>
        sql`t.platform in (select p.name from platform p where p.base = ${value})`,
      system_user_id: (value) => (isUuid(value) ? reachedBy(value) : sql`false`),
      admin_user__id: (value) => (isUuid(value) ? sql`t.admin_user_id = ${value}` : sql`false`),
    },
    async beforeSave(values, previous, operation, body) {
      const protocols = protocolsOf(body);
      if (protocols) values.protocols = protocols;
      // The current platform exists: a foreign key guarantees it.
      if (values.platform === undefined || values.platform === previous?.platform) return;
      if (!(await operation.get(PLATFORM_NAMES)).has(values.platform))
        throw invalid('platform', 'unknown_object', { value: values.platform });
    },
    following: [
      {
        table: 'asset_user',
        column: 'asset_id',
        sealed: ['password', 'private_key', 'public_key'],
        title: { en: 'Accounts', zh: '账号' },
      },
      // Without its pinned keys the next connection would trust any key.
      { table: 'host_key', column: 'asset_id', title: { en: 'Host keys', zh: '主机密钥' } },
      { table: 'gathered_user', column: 'asset_id' },
      { table: 'favorite_asset', column: 'asset_id' },
      { table: 'permission_use', column: 'asset_id' },
    ],
    mayLose: ['admin_user', 'domain'],
    async afterSave(saved, { caller, tx, query }) {
      const created = saved.filter(({ previous }) => !previous);
      if (created.length === 0) return;
      const { length } = created;
      await assertLicensed(assetLimit(), { wanted: length, written: length }, tx);
      await onCreated?.(
        created.map(({ id }) => id),
        { caller, tx },
      );
      // A new asset without nodes goes to the node of the query, or to the root.
      const withoutNode = created.filter(({ values }) => !values.nodes?.length).map(({ id }) => id);
      if (withoutNode.length === 0) return;
      const nodeId = query.get('node_id');
      const { rows } = isUuid(nodeId)
        ? await sql<{
            id: string;
          }>`select id from node where id = ${nodeId}
            and org_id = ${caller.actor.organization.id}`.execute(tx)
        : { rows: [] };
      const node = rows[0] ?? (await rootOf(caller.actor.organization, tx));
      await sql`insert into node_assets (node_id, asset_id) select ${node.id}::uuid, asset_id
        from unnest(${withoutNode}::uuid[]) as asset_id`.execute(tx);
    },
  });

/** Returns true if values equal those of the stored row, as in an import of an unchanged export. */
const isSame = (values: Values, row: StoredRow): boolean =>
  Object.entries(values).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(row[name]),
  );

/** Internal platforms are read-only: they come with the product, and other parts rely on them. */
export const platformHooks = hooksFor(platform, {
  beforeSave(values, previous) {
    if (previous?.internal === true && !isSame(values, previous))
      throw new Forbidden('object_protected');
  },
  beforeDelete(row) {
    if (row.internal === true) throw new Forbidden('object_protected');
  },
});

export const labelHooks = hooksFor(label, {
  columns: { asset_count: () => assetsOfReference },
  // The first colon ends the name. A name that contains a colon would match another label, so its
  // id is written.
  inFiles: {
    name: sql`case when t.name like '%:%' then t.id::text else t.name || ':' || t.value end`,
  },
});
