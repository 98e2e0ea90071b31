import { type PushedAccount, pushAccount } from '../../gateway/remote/push.ts';
import type { RemoteHost, RemoteTask } from '../../gateway/remote/run-on-hosts.ts';
import { RemoteRefusal, textOf } from '../../gateway/remote/words.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { isLocked, publicKeyLine } from '../../platform/ssh-keys.ts';
import { openBest } from './credentials.ts';
import type { HostOptions } from './remote-hosts.ts';
import type { PushReport } from './remote-work.ts';

interface SystemUserRow {
  readonly id: string;
  readonly shell: string;
  readonly home: string;
  readonly sudo: string;
  readonly password: string | null;
  readonly private_key: string | null;
  readonly login_mode: string;
}

/**
 * The task of pushing a system user: creates or updates its accounts on a host, each with the
 * secret valid for that asset.
 */
export function pushTask(
  systemUserId: string,
  usernamesOf: (assetId: string) => Promise<readonly string[]>,
  options: HostOptions,
): Pick<RemoteTask<readonly PushReport[]>, 'name' | 'prepare'> {
  return {
    name: 'push',
    async prepare(host: RemoteHost) {
      const names = await usernamesOf(host.id);
      return async (session) => {
        const reports: PushReport[] = [];
        for (const name of names) {
          const { problem, ...report } = await pushAccount(
            session,
            await accountOn(host.id, name, systemUserId, options),
          );
          reports.push({
            username: report.name,
            changed: report.changed,
            ...(problem && { reason: textOf(problem) }),
            ...(report.detail && { detail: report.detail }),
          });
        }
        return { changed: [], result: reports };
      };
    },
  };
}

/**
 * The desired state of an account on an asset. Opens its secrets only now, to keep them in memory
 * briefly.
 */
async function accountOn(
  assetId: string,
  name: string,
  systemUserId: string,
  { db, vault, accounts, certificates }: HostOptions,
): Promise<PushedAccount> {
  const row = await systemUserOf(systemUserId, db);
  const { shell, home, sudo } = row;
  if (row.login_mode === 'certificate') {
    const authorities = await certificates.trust(row.id, name);
    if (!authorities) throw new RemoteRefusal('remote_outside_authority');
    if (authorities.lines.length === 0) throw new RemoteRefusal('remote_no_authority');
    return { name, shell, home, sudo, authorities };
  }
  const own = {
    table: 'system_account',
    id: row.id,
    password: row.password,
    private_key: row.private_key,
  } as const;
  const best = await accounts.best(assetId, name, { kind: 'system_user', id: row.id });
  const login = openBest(vault, own, best ?? { ...own, username: name });
  if (login.privateKey === undefined) return { name, shell, home, sudo, password: login.password };
  const publicKey = publicKeyLine(login.privateKey, login.passphrase, name);
  // The password of a locked key is its passphrase; never set it as an account's password.
  return {
    name,
    shell,
    home,
    sudo,
    publicKey,
    password: isLocked(login.privateKey) ? undefined : login.password,
  };
}

async function systemUserOf(id: string, db: Db): Promise<SystemUserRow> {
  const { rows } = await sql<SystemUserRow>`
      select id, shell, home, sudo, password, private_key, login_mode from system_account
      where id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the system user was deleted');
  return row;
}
