import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const menu = { group: 'access' } as const;

/** Asset permissions. */
export const permissionScreens: readonly Screen[] = [
  ...resourceScreens(
    'asset_permission',
    {
      title: { zh: '资产授权', en: 'Asset permissions' },
      otherNames: [
        { zh: '权限管理', en: 'Permissions' },
        { zh: '授权规则', en: 'Rules' },
      ],
      list: page(() => import('./PermissionRules.tsx'), 'AssetPermissionList'),
      form: page(() => import('./AssetPermissionForm.tsx'), 'AssetPermissionForm'),
      detail: page(() => import('./AssetPermissionDetail.tsx'), 'AssetPermissionDetail'),
    },
    {
      menu,
      titles: {
        create: { zh: '创建资产授权', en: 'Create asset permission' },
        update: { zh: '编辑资产授权', en: 'Edit asset permission' },
        detail: { zh: '资产授权详情', en: 'Asset permission detail' },
      },
    },
  ),
];

/** Access that its users have not used. */
export const unusedAccessScreens: readonly Screen[] = [
  {
    name: 'UnusedAccess',
    path: '/perms/unused-access',
    title: { zh: '未使用的授权', en: 'Unused access' },
    menu,
    component: page(() => import('./unused/UnusedAccess.tsx'), 'UnusedAccessPage'),
  },
];
