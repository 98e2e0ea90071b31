import { Invalid } from '../../platform/errors.ts';
import type { RemoteModule } from './module.ts';
import { type AuthoritiesInput, authorities } from './modules/authorities.ts';
import { authorizedKey } from './modules/authorized-key.ts';
import { group } from './modules/group.ts';
import { password } from './modules/password.ts';
import { sudoRule } from './modules/sudo-rule.ts';
import { user } from './modules/user.ts';
import { inputProblem, ReportedRefusal } from './report.ts';
import type { HostSession } from './run-on-hosts.ts';
import { REMOTE_DESKTOP_USERS, USERS } from './windows/accounts.ts';
import { type RemoteProblem, RemoteRefusal } from './words.ts';

/** The desired state of an account on a host. */
export interface PushedAccount {
  readonly name: string;
  readonly shell: string;
  /** For a new account; '' leaves it to the host. */
  readonly home: string;
  /** Commands in sudoers syntax, one or more per line; empty removes the rule. */
  readonly sudo: string;
  readonly password?: string | undefined;
  /** One line of OpenSSH. */
  readonly publicKey?: string | undefined;
  /** Authorities whose certificates sign in, instead of secrets. */
  readonly authorities?: Omit<AuthoritiesInput, 'name'> | undefined;
}

export interface PushedReport {
  readonly name: string;
  /** `user`, `shell`, `home`, `group`, `password`, `key`, `authority`, `sudo`. */
  readonly changed: readonly string[];
  /** The reason for an early end. */
  readonly problem?: RemoteProblem;
  readonly detail?: string;
}

/** Errors of the connection end the work on the host; errors of one account do not. */
const HOST_ERRORS: ReadonlySet<string> = new Set([
  'remote_canceled',
  'remote_timeout',
  'remote_interrupted',
  'remote_account',
  'remote_become',
  'remote_become_secret',
  'remote_become_asks',
]);

/**
 * Creates or updates an account with group, home folder, password, key, authorities and sudo rule,
 * over one connection. On Windows it joins the groups Users and Remote Desktop Users instead. Each
 * step is idempotent, so the next push completes an interrupted one.
 * @throws errors that end the work on the host
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
  if (isWindows && account.authorities)
    return { name, changed, problem: { code: 'remote_windows_certificates' } };
  try {
    // Windows has no shell and no sudo rule per account, and does not allow an account and a group
    // of the same name.
    if (isWindows) await step(user, { name, comment: name, groups: [USERS, REMOTE_DESKTOP_USERS] });
    else await step(user, { name, shell, ...(home && { home }) });
    const isNew = changed.includes('user');
    if (!isNew && !isWindows) await step(group, { name });
    if (isNew && session.isCheck) {
      // In a dry run the account does not exist yet, so the steps could not compare its secrets.
      if (account.password !== undefined) changed.push('password');
      if (account.publicKey !== undefined) changed.push('key');
      if (account.authorities !== undefined) changed.push('authority');
    } else {
      if (account.password !== undefined)
        await step(password, { name, password: account.password });
      if (account.publicKey !== undefined)
        await step(authorizedKey, { name, key: account.publicKey, mode: 'add' });
      if (account.authorities !== undefined)
        await step(authorities, { name, ...account.authorities });
    }
    if (!isWindows) await step(sudoRule, { name, commands: sudo });
    return { name, changed };
  } catch (error) {
    if (error instanceof Invalid) return { name, changed, problem: inputProblem(error) };
    if (!(error instanceof RemoteRefusal) || HOST_ERRORS.has(error.problem.code)) throw error;
    return {
      name,
      changed,
      problem: error.problem,
      ...(error instanceof ReportedRefusal && error.detail !== '' && { detail: error.detail }),
    };
  }
}
