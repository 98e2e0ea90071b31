export * from './access.ts';
export * from './access-change.ts';
export * from './account-access.ts';
export * from './api.ts';
export * from './api-kit.ts';
export * from './asset-requests.ts';
export * from './attention.ts';
export * from './audit-kinds.ts';
export * from './authentication.ts';
export * from './bulk-change.ts';
export * from './command-executions.ts';
export * from './consequences.ts';
export * from './dashboard.ts';
export * from './database-listeners.ts';
export * from './database-protocol.ts';
export * from './desktop-protocol.ts';
export * from './desktop-recording.ts';
export * from './emergency.ts';
export * from './errors.ts';
export * from './failure-reasons.ts';
export * from './field-errors.ts';
export * from './files-protocol.ts';
export * from './granted.ts';
export * from './keyboard-layouts.ts';
export * from './kit/crontab.ts';
export * from './kit/datetime.ts';
export * from './kit/field.ts';
export * from './kit/field-kinds.ts';
export * from './kit/file-header.ts';
export * from './kit/parse.ts';
export * from './kit/period.ts';
export * from './kit/relation.ts';
export * from './kit/resource.ts';
export * from './kit/search-language.ts';
export * from './kit/summary.ts';
export * from './kit/text.ts';
export * from './kit/uuid.ts';
export * from './ldap.ts';
export * from './limits.ts';
export * from './live-protocol.ts';
export * from './offboarding.ts';
export * from './protocols.ts';
export * from './redis-words.ts';
export { DATABASE_TYPES, type DatabaseType } from './resources/applications/database-app.ts';
export {
  REMOTE_APP_TYPES,
  type RemoteAppType,
  remoteAppParams,
} from './resources/applications/remote-app.ts';
export * from './resources/index.ts';
export { RISK } from './resources/labels.ts';
export {
  type AdhocModule,
  type AdhocRun,
  type HostFailures,
  MOST_KEPT_HOSTS,
  MOST_NAMED_HOSTS,
  MOST_VERSION_HOSTS,
} from './resources/ops/adhoc.ts';
export { CHANGE_DATA, CHANGE_DATA_NAME } from './resources/perms/app-permission.ts';
export {
  ACTIONS,
  type ActionName,
  actionMask,
  actionNames,
} from './resources/perms/asset-permission.ts';
export * from './resources/relations.ts';
export { TICKET_ACTIONS, TICKET_TYPES, type TicketType } from './resources/tickets/ticket.ts';
export { PASSWORD_LENGTH } from './resources/xpack/change-auth-plan.ts';
export type { CloudProvider } from './resources/xpack/cloud-account.ts';
export { REGION_PATTERN, type SyncSummary } from './resources/xpack/cloud-sync-task.ts';
export * from './roles.ts';
export * from './search.ts';
export * from './session-invitations.ts';
export { SIGN_IN_SETTINGS } from './settings/sign-in.ts';
export * from './settings.ts';
export * from './settings-tests.ts';
export * from './task-monitor.ts';
export * from './terminal-protocol.ts';
export * from './unused-access.ts';
