import { actionMask } from '@sallyport/contract';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import type { FilledPeople } from '../people/fill-people.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import { type FilledAccounts, PLAYGROUND_ACCOUNT } from './fill-accounts.ts';
import type { SampleAsset } from './fill-assets.ts';
import { PLAYGROUND } from './places.ts';

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
  /** Days until the end; negative: in the past. */
  readonly end: number;
  readonly isActive?: boolean;
  readonly comment?: string;
}

const FOREVER = 25_000;

export const RULES: readonly SampleRule[] = [
  {
    name: '体验区：所有人可试用',
    users: ['demo'],
    groups: ['体验用户'],
    nodes: [PLAYGROUND],
    accounts: [PLAYGROUND_ACCOUNT],
    start: 3,
    end: FOREVER,
    comment: '连接后会话会被录像',
  },
  {
    name: '上海生产 · 平台运维',
    groups: ['平台运维'],
    nodes: ['华东 · 上海'],
    accounts: ['运维 ops', '应急 root'],
    start: 300,
    end: FOREVER,
  },
  {
    name: '北京生产 · 平台运维',
    groups: ['平台运维'],
    nodes: ['华北 · 北京/生产环境'],
    accounts: ['运维 ops'],
    start: 290,
    end: FOREVER,
  },
  {
    name: '电商发布',
    groups: ['业务研发'],
    nodes: ['华东 · 上海/生产环境/电商前台', '华东 · 上海/生产环境/订单中心'],
    accounts: ['发布 deploy', '只读 readonly'],
    start: 240,
    end: 120,
  },
  {
    name: '预发环境 · 研发自助',
    groups: ['业务研发'],
    nodes: ['华东 · 上海/预发环境', '开发与测试'],
    accounts: ['发布 deploy'],
    start: 200,
    end: FOREVER,
  },
  {
    name: '数据库维护',
    groups: ['数据库管理员'],
    nodes: ['华东 · 上海/生产环境/数据库', 'Europe · Frankfurt/Production/Databases'],
    accounts: ['DBA'],
    start: 310,
    end: FOREVER,
  },
  {
    name: 'Frankfurt on call',
    groups: ['Europe SRE'],
    nodes: ['Europe · Frankfurt'],
    accounts: ['运维 ops', 'Own name'],
    start: 280,
    end: FOREVER,
  },
  {
    name: 'Data platform',
    groups: ['Data Platform'],
    nodes: ['华北 · 北京/生产环境/大数据平台', 'US West · Oregon/Production/Streaming'],
    accounts: ['运维 ops', '只读 readonly'],
    start: 180,
    end: 365,
  },
  {
    name: 'Oregon clusters',
    groups: ['Data Platform', 'Europe SRE'],
    nodes: ['US West · Oregon/Production/Kubernetes'],
    accounts: ['运维 ops'],
    actions: ['connect'],
    start: 150,
    end: FOREVER,
  },
  {
    name: '外包巡检',
    groups: ['外包团队'],
    hosts: ['bj-hadoop-01', 'bj-hadoop-02', 'bj-search-01'],
    accounts: ['只读 readonly'],
    actions: ['connect'],
    start: 70,
    end: 45,
    comment: '合同编号 2026-117',
  },
  {
    name: '外包巡检（上期）',
    groups: ['外包团队'],
    nodes: ['华北 · 北京/生产环境'],
    accounts: ['只读 readonly'],
    actions: ['connect'],
    start: 180,
    end: -14,
    comment: '已到期',
  },
  {
    name: 'Black Friday freeze support',
    users: ['jweber', 'anovak'],
    nodes: ['华东 · 上海/生产环境/支付网关'],
    accounts: ['运维 ops'],
    actions: ['connect'],
    start: -5,
    end: 12,
    comment: 'Starts with the freeze',
  },
  {
    name: '支付网关 · 双人复核',
    users: ['sunlili', 'wanghaoran'],
    nodes: ['华东 · 上海/生产环境/支付网关'],
    accounts: ['运维 ops'],
    actions: ['connect'],
    start: 90,
    end: 3,
    comment: '即将到期，请续期',
  },
  {
    name: 'Windows 远程桌面',
    groups: ['平台运维'],
    nodes: ['华北 · 北京/办公网络', 'US West · Oregon/Windows'],
    accounts: ['Windows administrator'],
    start: 160,
    end: FOREVER,
  },
  {
    name: 'Migration 2025 (done)',
    users: ['lbianchi', 'dokafor'],
    nodes: ['Europe · Frankfurt/Production/Databases'],
    accounts: ['DBA'],
    start: 330,
    end: -200,
    isActive: false,
  },
  {
    name: '临时：日志导出',
    users: ['zhouyaqin'],
    hosts: ['sh-web-01'],
    accounts: ['只读 readonly'],
    actions: ['connect', 'download_file'],
    start: 20,
    end: 10,
    isActive: false,
    comment: '已禁用',
  },
];

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
      date_expired: daysBefore(now, -end),
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
