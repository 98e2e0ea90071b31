import type { LocalText } from '../kit/text.ts';

/** Remedy of a reason: a choice or a check at each of its assets. */
export type MendingAct = 'admin_user' | 'system_user' | 'credentials' | 'host_key' | 'address';

/**
 * GET common/jobs/{job}/reasons/ (bare array): failed and skipped hosts of a run, grouped by
 * reason, most hosts first.
 */
export interface FailureReason {
  readonly state: 'failed' | 'skipped';
  /** In the caller's language, without the names and addresses that differ between the hosts. */
  readonly reason: string;
  readonly count: number;
  /** At most {@link MOST_REASON_HOSTS}, by name. */
  readonly hosts: readonly { readonly asset: string | null; readonly name: string }[];
  readonly mend: MendingAct | null;
}

export const MOST_REASONS = 20;
/** Maximum number of named hosts per reason. */
export const MOST_REASON_HOSTS = 20;

/** Reason for skipping an asset without a usable admin user. */
export const NO_ADMIN_USER: LocalText = {
  en: 'no usable admin user: a username and a password or key are required.',
  zh: '没有可用的管理用户：需要用户名以及密码或密钥。',
};
/** Reason for skipping work with a system user that cannot sign in. */
export const NO_SYSTEM_USER_SECRET: LocalText = {
  en: 'the system user has no username, or no password and no key.',
  zh: '系统用户没有用户名，或没有密码和密钥。',
};
