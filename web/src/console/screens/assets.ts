import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { pagesOf } from '../base/resources.ts';
import type { Screen } from '../base/screen.ts';
import { resourceScreens } from './resource-screens.ts';

const domains = () => import('../features/assets/Domains.tsx');
const sshAuthorities = () => import('../features/assets/SshAuthorities.tsx');
const adminUsers = () => import('../features/assets/AdminUsers.tsx');
const systemUsers = () => import('../features/assets/SystemUsers.tsx');
const filters = () => import('../features/filters/CommandFilters.tsx');
const filterRules = () => import('../features/filters/CommandFilterRules.tsx');
const labels = () => import('../features/assets/Labels.tsx');
const platforms = () => import('../features/assets/Platforms.tsx');
const vault = () => import('../features/asset-users/Vault.tsx');
const inventory = { group: 'inventory' } as const;
const secrets = { group: 'secrets' } as const;

/** Screens of assets and related resources. */
export const assetScreens: readonly Screen[] = [
  ...resourceScreens(
    'asset',
    {
      title: { zh: '资产列表', en: 'Assets' },
      otherNames: [
        { zh: '资产管理', en: 'Servers' },
        { zh: '主机', en: 'Hosts' },
      ],
      list: page(() => import('../features/assets/list/AssetList.tsx'), 'AssetList'),
      form: page(() => import('../features/assets/AssetForm.tsx'), 'AssetForm'),
      detail: page(() => import('../features/assets/AssetDetail.tsx'), 'AssetDetail'),
    },
    { menu: inventory },
  ),
  ...resourceScreens(
    'domain',
    {
      title: { zh: '网域列表', en: 'Domains' },
      list: page(domains, 'DomainList'),
      form: page(domains, 'DomainForm'),
      detail: page(domains, 'DomainDetail'),
    },
    { menu: inventory },
  ),
  ...resourceScreens(
    'gateway',
    { form: page(domains, 'GatewayForm') },
    { activeMenu: pagesOf('domain').list },
  ),
  ...resourceScreens(
    'platform',
    {
      title: { zh: '平台列表', en: 'Platforms' },
      list: page(platforms, 'PlatformList'),
      form: page(platforms, 'PlatformForm'),
      detail: page(platforms, 'PlatformDetail'),
    },
    {
      menu: inventory,
      permissions: Permission.SUPER,
      changes: Permission.SUPER | Permission.ADMIN,
    },
  ),
  ...resourceScreens(
    'label',
    {
      title: { zh: '标签管理', en: 'Labels' },
      list: page(labels, 'LabelList'),
      form: page(labels, 'LabelForm'),
    },
    { menu: inventory },
  ),
];

/** Accounts that people and the program use on assets. */
export const accountScreens: readonly Screen[] = [
  ...resourceScreens(
    'system_user',
    {
      title: { zh: '系统用户', en: 'System users' },
      otherNames: [{ zh: '账号', en: 'Accounts' }],
      list: page(systemUsers, 'SystemUserList'),
      form: page(systemUsers, 'SystemUserForm'),
      detail: page(systemUsers, 'SystemUserDetail'),
    },
    { menu: secrets },
  ),
  ...resourceScreens(
    'admin_user',
    {
      title: { zh: '管理用户', en: 'Admin users' },
      list: page(adminUsers, 'AdminUserList'),
      form: page(adminUsers, 'AdminUserForm'),
      detail: page(adminUsers, 'AdminUserDetail'),
    },
    { menu: secrets },
  ),
  ...resourceScreens(
    'ssh_authority',
    {
      title: { zh: 'SSH 证书颁发机构', en: 'SSH authorities' },
      otherNames: [{ zh: 'SSH 证书', en: 'SSH certificates' }],
      list: page(sshAuthorities, 'SshAuthorityList'),
      form: page(sshAuthorities, 'SshAuthorityForm'),
      detail: page(sshAuthorities, 'SshAuthorityDetail'),
    },
    { menu: secrets },
  ),
];

/** Filters of commands. */
export const commandFilterScreens: readonly Screen[] = [
  ...resourceScreens(
    'command_filter',
    {
      title: { zh: '命令过滤器', en: 'Command filters' },
      list: page(filters, 'CommandFilterList'),
      form: page(filters, 'CommandFilterForm'),
      detail: page(filters, 'CommandFilterDetail'),
    },
    { menu: { group: 'access' } },
  ),
  ...resourceScreens(
    'command_filter_rule',
    { form: page(filterRules, 'CommandFilterRuleForm') },
    { activeMenu: pagesOf('command_filter').list },
  ),
];

/** Accounts on all assets; requires a license. */
export const vaultScreens: readonly Screen[] = resourceScreens(
  'asset_user',
  {
    title: { zh: '密码匣子', en: 'Vault' },
    otherNames: [{ zh: '资产用户', en: 'Passwords' }],
    list: page(vault, 'VaultList'),
    form: page(vault, 'VaultForm'),
  },
  {
    licenseRequired: true,
    menu: secrets,
    titles: { create: { zh: '创建密码', en: 'Create secret' } },
  },
).filter(({ name }) => name !== 'AssetUserUpdate');
