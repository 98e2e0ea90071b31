import { ADMIN_PAGE_BITS, type Area, type Duty, dutyCovers } from '@sallyport/contract';
import type { Screen } from '../base/screen.ts';
import type { ConsoleSession } from '../base/session.tsx';

/** Areas of screens of resources. A test compares them with the declarations. */
const OF_RESOURCES: Readonly<Record<string, Area>> = {
  adhoc: 'operation',
  adhoc_execution: 'operation',
  admin_user: 'assets',
  agent: 'agents',
  alert: 'alerts',
  asset: 'assets',
  asset_permission: 'permissions',
  asset_user: 'secrets',
  change_auth_execution: 'secrets',
  change_auth_plan: 'secrets',
  cloud_account: 'operation',
  cloud_sync_task: 'operation',
  cluster: 'assets',
  cluster_permission: 'permissions',
  command_filter: 'rules',
  command_filter_rule: 'rules',
  command_storage: 'operation',
  condition: 'rules',
  database_app: 'assets',
  database_app_permission: 'permissions',
  domain: 'assets',
  emergency_access: 'permissions',
  event_receiver: 'security',
  gather_user_execution: 'operation',
  gather_user_task: 'operation',
  gathered_user: 'secrets',
  gateway: 'assets',
  group_mapping: 'rules',
  job: 'jobs',
  label: 'assets',
  lost_change: 'changes',
  deleted_object: 'changes',
  network: 'rules',
  notification: 'own',
  ops_task: 'operation',
  organization: 'groups',
  platform: 'assets',
  remote_app: 'assets',
  remote_app_permission: 'permissions',
  replay_storage: 'operation',
  session: 'logs',
  sign_in_rule: 'rules',
  ssh_authority: 'assets',
  system_user: 'assets',
  terminal: 'operation',
  ticket: 'tickets',
  user: 'users',
  user_group: 'groups',
};

/** Areas of other screens. A screen without an area is hidden from every duty. */
const OF_SCREENS: Readonly<Record<string, Area>> = {
  CommandList: 'logs',
  FtpLog: 'logs',
  LoginLog: 'logs',
  OperateLog: 'logs',
  PasswordChangeLog: 'logs',
  CommandExecutionLog: 'logs',
  TaskMonitor: 'jobs',
  CeleryTaskLog: 'jobs',
  Settings: 'settings',
  Backups: 'operation',
  Compliance: 'reports',
  UnusedAccess: 'permissions',
  ChangeSets: 'changes',
  ChangeSet: 'changes',
};

export const areaOf = ({ name, resource }: Screen): Area | undefined =>
  resource === undefined ? OF_SCREENS[name] : OF_RESOURCES[resource];

/** Forms change objects of their area, all other screens read. */
const usageOf = ({ name, resource }: Screen) =>
  resource !== undefined && /(Create|Update)$/.test(name) ? 'change' : 'read';

/** Limits a session of the console to the screens of a duty, without the side of users. */
export function sessionOfDuty(duty: Duty, session: ConsoleSession): ConsoleSession {
  const { role, screens } = session;
  const isShown = (screen: Screen) =>
    screen.constant === true ||
    (dutyCovers(duty, areaOf(screen), usageOf(screen)) &&
      // The system administrator creates accounts, and no duty creates agents.
      (screen.name !== 'UserCreate' || duty === 'system') &&
      screen.name !== 'AgentCreate');
  const current = role.permissions & ADMIN_PAGE_BITS;
  return {
    ...session,
    role: { roles: [current], permissions: current, current },
    screens: screens.filter(isShown),
  };
}
