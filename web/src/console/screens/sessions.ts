import { Permission } from '@sallyport/contract';
import { lazyRouteComponent } from '@tanstack/react-router';
import { filesAddress, terminalAddress } from '../base/addresses.ts';
import type { Screen } from '../base/screen.ts';
import { words } from '../base/words.ts';
import { resourceScreens } from './resource-screens.ts';

const storages = () => import('../features/storages/Storages.tsx');
const commandStorages = () => import('../features/storages/CommandStorages.tsx');
const eventReceivers = () => import('../features/events/EventReceivers.tsx');
const terminals = () => import('../features/storages/Terminals.tsx');

/** Sessions with their commands and transfers, and the windows that open them. */
export const sessionScreens: readonly Screen[] = [
  {
    name: 'SessionList',
    resource: 'session',
    path: '/terminal/session',
    title: { zh: '会话管理', en: 'Sessions' },
    otherNames: [
      { zh: '在线会话', en: 'Live sessions' },
      { zh: '历史会话', en: 'History' },
    ],
    permissions: Permission.AUDIT,
    menu: { group: 'connections' },
    component: lazyRouteComponent(
      () => import('../features/sessions/SessionList.tsx'),
      'SessionList',
    ),
  },
  {
    name: 'CommandList',
    path: '/terminal/command',
    title: { zh: '命令记录', en: 'Commands' },
    permissions: Permission.AUDIT,
    menu: { group: 'connections' },
    component: lazyRouteComponent(
      () => import('../features/sessions/CommandList.tsx'),
      'CommandList',
    ),
  },
  {
    name: 'SessionDetail',
    resource: 'session',
    path: '/terminal/sessions/$id',
    title: { zh: '会话详情', en: 'Session detail' },
    permissions: Permission.AUDIT,
    activeMenu: '/terminal/session',
    component: lazyRouteComponent(
      () => import('../features/sessions/SessionDetail.tsx'),
      'SessionDetail',
    ),
  },
  {
    name: 'FtpLog',
    path: '/audits/ftp-log',
    title: { zh: '文件传输日志', en: 'File transfer logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'connections' },
    component: lazyRouteComponent(() => import('../features/audits/FtpLog.tsx'), 'FtpLog'),
  },
  {
    name: 'WebTerminal',
    path: '/terminal/luna',
    title: words.webTerminal,
    menu: { group: 'connections' },
    opens: () => terminalAddress(),
  },
  {
    name: 'FileManager',
    path: '/terminal/sftp',
    title: words.fileManager,
    menu: { group: 'connections' },
    opens: () => filesAddress(),
  },
];

export const auditScreens: readonly Screen[] = [
  {
    name: 'LoginLog',
    path: '/audits/login-log',
    title: { zh: '登录日志', en: 'Sign-in log' },
    otherNames: [
      { zh: '登录记录', en: 'Login logs' },
      { zh: '审计', en: 'Audits' },
    ],
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: lazyRouteComponent(() => import('../features/audits/LoginLog.tsx'), 'LoginLog'),
  },
  {
    name: 'AlertList',
    resource: 'alert',
    path: '/audits/alert',
    title: { zh: '告警', en: 'Alerts' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: lazyRouteComponent(() => import('../features/alerts/AlertList.tsx'), 'AlertList'),
  },
  {
    name: 'LostChanges',
    resource: 'lost_change',
    path: '/audits/lost-changes',
    title: { zh: '丢失的变更', en: 'Lost changes' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: lazyRouteComponent(
      () => import('../features/lost-changes/LostChanges.tsx'),
      'LostChanges',
    ),
  },
  {
    name: 'OperateLog',
    path: '/audits/operate-log',
    title: { zh: '操作日志', en: 'Operation logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: lazyRouteComponent(() => import('../features/audits/OperateLog.tsx'), 'OperateLog'),
  },
  {
    name: 'PasswordChangeLog',
    path: '/audits/password-change-log',
    title: { zh: '改密日志', en: 'Password change logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: lazyRouteComponent(
      () => import('../features/audits/LoginLog.tsx'),
      'PasswordChangeLog',
    ),
  },
  {
    name: 'CommandExecutionLog',
    path: '/audits/command-execution-log',
    title: { zh: '批量命令日志', en: 'Batch command logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: lazyRouteComponent(
      () => import('../features/audits/CommandExecutionLog.tsx'),
      'CommandExecutionLog',
    ),
  },
];

/** Super auditors read these pages; only super administrators open the forms. */
const SUPER_PAGES = {
  menu: { group: 'system' },
  permissions: Permission.SUPER,
  changes: Permission.SUPER | Permission.ADMIN,
} as const;

/** The servers of the installation, their storages, and receivers of events. */
export const serverScreens: readonly Screen[] = [
  // No create page: servers register automatically.
  ...resourceScreens(
    'terminal',
    {
      title: { zh: '终端管理', en: 'Terminals' },
      otherNames: [{ zh: '堡垒机服务器', en: 'Bastion servers' }],
      list: lazyRouteComponent(terminals, 'TerminalList'),
      form: lazyRouteComponent(terminals, 'TerminalForm'),
      detail: lazyRouteComponent(terminals, 'TerminalDetail'),
    },
    SUPER_PAGES,
  ).filter(({ name }) => name !== 'TerminalCreate'),
  ...resourceScreens(
    'replay_storage',
    {
      title: { zh: '录像存储', en: 'Replay storages' },
      otherNames: [{ zh: '存储', en: 'Storages' }],
      list: lazyRouteComponent(storages, 'StorageList'),
      form: lazyRouteComponent(storages, 'StorageForm'),
      detail: lazyRouteComponent(storages, 'StorageDetail'),
    },
    SUPER_PAGES,
  ),
  ...resourceScreens(
    'command_storage',
    {
      title: { zh: '命令存储', en: 'Command storages' },
      list: lazyRouteComponent(commandStorages, 'CommandStorageList'),
      form: lazyRouteComponent(commandStorages, 'CommandStorageForm'),
      detail: lazyRouteComponent(commandStorages, 'CommandStorageDetail'),
    },
    SUPER_PAGES,
  ),
  ...resourceScreens(
    'event_receiver',
    {
      title: { zh: '事件接收端', en: 'Event receivers' },
      list: lazyRouteComponent(eventReceivers, 'EventReceiverList'),
      form: lazyRouteComponent(eventReceivers, 'EventReceiverForm'),
      detail: lazyRouteComponent(eventReceivers, 'EventReceiverDetail'),
    },
    { menu: { group: 'system' }, permissions: Permission.SUPER | Permission.ADMIN },
  ),
];
