import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from './screen.ts';

const form = lazyRouteComponent(() => import('../pages/perms/AssetPermissionForm.tsx'), 'AssetPermissionForm');
const LIST = '/perms/asset-permissions';

/** Who may do what. */
export const permissionScreens: readonly Screen[] = [
  {
    name: 'AssetPermissionList',
    path: LIST,
    title: { zh: '资产授权', en: 'Asset permissions' },
    menu: { group: 'perms' },
    component: lazyRouteComponent(() => import('../pages/perms/AssetPermissionList.tsx'), 'AssetPermissionList'),
  },
  {
    name: 'AssetPermissionCreate',
    path: `${LIST}/create`,
    title: { zh: '创建资产授权规则', en: 'Asset permissions create' },
    activeMenu: LIST,
    component: form,
  },
  // The path to change a rule is in the singular (specification §2).
  {
    name: 'AssetPermissionUpdate',
    path: '/perms/asset-permission/$id/update',
    title: { zh: '更新资产授权规则', en: 'Asset permissions update' },
    activeMenu: LIST,
    component: form,
  },
  {
    name: 'AssetPermissionDetail',
    path: `${LIST}/$id`,
    title: { zh: '资产授权详情', en: 'Asset permissions detail' },
    activeMenu: LIST,
    component: lazyRouteComponent(() => import('../pages/perms/AssetPermissionDetail.tsx'), 'AssetPermissionDetail'),
  },
];
