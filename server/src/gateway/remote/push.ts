import { Invalid } from '../../platform/errors.ts';
import type { RemoteModule } from './module.ts';
import { authorizedKey } from './modules/authorized-key.ts';
import { group } from './modules/group.ts';
import { password } from './modules/password.ts';
import { sudoRule } from './modules/sudo-rule.ts';
import { user } from './modules/user.ts';
import { inputProblem, ReportedRefusal } from './report.ts';
import type { HostSession } from './run-on-hosts.ts';
import { REMOTE_DESKTOP_USERS, USERS } from './windows/accounts.ts';
import { type RemoteProblem, RemoteRefusal } from './words.ts';

/** An account that has to be on a host, with everything that it has there. */
export interface PushedAccount {
  readonly name: string;
  readonly shell: string;
  /** Of a new account; '' leaves it to the host. */
  readonly home: string;
  /** Commands as sudoers writes them, one or more in each line; empty removes the rule. */
  readonly sudo: string;
  readonly password?: string | undefined;
  /** One line of OpenSSH. */
  readonly publicKey?: string | undefined;
}

/** What became of one account. */
export interface PushedReport {
  readonly name: string;
  /** `user`, `shell`, `home`, `group`, `password`, `key`, `sudo`. */
  readonly changed: readonly string[];
  /** Why it ended before all of it was done. */
  readonly problem?: RemoteProblem;
  readonly detail?: string;
}

/** What is wrong with a connection ends the work on the host; what is wrong with an account does not. */
const OF_THE_HOST: ReadonlySet<string> = new Set([
  'remote_canceled',
  'remote_timeout',
  'remote_interrupted',
  'remote_account',
  'remote_become',
  'remote_become_secret',
  'remote_become_asks',
]);

/**
 * Makes an account with its group and its home folder, and gives it its password, its key and its sudo rule (on Windows: its place among the users and those of the remote desktop): step by step, over one connection. Each step changes nothing
 * where it is done already, so that a push that was interrupted is finished by the next one. @throws what ends the work on the host
 */
export async function pushAccount(
  session: HostSession,
  account: PushedAccount,
): Promise<PushedReport> {
  const { name, shell, home, sudo } = account;
  const changed: string[] = [];
  const step = async <Input>(module: RemoteModule<Input, undefined>, input: Input) => {
    changed.push(...(await session.run(module, input)).changed);
  };
  const isWindows = session.platform === 'Windows';
  try {
    // Windows has no shell and no sudo rule of an account, and an account and a group there cannot have the same name.
    if (isWindows) await step(user, { name, comment: name, groups: [USERS, REMOTE_DESKTOP_USERS] });
    else await step(user, { name, shell, ...(home && { home }) });
    const isNew = changed.includes('user');
    if (!isNew && !isWindows) await step(group, { name });
    if (isNew && session.isCheck) {
      // A dry run has made no account whose password and key could be looked at.
      if (account.password !== undefined) changed.push('password');
      if (account.publicKey !== undefined) changed.push('key');
    } else {
      if (account.password !== undefined)
        await step(password, { name, password: account.password });
      if (account.publicKey !== undefined)
        await step(authorizedKey, { name, key: account.publicKey, mode: 'add' });
    }
    if (!isWindows) await step(sudoRule, { name, commands: sudo });
    return { name, changed };
  } catch (error) {
    if (error instanceof Invalid) return { name, changed, problem: inputProblem(error) };
    if (!(error instanceof RemoteRefusal) || OF_THE_HOST.has(error.problem.code)) throw error;
    return {
      name,
      changed,
      problem: error.problem,
      ...(error instanceof ReportedRefusal && error.detail !== '' && { detail: error.detail }),
    };
  }
}
