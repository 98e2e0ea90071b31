export * from './access/access.ts';
export * from './access/account-access.ts';
export * from './access/asset-requests.ts';
export * from './access/consequences.ts';
export { deviceOf } from './access/device-name.ts';
export * from './access/granted.ts';
export * from './access/newcomers.ts';
export * from './access/offboarding.ts';
export * from './access/permission-summary.ts';
export * from './access/validity.ts';
export * from './access/welcome.ts';
export * from './api/agents.ts';
export * from './api/api.ts';
export * from './api/api-kit.ts';
export * from './api/attention.ts';
export * from './api/audit-kinds.ts';
export * from './api/authentication.ts';
export * from './api/backups.ts';
export * from './api/bulk-change.ts';
export * from './api/command-executions.ts';
export * from './api/dashboard.ts';
export * from './api/deleted-objects.ts';
export * from './api/deputies.ts';
export * from './api/group-mapping.ts';
export * from './api/histogram.ts';
export * from './api/links.ts';
export type { LostRequest } from './api/lost-changes.ts';
export * from './api/mail-times.ts';
export * from './api/presets.ts';
export * from './api/rotation.ts';
export * from './api/screens.ts';
export * from './api/search.ts';
export * from './api/task-monitor.ts';
export * from './api/timeline.ts';
export * from './command-library/index.ts';
export * from './command-lines/index.ts';
export * from './conditions/judge.ts';
export * from './conditions/networks.ts';
export * from './conditions/port-ranges.ts';
export * from './conditions/sign-in.ts';
export {
  type Circumstances,
  CLIENTS,
  type ClientKind,
  type ConditionTerms,
} from './conditions/terms.ts';
export * from './conditions/week-hours.ts';
export * from './duties.ts';
export * from './errors/errors.ts';
export * from './errors/failure-reasons.ts';
export * from './errors/field-errors.ts';
export * from './features/change-control/api.ts';
export * from './features/emergency/access.ts';
export * from './features/features.ts';
export * from './kit/crontab.ts';
export * from './kit/datetime.ts';
export * from './kit/field.ts';
export * from './kit/field-kinds.ts';
export * from './kit/file-header.ts';
export * from './kit/formats.ts';
export * from './kit/metadata.ts';
export * from './kit/metadata-service.ts';
export * from './kit/misleading.ts';
export * from './kit/parse.ts';
export * from './kit/period.ts';
export * from './kit/relation.ts';
export * from './kit/resource.ts';
export * from './kit/search-language.ts';
export { readSerialLine, type SerialLine } from './kit/serial-line.ts';
export * from './kit/summary.ts';
export * from './kit/text.ts';
export * from './kit/wall-clock.ts';
export * from './limits.ts';
export * from './password-end.ts';
export * from './protocols/database-listeners.ts';
export * from './protocols/database-protocol.ts';
export * from './protocols/desktop-protocol.ts';
export * from './protocols/desktop-recording.ts';
export * from './protocols/drive-protocol.ts';
export * from './protocols/files-protocol.ts';
export * from './protocols/live-protocol.ts';
export * from './protocols/protocols.ts';
export * from './protocols/session-interventions.ts';
export * from './protocols/session-invitations.ts';
export * from './protocols/terminal-protocol.ts';
export { AGENT_STATES, MOST_AGENT_MINUTES } from './resources/agents/agent.ts';
export {
  AGENT_CALL_STATES,
  type AgentCallState,
  type AgentTool,
} from './resources/agents/agent-call.ts';
export { DATABASE_TYPES, type DatabaseType } from './resources/applications/database-app.ts';
export {
  REMOTE_APP_TYPES,
  type RemoteAppType,
  remoteAppParams,
} from './resources/applications/remote-app.ts';
export type { HardwareFacts } from './resources/assets/asset.ts';
export {
  OLD_SECRET_DAYS,
  SECRET_STATES,
  type SecretState,
} from './resources/assets/asset-user.ts';
export { CHARSETS, type Charset } from './resources/assets/charset.ts';
export {
  RULE_ALLOW,
  RULE_CONFIRM,
  RULE_HOLD,
  RULE_WARN,
} from './resources/assets/command-filter-rule.ts';
export { controlledHostKey } from './resources/assets/controlled-host-key.ts';
export { SWITCH_NAME, type SwitchMethod } from './resources/assets/switch-user.ts';
export { TELNET_PATTERNS } from './resources/assets/telnet-fields.ts';
export { ALERT_KINDS, type AlertKind, MOST_ALERT_NOTE } from './resources/audits/alert.ts';
export { MOST_LOST_NOTE } from './resources/audits/lost-change.ts';
export {
  CLUSTER_LOG_LINES,
  CLUSTER_PAGE_KINDS,
  type ClusterNamespaces,
  type ClusterObject,
  type ClusterObjectRow,
  type ClusterObjects,
  type ClusterPageKind,
  type ClusterVisit,
  POD_SHELLS,
  type PodContainer,
  type PodShell,
} from './resources/clusters/cluster-pages.ts';
export {
  CLUSTER_ACTIONS,
  CLUSTER_VERBS,
  type ClusterAction,
  type ClusterVerb,
  clusterActionMask,
  clusterActionsOf,
  clusterVerbsOf,
} from './resources/clusters/cluster-permission.ts';
export type { ClusterTest, Kubeconfig } from './resources/clusters/kubeconfig.ts';
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
export { APPROVAL_REASON_MAX } from './resources/perms/approval-fields.ts';
export {
  ACTIONS,
  type ActionName,
  actionMask,
  actionNames,
} from './resources/perms/asset-permission.ts';
export * from './resources/relations.ts';
export {
  COMMAND_VERDICTS,
  type CommandVerdict,
  DECLINED_VERDICTS,
  isDeclined,
} from './resources/terminal/command.ts';
export { TICKET_ACTIONS, TICKET_TYPES, type TicketType } from './resources/tickets/ticket.ts';
export { GROUP_SOURCES } from './resources/users/group-mapping.ts';
export { NOTIFICATION_KINDS, type NotificationKind } from './resources/users/notification.ts';
export { CHANGE_AUTH_FORM } from './resources/xpack/change-auth-execution.ts';
export { PASSWORD_LENGTH } from './resources/xpack/change-auth-plan.ts';
export type { CloudProvider } from './resources/xpack/cloud-account.ts';
export { REGION_PATTERN, type SyncSummary } from './resources/xpack/cloud-sync-task.ts';
export { GATHER_FORM } from './resources/xpack/gather-user-execution.ts';
export * from './roles.ts';
export { controlledSettings } from './settings/controlled.ts';
export * from './settings/duties.ts';
export { MAX_NOTICE } from './settings/notices.ts';
export * from './settings/settings.ts';
export { SETTINGS_OF_A_PUT } from './settings/settings-of-a-put.ts';
export * from './settings/settings-tests.ts';
export * from './source-states.ts';
export * from './terminal-output/index.ts';
