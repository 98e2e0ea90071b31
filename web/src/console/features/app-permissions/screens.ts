import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { IconColumns, IconDeviceDesktop } from '../../../kit/icons.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const grantedApps = () => import('./GrantedApps.tsx');
const appRules = () => import('./AppRules.tsx');
const appForms = () => import('./AppRuleForm.tsx');
const appDetails = () => import('./AppRuleDetail.tsx');
const menu = { group: 'access' } as const;

/** Permissions for remote apps and databases. */
export const appPermissionScreens: readonly Screen[] = [
  ...resourceScreens(
    'remote_app_permission',
    {
      title: { zh: '远程应用授权', en: 'Remote app permissions' },
      list: page(appRules, 'RemoteAppPermissionList'),
      form: page(appForms, 'RemoteAppPermissionForm'),
      detail: page(appDetails, 'RemoteAppPermissionDetail'),
    },
    { menu, licenseRequired: true },
  ),
  ...resourceScreens(
    'database_app_permission',
    {
      title: { zh: '数据库授权', en: 'Database permissions' },
      list: page(appRules, 'DatabaseAppPermissionList'),
      form: page(appForms, 'DatabaseAppPermissionForm'),
      detail: page(appDetails, 'DatabaseAppPermissionDetail'),
    },
    { menu },
  ),
];

/** Remote apps and databases that the user may open. */
export const ownAppScreens: readonly Screen[] = [
  {
    name: 'MyRemoteApps',
    path: '/apps/remoteapp',
    title: { zh: '我的远程应用', en: 'My remote apps' },
    permissions: Permission.USE,
    licenseRequired: true,
    menu: { icon: IconDeviceDesktop },
    component: page(grantedApps, 'MyRemoteApps'),
  },
  {
    name: 'MyDatabases',
    path: '/apps/database',
    title: { zh: '我的数据库', en: 'My databases' },
    permissions: Permission.USE,
    menu: { icon: IconColumns },
    component: page(grantedApps, 'MyDatabases'),
  },
];
