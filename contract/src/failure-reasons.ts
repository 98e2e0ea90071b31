import type { LocalText } from './kit/text.ts';

/** What mends a reason: a choice or a check at each of its assets. */
export type MendingAct = 'admin_user' | 'system_user' | 'credentials' | 'host_key' | 'address';

/** GET common/jobs/{job}/reasons/ (bare array): hosts of a run that failed or were skipped, by reason, the most hosts first. */
export interface FailureReason {
  readonly state: 'failed' | 'skipped';
  /** In the caller's language; names and addresses that differ between its hosts are left out. */
  readonly reason: string;
  readonly count: number;
  /** At most {@link MOST_REASON_HOSTS}, by name. */
  readonly hosts: readonly { readonly asset: string | null; readonly name: string }[];
  readonly mend: MendingAct | null;
}

/** Reasons of one answer. */
export const MOST_REASONS = 20;
/** Hosts that one reason names. */
export const MOST_REASON_HOSTS = 20;

/** Why work over assets skips one that no admin user can be used on. */
export const NO_ADMIN_USER: LocalText = {
  en: 'it has no admin user with a username and a password or a key.',
  zh: '没有带用户名以及密码或密钥的管理用户。',
};
/** Why work over assets is skipped for a system user that cannot sign in. */
export const NO_SYSTEM_USER_SECRET: LocalText = {
  en: 'the system user has no username, or no password and no key.',
  zh: '系统用户没有用户名，或没有密码和密钥。',
};
