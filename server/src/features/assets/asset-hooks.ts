import { isUuid } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Context } from '../../http/context.ts';
import { invalid, Refusal } from '../../http/problem.ts';
import type { ResourceHooks, Sql } from '../../http/resource/hooks.ts';
import { allOf } from '../../http/resource/scope.ts';
import type { Tx } from '../../platform/db/database.ts';
import { rootOf } from './tree.ts';

/** The node a list is narrowed to, by uuid or by key. */
function nodeCondition(value: string, context: Context): Sql {
  const node = isUuid(value) ? sql`n.id = ${value}` : sql`n.key = ${value}`;
  const scope = sql`n.org_id = ${context.actor.organization.id}`;
  // `show_current_asset`, when present, decides; otherwise `all=1` adds what hangs below.
  const current = context.query.get('show_current_asset');
  const withDescendants = current !== null ? current !== '1' : ['1', 'true', 'all'].includes(context.query.get('all') ?? '');
  return withDescendants
    ? sql`t.id in (select below.asset_id from asset_ancestor below join node n on n.id = below.node_id where ${node} and ${scope})`
    : sql`t.id in (select held.asset_id from node_assets held join node n on n.id = held.node_id where ${node} and ${scope})`;
}

/** `name:value`, also written `name#value`. */
function labelCondition(value: string, { actor, query }: Context): Sql {
  const conditions = query.getAll('label').map((pair) => {
    const [, name = '', wanted = ''] = /^([^:#]*)[:#](.*)$/.exec(pair) ?? [];
    return sql`exists (select 1 from label_assets la join label l on l.id = la.label_id
      where la.asset_id = t.id and l.org_id = ${actor.organization.id} and l.is_active and l.name = ${name} and l.value = ${wanted})`;
  });
  return value ? allOf(conditions) : sql`true`;
}

/** The assets on which rules give people an account, directly or through nodes. */
const reachedBy = (systemUser: string): Sql => sql`t.id in (
  select direct.asset_id from asset_permission_system_users link
    join asset_permission_assets direct on direct.asset_permission_id = link.asset_permission_id where link.system_user_id = ${systemUser}
  union all
  select below.asset_id from asset_permission_system_users link
    join asset_permission_nodes rule on rule.asset_permission_id = link.asset_permission_id
    join asset_ancestor below on below.node_id = rule.node_id where link.system_user_id = ${systemUser})`;

const platforms = new WeakMap<Tx, Promise<Set<string>>>();

/** The platforms, read once for each transaction and kept there until it ends. */
function platformNames(tx: Tx): Promise<Set<string>> {
  const known =
    platforms.get(tx) ?? sql<{ name: string }>`select name from platform for key share`.execute(tx).then(({ rows }) => new Set(rows.map((row) => row.name)));
  platforms.set(tx, known);
  return known;
}

export interface AssetHookOptions {
  /** How many assets the license covers, over all organizations; undefined without a limit. */
  assetLimit(): number | undefined;
}

/** Refuses new assets that the license does not cover. What is there stays, however many they are. @throws Refusal */
async function assertCovered(limit: number, tx: Tx): Promise<void> {
  // One after the other: two that create at once must not both take the last place.
  await sql`select pg_advisory_xact_lock(hashtext('sallyport license assets'))`.execute(tx);
  const { rows } = await sql<{ count: number }>`select count(*) as count from asset`.execute(tx);
  if ((rows[0]?.count ?? 0) > limit) throw new Refusal(403, 'license_assets', { limit });
}

/** What is particular to assets (assets reference §2). */
export const createAssetHooks = ({ assetLimit }: AssetHookOptions): ResourceHooks => ({
  columns: {
    hardware_info: () =>
      sql`case when t.cpu_count is null then '' else concat_ws(' ', coalesce(t.cpu_vcpus, t.cpu_count * coalesce(t.cpu_cores, 1)) || ' Core', t.memory, t.disk_total) end`,
  },
  filters: {
    node: nodeCondition,
    node_id: nodeCondition,
    label: labelCondition,
    ips: (value) => sql`t.ip = any (${value.split(',').slice(0, 1_000)})`,
    platform__base: (value) => sql`t.platform in (select p.name from platform p where p.base = ${value})`,
    system_user_id: (value) => (isUuid(value) ? reachedBy(value) : sql`false`),
    admin_user__id: (value) => (isUuid(value) ? sql`t.admin_user_id = ${value}` : sql`false`),
  },
  async beforeSave(values, _previous, _context, tx) {
    if (typeof values.platform !== 'string') return;
    if (!(await platformNames(tx)).has(values.platform)) throw invalid('platform', 'unknown_object', { value: values.platform });
  },
  async afterSave(saved, context, tx) {
    const limit = assetLimit();
    if (limit !== undefined && saved.some(({ previous }) => !previous)) await assertCovered(limit, tx);
    // An asset always hangs somewhere: at the node the form was opened from, or at the root.
    const homeless = saved.filter(({ values, previous }) => !previous && !(values.nodes as string[] | undefined)?.length).map(({ id }) => id);
    if (homeless.length === 0) return;
    const wanted = context.query.get('node_id');
    const { rows } = isUuid(wanted)
      ? await sql<{ id: string }>`select id from node where id = ${wanted} and org_id = ${context.actor.organization.id}`.execute(tx)
      : { rows: [] };
    const node = rows[0] ?? (await rootOf(context.actor.organization, tx));
    await sql`insert into node_assets (node_id, asset_id) select ${node.id}::uuid, asset_id from unnest(${homeless}::uuid[]) as asset_id`.execute(tx);
  },
});
