/** Kinds of items on the start page that need attention, most urgent first. */
export const ATTENTION_KINDS = [
  'audit_logs_broken',
  'first_password',
  'protection_off',
  'waiting_sessions',
  'waiting_change_sets',
  'lost_changes',
  'changed_host_keys',
  'unsettled_changes',
  'database_stopped',
  'recordings_stopped',
  'recordings_disk',
  'schedules_stopped',
  'clocks_apart',
  'standby_behind',
  'failed_canaries',
  'failing_storages',
  'recordings_on_disks',
  'unrestored_recordings',
  'unrecorded_sessions',
  'users_without_reviewers',
  'permissions_without_reviewers',
  'remote_app_permissions_without_reviewers',
  'database_app_permissions_without_reviewers',
  'directory_held',
  'directory_unread',
  'users_shut',
  'locked_users',
  'unseen_alerts',
  'failed_sign_ins',
  'sites_away',
  'unreachable_assets',
  'failed_pushes',
  'duty_holders_elsewhere',
  'users_of_one_name',
  'administrators_without_mfa',
  'preset_drift',
  'audit_logs_unverified',
  'asynchronous_standby',
  'standby_unseen',
  'witness_missing',
  'backup_failed',
  'backup_old',
  'backup_drill_failed',
  'backup_drill_late',
  'users_expiring',
  'permissions_ending',
  'remote_app_permissions_ending',
  'database_app_permissions_ending',
  'unused_permissions',
  'failed_jobs',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** An example object of an item. */
export interface AttentionExample {
  /** Null if the object has no page. */
  readonly id: string | null;
  readonly name: string;
  /** A related number: failures of a sign-in name, free bytes of a disk. */
  readonly amount: number | null;
  /** Time of the event, past or future. */
  readonly date: string | null;
}

/**
 * An item of GET common/attention/ (bare array): the count, at most {@link MOST_COUNTED}, and the
 * first objects.
 */
export interface AttentionItem {
  readonly kind: AttentionKind;
  readonly count: number;
  readonly examples: readonly AttentionExample[];
}

/** Above this count, an item shows "and more". */
export const MOST_COUNTED = 1000;

/** Failed sign-ins of one name in a day that the start page reports. */
export const FAILURES_WORTH_A_LOOK = 3;
