import { emergencyAccess } from '../features/emergency/rule.ts';
import type { Resource } from '../kit/resource.ts';
import { agent } from './agents/agent.ts';
import { agentCall } from './agents/agent-call.ts';
import { databaseApp } from './applications/database-app.ts';
import { remoteApp } from './applications/remote-app.ts';
import { adminUser } from './assets/admin-user.ts';
import { asset } from './assets/asset.ts';
import { assetUser } from './assets/asset-user.ts';
import { commandFilter } from './assets/command-filter.ts';
import { commandFilterRule } from './assets/command-filter-rule.ts';
import { domain } from './assets/domain.ts';
import { gateway } from './assets/gateway.ts';
import { gatheredUser } from './assets/gathered-user.ts';
import { label } from './assets/label.ts';
import { node } from './assets/node.ts';
import { platform } from './assets/platform.ts';
import { sshAuthority } from './assets/ssh-authority.ts';
import { systemUser } from './assets/system-user.ts';
import { systemUserPush } from './assets/system-user-push.ts';
import { alert } from './audits/alert.ts';
import { commandExecutionHost } from './audits/command-execution-host.ts';
import { commandExecutionLog } from './audits/command-execution-log.ts';
import { eventReceiver } from './audits/event-receiver.ts';
import { ftpLog } from './audits/ftp-log.ts';
import { loginLog } from './audits/login-log.ts';
import { lostChange } from './audits/lost-change.ts';
import { operateLog } from './audits/operate-log.ts';
import { passwordChangeLog } from './audits/password-change-log.ts';
import { accessKey } from './authentication/access-key.ts';
import { sshKey } from './authentication/ssh-key.ts';
import { cluster } from './clusters/cluster.ts';
import { clusterPermission } from './clusters/cluster-permission.ts';
import { deletedObject } from './common/deleted-object.ts';
import { job } from './common/job.ts';
import { adhoc, adhocExecution, adhocExecutionHost } from './ops/adhoc.ts';
import { commandExecution } from './ops/command-execution.ts';
import { opsTask } from './ops/task.ts';
import { organization } from './orgs/organization.ts';
import { databaseAppPermission, remoteAppPermission } from './perms/app-permission.ts';
import { assetPermission } from './perms/asset-permission.ts';
import { condition, network } from './perms/condition.ts';
import { command } from './terminal/command.ts';
import { commandStorage } from './terminal/command-storage.ts';
import { replayStorage } from './terminal/replay-storage.ts';
import { session } from './terminal/session.ts';
import { snippet } from './terminal/snippet.ts';
import { terminal } from './terminal/terminal.ts';
import { ticket, ticketComment } from './tickets/ticket.ts';
import { groupMapping } from './users/group-mapping.ts';
import { notification } from './users/notification.ts';
import { signInRule } from './users/sign-in-rule.ts';
import { user } from './users/user.ts';
import { userGroup } from './users/user-group.ts';
import { changeAuthExecution, changeAuthSubtask } from './xpack/change-auth-execution.ts';
import { changeAuthPlan } from './xpack/change-auth-plan.ts';
import { cloudAccount } from './xpack/cloud-account.ts';
import { cloudInstance, cloudSyncExecution, cloudSyncTask } from './xpack/cloud-sync-task.ts';
import { gatherUserExecution, gatherUserResult } from './xpack/gather-user-execution.ts';
import { gatherUserTask } from './xpack/gather-user-task.ts';

/**
 * All resources of the product; the server mounts them, and reference fields may point to any of
 * them.
 */
export const RESOURCES: readonly Resource[] = [
  organization,
  user,
  userGroup,
  groupMapping,
  signInRule,
  platform,
  node,
  asset,
  adminUser,
  systemUser,
  assetUser,
  domain,
  gateway,
  label,
  commandFilter,
  commandFilterRule,
  systemUserPush,
  sshAuthority,
  remoteApp,
  databaseApp,
  cluster,
  network,
  condition,
  assetPermission,
  remoteAppPermission,
  databaseAppPermission,
  clusterPermission,
  emergencyAccess,
  session,
  command,
  replayStorage,
  commandStorage,
  terminal,
  snippet,
  loginLog,
  ftpLog,
  operateLog,
  passwordChangeLog,
  lostChange,
  alert,
  accessKey,
  sshKey,
  job,
  commandExecution,
  commandExecutionLog,
  commandExecutionHost,
  opsTask,
  adhoc,
  adhocExecution,
  adhocExecutionHost,
  gatheredUser,
  gatherUserTask,
  gatherUserExecution,
  gatherUserResult,
  changeAuthPlan,
  changeAuthExecution,
  changeAuthSubtask,
  cloudAccount,
  cloudSyncTask,
  cloudSyncExecution,
  cloudInstance,
  ticket,
  ticketComment,
  notification,
  eventReceiver,
  agent,
  agentCall,
  deletedObject,
];

/** @throws Error for an unknown name */
export function resourceNamed(name: string): Resource {
  const match = RESOURCES.find((resource) => resource.name === name);
  if (!match) throw new Error(`no resource is named ${name}`);
  return match;
}

export {
  accessKey,
  adhoc,
  adhocExecution,
  adhocExecutionHost,
  adminUser,
  agent,
  agentCall,
  alert,
  asset,
  assetPermission,
  assetUser,
  changeAuthExecution,
  changeAuthPlan,
  changeAuthSubtask,
  cloudAccount,
  cloudInstance,
  cloudSyncExecution,
  cloudSyncTask,
  cluster,
  clusterPermission,
  command,
  commandExecution,
  commandExecutionHost,
  commandExecutionLog,
  commandFilter,
  commandFilterRule,
  commandStorage,
  condition,
  databaseApp,
  databaseAppPermission,
  deletedObject,
  domain,
  emergencyAccess,
  eventReceiver,
  ftpLog,
  gateway,
  gatheredUser,
  gatherUserExecution,
  gatherUserResult,
  gatherUserTask,
  groupMapping,
  job,
  label,
  loginLog,
  lostChange,
  network,
  node,
  notification,
  operateLog,
  opsTask,
  organization,
  passwordChangeLog,
  platform,
  remoteApp,
  remoteAppPermission,
  replayStorage,
  session,
  signInRule,
  snippet,
  sshAuthority,
  sshKey,
  systemUser,
  systemUserPush,
  terminal,
  ticket,
  ticketComment,
  user,
  userGroup,
};
