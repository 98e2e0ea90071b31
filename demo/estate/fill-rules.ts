import { actionMask } from '@sallyport/contract';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import type { FilledPeople } from '../people/fill-people.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import type { FilledAccounts } from './fill-accounts.ts';
import type { SampleAsset } from './fill-assets.ts';
import data from './rules.json' with { type: 'json' };

interface SampleRule {
  readonly name: string;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly nodes?: readonly string[];
  readonly hosts?: readonly string[];
  readonly accounts: readonly string[];
  readonly actions?: readonly string[];
  /** Days since the start; negative: in the future. */
  readonly start: number;
  /** Days until the end; negative: in the past; absent: never. */
  readonly end?: number;
  readonly isActive?: boolean;
  readonly comment?: string;
}

const FOREVER = 25_000;

const RULES = data as readonly SampleRule[];

/** Ids of the objects that rules refer to, by name. */
export interface RuleTargets {
  readonly people: FilledPeople;
  readonly nodes: ReadonlyMap<string, string>;
  readonly assets: readonly SampleAsset[];
  readonly accounts: FilledAccounts;
}

/**
 * Inserts the sample permissions: most active, some expired, future or disabled. Returns their ids
 * by name.
 */
export async function fillRules(
  tx: Tx,
  random: Random,
  now: Date,
  { people, nodes, assets, accounts }: RuleTargets,
): Promise<ReadonlyMap<string, string>> {
  const hosts = new Map(assets.map(({ hostname, id }) => [hostname, id]));
  const rules = RULES.map((rule) => ({ ...rule, id: random.uuid() }));
  await insertRows(
    tx,
    'asset_permission',
    rules.map(({ id, name, actions, start, end, isActive, comment }) => ({
      id,
      name,
      is_active: isActive ?? true,
      actions: actionMask(actions ?? ['all']),
      date_start: daysBefore(now, start),
      date_expired: daysBefore(now, -(end ?? FOREVER)),
      comment: comment ?? '',
      created_by: '林晓峰',
      date_created: daysBefore(now, Math.max(start, 1)),
    })),
  );
  const link = async (
    what: string,
    column: string,
    names: (rule: SampleRule) => readonly string[] | undefined,
    idOf: (name: string) => string | undefined,
  ) => {
    // System users belong to a rule from its start; other members have a date.
    const added = ({ start }: SampleRule) =>
      what === 'system_users' ? {} : { date_added: daysBefore(now, start) };
    const rows = rules.flatMap((rule) =>
      (names(rule) ?? []).map((name) => ({
        asset_permission_id: rule.id,
        [column]: known(idOf(name), name),
        ...added(rule),
      })),
    );
    await insertRows(tx, `asset_permission_${what}`, rows);
  };
  await link(
    'users',
    'user_id',
    (rule) => rule.users,
    (name) => people.accounts.get(name)?.id,
  );
  await link(
    'user_groups',
    'user_group_id',
    (rule) => rule.groups,
    (name) => people.groups.get(name),
  );
  await link(
    'nodes',
    'node_id',
    (rule) => rule.nodes,
    (name) => nodes.get(name),
  );
  await link(
    'assets',
    'asset_id',
    (rule) => rule.hosts,
    (name) => hosts.get(name),
  );
  await link(
    'system_users',
    'system_user_id',
    (rule) => rule.accounts,
    (name) => accounts.systemUsers.get(name)?.id,
  );
  return new Map(rules.map(({ name, id }) => [name, id]));
}

function known(id: string | undefined, name: string): string {
  if (!id) throw new Error(`the sample rules name ${name}, which is not there`);
  return id;
}
