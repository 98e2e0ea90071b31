import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../base/screen.ts';
import { resourceScreens } from './resource-screens.ts';

const appRules = () => import('../features/app-permissions/AppRules.tsx');
const appForms = () => import('../features/app-permissions/AppRuleForm.tsx');
const appDetails = () => import('../features/app-permissions/AppRuleDetail.tsx');
const conditions = () => import('../features/conditions/Conditions.tsx');
const signInRules = () => import('../features/conditions/SignInRules.tsx');
const menu = { group: 'access' } as const;

export const permissionScreens: readonly Screen[] = [
  ...resourceScreens(
    'asset_permission',
    {
      title: { zh: '资产授权', en: 'Asset permissions' },
      otherNames: [
        { zh: '权限管理', en: 'Permissions' },
        { zh: '授权规则', en: 'Rules' },
      ],
      list: page(() => import('../features/perms/PermissionRules.tsx'), 'AssetPermissionList'),
      form: page(() => import('../features/perms/AssetPermissionForm.tsx'), 'AssetPermissionForm'),
      detail: page(
        () => import('../features/perms/AssetPermissionDetail.tsx'),
        'AssetPermissionDetail',
      ),
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
  ...resourceScreens(
    'condition',
    {
      title: { zh: '访问条件', en: 'Conditions' },
      otherNames: [{ zh: '时段限制', en: 'Time and network restrictions' }],
      list: page(conditions, 'ConditionList'),
      form: page(conditions, 'ConditionForm'),
      detail: page(conditions, 'ConditionDetail'),
    },
    { menu },
  ),
  ...resourceScreens(
    'network',
    {
      title: { zh: '网络', en: 'Networks' },
      list: page(conditions, 'NetworkList'),
      form: page(conditions, 'NetworkForm'),
    },
    { menu },
  ),
  ...resourceScreens(
    'sign_in_rule',
    {
      title: { zh: '登录规则', en: 'Sign-in rules' },
      otherNames: [
        { zh: '登录限制', en: 'Sign-in restrictions' },
        { zh: '登录 IP 和时段', en: 'Sign-in hours and networks' },
      ],
      list: page(signInRules, 'SignInRuleList'),
      form: page(signInRules, 'SignInRuleForm'),
      detail: page(signInRules, 'SignInRuleDetail'),
    },
    { menu, permissions: Permission.SUPER | Permission.ADMIN },
  ),
  {
    name: 'UnusedAccess',
    path: '/perms/unused-access',
    title: { zh: '未使用的授权', en: 'Unused access' },
    menu,
    component: page(() => import('../features/perms/unused/UnusedAccess.tsx'), 'UnusedAccessPage'),
  },
  {
    name: 'ChangeSets',
    path: '/perms/change-sets',
    title: { zh: '变更申请', en: 'Change sets' },
    otherNames: [{ zh: '变更控制', en: 'Change control' }],
    menu,
    component: page(() => import('../features/change-sets/ChangeSetList.tsx'), 'ChangeSetList'),
  },
  {
    name: 'ChangeSet',
    path: '/perms/change-sets/$id',
    title: { zh: '变更申请', en: 'Change set' },
    activeMenu: '/perms/change-sets',
    component: page(() => import('../features/change-sets/ChangeSetPage.tsx'), 'ChangeSetPage'),
  },
  ...resourceScreens(
    'emergency_access',
    {
      title: { zh: '紧急访问', en: 'Emergency access' },
      otherNames: [{ zh: '应急访问', en: 'Break glass' }],
      list: page(() => import('../features/emergency/EmergencyRules.tsx'), 'EmergencyRuleList'),
      form: page(() => import('../features/emergency/EmergencyRules.tsx'), 'EmergencyRuleForm'),
      detail: page(() => import('../features/emergency/EmergencyRules.tsx'), 'EmergencyRuleDetail'),
    },
    { menu, licenseRequired: true },
  ),
];
