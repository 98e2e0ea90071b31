/** What may need somebody's attention, the most urgent first. */
export const ATTENTION_KINDS = [
  'audit_logs_broken',
  'first_password',
  'changed_host_keys',
  'unsettled_changes',
  'recordings_disk',
  'failed_canaries',
  'failing_storages',
  'unrecorded_sessions',
  'users_without_reviewers',
  'locked_users',
  'failed_sign_ins',
  'unreachable_assets',
  'failed_pushes',
  'administrators_without_mfa',
  'audit_logs_unverified',
  'backup_old',
  'users_expiring',
  'permissions_ending',
  'remote_app_permissions_ending',
  'database_app_permissions_ending',
  'unused_permissions',
  'failed_jobs',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** One of the objects behind an item. */
export interface AttentionExample {
  /** Null: no object has a page for it. */
  readonly id: string | null;
  readonly name: string;
  /** A number that belongs to it: failures of a sign-in name, free bytes of a disk. */
  readonly amount: number | null;
  /** When it happened, or will. */
  readonly date: string | null;
}

/** An item of GET common/attention/ (bare array): how many there are, at most {@link MOST_COUNTED}, and the first of them. */
export interface AttentionItem {
  readonly kind: AttentionKind;
  readonly count: number;
  readonly examples: readonly AttentionExample[];
}

/** Beyond it an item says "and more". */
export const MOST_COUNTED = 1000;

/** Failures of one name within a day that are worth a look. */
export const FAILURES_WORTH_A_LOOK = 3;
