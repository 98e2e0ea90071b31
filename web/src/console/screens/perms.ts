import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../base/screen.ts';
import { resourceScreens } from './resource-screens.ts';

/** Who may do what. */
export const permissionScreens: readonly Screen[] = [
  ...resourceScreens(
    'asset_permission',
    {
      title: { zh: '资产授权', en: 'Asset permissions' },
      list: page(() => import('../features/perms/AssetPermissionList.tsx'), 'AssetPermissionList'),
      form: page(() => import('../features/perms/AssetPermissionForm.tsx'), 'AssetPermissionForm'),
      detail: page(() => import('../features/perms/AssetPermissionDetail.tsx'), 'AssetPermissionDetail'),
    },
    {
      menu: { group: 'perms' },
      titles: {
        create: { zh: '创建资产授权规则', en: 'Asset permissions create' },
        update: { zh: '更新资产授权规则', en: 'Asset permissions update' },
        detail: { zh: '资产授权详情', en: 'Asset permissions detail' },
      },
    },
  ),
  {
    name: 'UnusedAccess',
    path: '/perms/unused-access',
    title: { zh: '未使用的授权', en: 'Unused access' },
    menu: { group: 'perms' },
    component: page(() => import('../features/perms/unused/UnusedAccess.tsx'), 'UnusedAccessPage'),
  },
];
