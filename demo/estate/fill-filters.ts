import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import type { FilledAccounts } from './fill-accounts.ts';
import { PLAYGROUND_ACCOUNT } from './fill-accounts.ts';

interface SampleRule {
  readonly type: 'command' | 'regex';
  readonly content: string;
  readonly priority: number;
  readonly action: 0 | 1;
  readonly comment: string;
}

interface SampleFilter {
  readonly name: string;
  readonly accounts: readonly string[];
  readonly comment: string;
  readonly rules: readonly SampleRule[];
}

const FILTERS: readonly SampleFilter[] = [
  {
    name: '高危命令',
    accounts: [PLAYGROUND_ACCOUNT, '运维 ops', '发布 deploy'],
    comment: '关机、格式化和递归删除',
    rules: [
      {
        type: 'command',
        content: 'shutdown\nreboot\nhalt\npoweroff',
        priority: 90,
        action: 0,
        comment: '关机与重启',
      },
      {
        type: 'regex',
        content: '\\brm\\s+-\\w*r\\w*\\s+/(?:\\s|$)',
        priority: 80,
        action: 0,
        comment: '删除根目录',
      },
      {
        type: 'regex',
        content: '\\b(?:mkfs|wipefs|fdisk)\\b',
        priority: 80,
        action: 0,
        comment: '格式化磁盘',
      },
    ],
  },
  {
    name: 'Databases: no DROP',
    accounts: ['DBA'],
    comment: 'Structures are changed by migrations',
    rules: [
      {
        type: 'regex',
        content: '(?i)\\b(?:drop|truncate)\\s+(?:table|database)\\b',
        priority: 50,
        action: 0,
        comment: '',
      },
    ],
  },
];

/** Inserts command filters with rules for system users, including that of the sandboxed target. */
export async function fillFilters(
  tx: Tx,
  random: Random,
  now: Date,
  { systemUsers }: FilledAccounts,
): Promise<void> {
  const history = {
    created_by: '林晓峰',
    date_created: daysBefore(now, 120),
    date_updated: daysBefore(now, 40),
  };
  for (const { name, accounts, comment, rules } of FILTERS) {
    const id = random.uuid();
    await insertRows(tx, 'command_filter', [
      { id, org_id: '', name, is_active: true, comment, ...history },
    ]);
    await insertRows(
      tx,
      'command_filter_rule',
      rules.map((rule) => ({
        id: random.uuid(),
        org_id: '',
        filter_id: id,
        is_active: true,
        ...rule,
        ...history,
      })),
    );
    await insertRows(
      tx,
      'command_filter_system_users',
      accounts.map((account) => ({
        command_filter_id: id,
        system_user_id: systemUsers.get(account)?.id,
      })),
    );
  }
}
