import { randomPassword } from '../../server/src/platform/crypto/password.ts';
import type { Vault } from '../../server/src/platform/crypto/vault.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import data from './accounts.json' with { type: 'json' };
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
/**
 * Account of the sandboxed SSH server that emergency access adds: its sessions end with the access.
 */
export const EMERGENCY_ACCOUNT = '运维 ops';
export const EMERGENCY_USERNAME = 'ops';

const SYSTEM_USERS = data.systemUsers as readonly SampleAccount[];
const ADMIN_USERS = data.adminUsers;

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
