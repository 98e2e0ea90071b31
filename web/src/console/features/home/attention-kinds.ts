import { type AttentionKind, CHANGE_SET, type LocalText } from '@sallyport/contract';
import { pagesOf } from '../../base/resources.ts';
import { optionalWords } from '../optional/index.ts';
import { assetWords } from './asset-words.ts';
import { words as database } from './database/words.ts';
import { words as recordings } from './recordings/words.ts';
import { words } from './words.ts';

/** Text of a kind, and the page or resource list that shows all its objects. */
export interface Kind {
  readonly text: LocalText;
  readonly urgent?: boolean;
  readonly resource?: string;
  readonly list?: string;
  /** The page of one object, if its path is not below that of the list. */
  readonly page?: string;
  readonly search?: Readonly<Record<string, string>>;
  /** The filter of the list that takes the name of an example without a page. */
  readonly nameFilter?: string;
}

/** The filter of a list for exactly the objects that an item counts. */
const inNeed = (attention: AttentionKind) => ({ attention });

export const KINDS: Readonly<Record<AttentionKind, Kind>> = {
  audit_logs_broken: { text: words.auditLogsBroken, urgent: true, list: '/audits/operate-log' },
  first_password: {
    text: words.firstPassword,
    urgent: true,
    list: '/users/profile',
    search: { activeTab: 'PasswordUpdate' },
  },
  protection_off: { text: optionalWords.protectionOff, urgent: true, list: '/features' },
  audit_logs_unverified: { text: words.auditLogsUnverified, list: '/audits/operate-log' },
  witness_missing: { text: words.witnessMissing, urgent: true, list: '/audits/operate-log' },
  preset_drift: { text: words.presetDrift, list: '/compliance' },
  schedules_stopped: { text: words.schedulesStopped, urgent: true, resource: 'job' },
  clocks_apart: { text: words.clocksApart, urgent: true, resource: 'terminal' },
  database_stopped: { text: database.databaseStopped, urgent: true, list: '/help/docs' },
  asynchronous_standby: { text: database.asynchronousStandby, list: '/help/docs' },
  standby_behind: { text: database.standbyBehind, urgent: true, list: '/help/docs' },
  standby_unseen: { text: database.standbyUnseen, list: '/help/docs' },
  backup_failed: { text: words.backupFailed, urgent: true, list: '/backups' },
  backup_old: { text: words.backupOld, list: '/backups' },
  backup_drill_failed: { text: words.backupDrillFailed, urgent: true, list: '/backups' },
  backup_drill_late: { text: words.backupDrillLate, list: '/backups' },
  changed_host_keys: {
    text: assetWords.changedHostKeys,
    urgent: true,
    resource: 'asset',
    search: inNeed('changed_host_keys'),
  },
  failed_canaries: {
    text: words.failedCanaries,
    urgent: true,
    resource: 'terminal',
    search: inNeed('failed_canaries'),
  },
  failing_storages: {
    text: words.failingStorages,
    urgent: true,
    resource: 'terminal',
    search: inNeed('failing_storages'),
  },
  recordings_on_disks: { text: recordings.recordingsOnDisks, resource: 'replay_storage' },
  unrestored_recordings: {
    text: recordings.unrestoredRecordings,
    urgent: true,
    resource: 'session',
    page: '/terminal/sessions',
    search: { activeTab: 'OfflineList', ...inNeed('unrestored_recordings') },
  },
  sites_away: { text: assetWords.sitesAway, resource: 'domain', search: inNeed('sites_away') },
  unreachable_assets: {
    text: assetWords.unreachableAssets,
    resource: 'asset',
    search: inNeed('unreachable_assets'),
  },
  failed_pushes: {
    text: assetWords.failedPushes,
    resource: 'system_user',
    search: inNeed('failed_pushes'),
  },
  directory_held: {
    text: words.directoryHeld,
    urgent: true,
    list: '/settings',
    page: '/users/user',
    search: { activeTab: 'Ldap' },
  },
  directory_unread: {
    text: words.directoryUnread,
    urgent: true,
    list: '/settings',
    search: { activeTab: 'Ldap' },
  },
  users_shut: { text: words.usersShut, resource: 'user', search: inNeed('users_shut') },
  users_expiring: { text: words.usersExpiring, resource: 'user', search: inNeed('users_expiring') },
  recordings_stopped: {
    text: words.recordingsStopped,
    urgent: true,
    list: '/settings',
    search: { activeTab: 'Terminal' },
  },
  recordings_disk: {
    text: words.recordingsDisk,
    urgent: true,
    list: '/settings',
    search: { activeTab: 'Terminal' },
  },
  waiting_sessions: {
    text: words.waitingSessions,
    urgent: true,
    resource: 'session',
    search: inNeed('waiting_sessions'),
    page: '/terminal/sessions',
  },
  waiting_change_sets: {
    text: words.waitingChangeSets,
    urgent: true,
    list: `/${CHANGE_SET.path}`,
    page: `/${CHANGE_SET.path}`,
  },
  lost_changes: {
    text: database.lostChanges,
    urgent: true,
    list: '/audits/lost-changes',
    search: inNeed('lost_changes'),
    nameFilter: 'resource',
  },
  unrecorded_sessions: {
    text: words.unrecordedSessions,
    urgent: true,
    resource: 'session',
    search: { activeTab: 'OfflineList', ...inNeed('unrecorded_sessions') },
    page: '/terminal/sessions',
  },
  users_without_reviewers: {
    text: words.usersWithoutReviewers,
    resource: 'user',
    search: inNeed('users_without_reviewers'),
  },
  permissions_without_reviewers: {
    text: words.permissionsWithoutReviewers,
    resource: 'asset_permission',
    search: inNeed('permissions_without_reviewers'),
  },
  remote_app_permissions_without_reviewers: {
    text: words.remoteAppPermissionsWithoutReviewers,
    resource: 'remote_app_permission',
    search: inNeed('remote_app_permissions_without_reviewers'),
  },
  database_app_permissions_without_reviewers: {
    text: words.databaseAppPermissionsWithoutReviewers,
    resource: 'database_app_permission',
    search: inNeed('database_app_permissions_without_reviewers'),
  },
  locked_users: { text: words.lockedUsers, resource: 'user', search: inNeed('locked_users') },
  failed_sign_ins: {
    text: words.failedSignIns,
    list: '/audits/login-log',
    search: inNeed('failed_sign_ins'),
    nameFilter: 'username',
  },
  unseen_alerts: {
    text: words.unseenAlerts,
    urgent: true,
    list: '/audits/alert',
    search: inNeed('unseen_alerts'),
    nameFilter: 'user',
  },
  duty_holders_elsewhere: {
    text: words.dutyHoldersElsewhere,
    resource: 'user',
    search: inNeed('duty_holders_elsewhere'),
  },
  users_of_one_name: {
    text: words.usersOfOneName,
    resource: 'user',
    search: inNeed('users_of_one_name'),
  },
  administrators_without_mfa: {
    text: words.administratorsWithoutMfa,
    resource: 'user',
    search: inNeed('administrators_without_mfa'),
  },
  remote_app_permissions_ending: {
    text: words.remoteAppPermissionsEnding,
    resource: 'remote_app_permission',
    search: { ...inNeed('remote_app_permissions_ending'), order: 'date_expired' },
  },
  database_app_permissions_ending: {
    text: words.databaseAppPermissionsEnding,
    resource: 'database_app_permission',
    search: { ...inNeed('database_app_permissions_ending'), order: 'date_expired' },
  },
  permissions_ending: {
    text: words.permissionsEnding,
    resource: 'asset_permission',
    search: { ...inNeed('permissions_ending'), order: 'date_expired' },
  },
  unused_permissions: {
    text: words.unusedPermissions,
    resource: 'asset_permission',
    list: '/perms/unused-access',
    search: { kind: 'permission' },
  },
  unsettled_changes: {
    text: words.unsettledChanges,
    urgent: true,
    resource: 'change_auth_execution',
    list: '/xpack/change-auth-plan/plan',
  },
  failed_jobs: { text: words.failedJobs, resource: 'job', search: inNeed('failed_jobs') },
};

export const listOf = ({ resource, list }: Kind): string =>
  list ?? (resource ? pagesOf(resource).list : '');

export const pageOf = ({ resource, page }: Kind, id: string): string =>
  page ? `${page}/${id}` : resource ? pagesOf(resource).detail(id) : '';
