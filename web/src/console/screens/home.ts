import { Permission } from '@sallyport/contract';
import { lazyRouteComponent } from '@tanstack/react-router';
import {
  IconBolt,
  IconColumns,
  IconDeviceDesktop,
  IconFolders,
  IconGauge,
  IconServer2,
  IconTerminal2,
} from '../../kit/icons.ts';
import { EMERGENCY_PATH, filesAddress, HELP, terminalAddress } from '../base/addresses.ts';
import type { Screen } from '../base/screen.ts';
import { words } from '../base/words.ts';

const grantedApps = () => import('../features/app-permissions/GrantedApps.tsx');
const batchCommand = () => import('../features/ops/BatchCommand.tsx');
const firstLogin = () => import('../features/profile/FirstLogin.tsx');

export const dashboardScreen: Screen = {
  name: 'dashboard',
  path: '/dashboard',
  title: { zh: '仪表盘', en: 'Dashboard' },
  permissions: Permission.AUDIT,
  menu: { icon: IconGauge },
  affix: true,
  component: lazyRouteComponent(() => import('../features/home/Dashboard.tsx'), 'Dashboard'),
};

export const userAreaScreens: readonly Screen[] = [
  {
    name: 'MyAssets',
    path: '/',
    title: { zh: '我的资产', en: 'My assets' },
    permissions: Permission.USE,
    menu: { icon: IconServer2 },
    affix: true,
    component: lazyRouteComponent(() => import('../features/home/MyAssets.tsx'), 'MyAssets'),
  },
  {
    name: 'MyRemoteApps',
    path: '/apps/remoteapp',
    title: { zh: '我的远程应用', en: 'My remote apps' },
    permissions: Permission.USE,
    licenseRequired: true,
    menu: { icon: IconDeviceDesktop },
    component: lazyRouteComponent(grantedApps, 'MyRemoteApps'),
  },
  {
    name: 'MyDatabases',
    path: '/apps/database',
    title: { zh: '我的数据库', en: 'My databases' },
    permissions: Permission.USE,
    menu: { icon: IconColumns },
    component: lazyRouteComponent(grantedApps, 'MyDatabases'),
  },
  {
    name: 'MyEmergencyAccess',
    path: EMERGENCY_PATH,
    title: { zh: '启用紧急访问', en: 'Open emergency access' },
    permissions: Permission.USE,
    licenseRequired: true,
    activeMenu: '/',
    component: lazyRouteComponent(
      () => import('../features/emergency/OpenEmergency.tsx'),
      'OpenEmergency',
    ),
  },
  {
    name: 'MyCommandExecutions',
    path: '/command-executions',
    title: { zh: '批量命令', en: 'Batch command' },
    permissions: Permission.USE,
    commandExecutionRequired: true,
    menu: { icon: IconBolt },
    component: lazyRouteComponent(batchCommand, 'BatchCommand'),
  },
  {
    name: 'MyWebTerminal',
    path: '/luna',
    title: words.webTerminal,
    permissions: Permission.USE,
    menu: { icon: IconTerminal2 },
    opens: () => terminalAddress(),
  },
  {
    name: 'MyFileManager',
    path: '/sftp',
    title: words.fileManager,
    permissions: Permission.USE,
    menu: { icon: IconFolders },
    opens: () => filesAddress(),
  },
];

const help = () => import('../features/help/HelpPages.tsx');

/** Help pages, for every role. */
export const helpScreens: readonly Screen[] = [
  {
    name: 'Help',
    path: HELP.overview,
    title: words.help,
    constant: true,
    component: lazyRouteComponent(help, 'HelpPage'),
  },
  {
    name: 'Docs',
    path: HELP.docs,
    title: words.docs,
    constant: true,
    component: lazyRouteComponent(help, 'DocsPage'),
  },
  {
    name: 'Support',
    path: HELP.support,
    title: words.support,
    constant: true,
    component: lazyRouteComponent(() => import('../features/help/SupportPage.tsx'), 'SupportPage'),
  },
  {
    name: 'Enterprise',
    path: HELP.enterprise,
    title: words.enterprise,
    constant: true,
    component: lazyRouteComponent(
      () => import('../features/help/EnterprisePage.tsx'),
      'EnterprisePage',
    ),
  },
];

/** Pages of the user's account, for every role. */
export const ownScreens: readonly Screen[] = [
  {
    name: 'UserProfile',
    path: '/users/profile',
    title: { zh: '个人信息', en: 'User profile' },
    constant: true,
    component: lazyRouteComponent(
      () => import('../features/profile/ProfilePage.tsx'),
      'ProfilePage',
    ),
  },
  {
    name: 'ConfirmDevice',
    path: '/users/device',
    title: { zh: '确认设备', en: 'Confirm a device' },
    constant: true,
    unlisted: true,
    component: lazyRouteComponent(
      () => import('../features/profile/devices/ConfirmDevice.tsx'),
      'ConfirmDevice',
    ),
  },
  {
    name: 'PersonalInformationImprovement',
    path: '/users/first-login/personal-information-improvement',
    title: { zh: '个人信息完善', en: 'Improve personal information' },
    constant: true,
    unlisted: true,
    component: lazyRouteComponent(firstLogin, 'FirstLogin'),
  },
  {
    name: 'UserGuide',
    path: '/users/first-login/guide',
    title: { zh: '用户向导', en: 'User guide' },
    constant: true,
    unlisted: true,
    component: lazyRouteComponent(firstLogin, 'Guide'),
  },
];
