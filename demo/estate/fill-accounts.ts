import { randomPassword } from '../../server/src/platform/crypto/password.ts';
import type { Vault } from '../../server/src/platform/crypto/vault.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import { DOMAINS } from './places.ts';

interface SampleAccount {
  readonly name: string;
  readonly username: string;
  readonly protocol: 'ssh' | 'rdp' | 'mysql';
  readonly mode: 'auto' | 'manual';
  readonly priority: number;
  readonly comment: string;
  readonly sameWithUser?: boolean;
}

/** Account of the sandboxed SSH server. */
export const PLAYGROUND_ACCOUNT = '体验账号 guest';
/** Username at the demo target, shared with its server. */
export const PLAYGROUND_USERNAME = 'guest';

const SYSTEM_USERS: readonly SampleAccount[] = [
  {
    name: PLAYGROUND_ACCOUNT,
    username: PLAYGROUND_USERNAME,
    protocol: 'ssh',
    mode: 'auto',
    priority: 50,
    comment: '体验区主机，密码随机生成并加密保存',
  },
  {
    name: '运维 ops',
    username: 'ops',
    protocol: 'ssh',
    mode: 'auto',
    priority: 40,
    comment: '日常运维，sudo 受限',
  },
  {
    name: '发布 deploy',
    username: 'deploy',
    protocol: 'ssh',
    mode: 'auto',
    priority: 30,
    comment: '发布流水线',
  },
  {
    name: '只读 readonly',
    username: 'readonly',
    protocol: 'ssh',
    mode: 'auto',
    priority: 20,
    comment: '查看日志',
  },
  {
    name: 'DBA',
    username: 'dba',
    protocol: 'ssh',
    mode: 'auto',
    priority: 35,
    comment: '数据库主机',
  },
  {
    name: '应急 root',
    username: 'root',
    protocol: 'ssh',
    mode: 'manual',
    priority: 5,
    comment: '仅限应急，手动输入密码',
  },
  {
    name: 'Own name',
    username: '',
    protocol: 'ssh',
    mode: 'manual',
    priority: 15,
    comment: 'Signs in with the name of the person',
    sameWithUser: true,
  },
  {
    name: 'Windows administrator',
    username: 'Administrator',
    protocol: 'rdp',
    mode: 'manual',
    priority: 20,
    comment: '',
  },
  {
    name: 'MySQL 只读',
    username: 'reader',
    protocol: 'mysql',
    mode: 'auto',
    priority: 20,
    comment: '报表查询',
  },
];

const ADMIN_USERS = [
  { name: 'Linux 管理', username: 'sallyport', comment: '资产信息采集与账号推送' },
  { name: 'Windows 管理', username: 'svc-sallyport', comment: '域服务账号' },
  { name: 'BSD admin', username: 'toor', comment: '' },
] as const;

/** Ids of accounts and domains by name. */
export interface FilledAccounts {
  readonly systemUsers: ReadonlyMap<string, { readonly id: string; readonly username: string }>;
  readonly adminUsers: ReadonlyMap<string, string>;
  readonly domains: ReadonlyMap<string, string>;
}

/** Inserts system users, admin users, and domains with gateways; secrets are random and sealed. */
export async function fillAccounts(
  tx: Tx,
  random: Random,
  vault: Vault,
  now: Date,
): Promise<FilledAccounts> {
  const seal = (table: string, id: string) =>
    vault.seal(randomPassword(), `${table}.password.${id}`);
  const history = (days: number) => ({
    created_by: '林晓峰',
    date_created: daysBefore(now, days),
    date_updated: daysBefore(now, random.between(2, days)),
  });

  const systemUsers = new Map(
    SYSTEM_USERS.map((account) => [
      account.name,
      { id: random.uuid(), username: account.username },
    ]),
  );
  await insertRows(
    tx,
    'system_account',
    SYSTEM_USERS.map(
      ({ name, username, protocol, mode, priority, comment, sameWithUser }, index) => {
        const id = systemUsers.get(name)?.id ?? '';
        return {
          id,
          name,
          username,
          protocol,
          password: mode === 'auto' ? seal('system_account', id) : null,
          login_mode: mode,
          priority,
          username_same_with_user: sameWithUser ?? false,
          // The sample servers do not exist.
          auto_push: false,
          comment,
          ...history(340 - index * 30),
        };
      },
    ),
  );

  const adminUsers = new Map<string, string>(ADMIN_USERS.map(({ name }) => [name, random.uuid()]));
  await insertRows(
    tx,
    'admin_user',
    ADMIN_USERS.map((account, index) => {
      const id = adminUsers.get(account.name) ?? '';
      return { id, ...account, password: seal('admin_user', id), ...history(350 - index * 20) };
    }),
  );

  const domains = new Map(DOMAINS.map(({ name }) => [name, random.uuid()]));
  await insertRows(
    tx,
    'domain',
    DOMAINS.map(({ name, comment }, index) => ({
      id: domains.get(name),
      name,
      comment,
      date_created: daysBefore(now, 330 - index * 25),
    })),
  );
  await insertRows(
    tx,
    'gateway',
    DOMAINS.flatMap((domain) =>
      domain.gateways.map(({ name, ip, username, isActive }) => {
        const id = random.uuid();
        return {
          id,
          name,
          ip,
          port: 22,
          username,
          password: seal('gateway', id),
          domain_id: domains.get(domain.name),
          is_active: isActive,
          comment: isActive ? null : '硬盘故障，待更换',
          ...history(300),
        };
      }),
    ),
  );
  return { systemUsers, adminUsers, domains };
}
