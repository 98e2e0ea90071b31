import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { pagesOf } from '../../base/resources.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const domains = () => import('./Domains.tsx');
const sshAuthorities = () => import('./SshAuthorities.tsx');
const adminUsers = () => import('./AdminUsers.tsx');
const systemUsers = () => import('./SystemUsers.tsx');
const labels = () => import('./Labels.tsx');
const platforms = () => import('./Platforms.tsx');
const inventory = { group: 'inventory' } as const;
const secrets = { group: 'secrets' } as const;

/** Assets and related resources. */
export const assetScreens: readonly Screen[] = [
  ...resourceScreens(
    'asset',
    {
      title: { zh: '资产列表', en: 'Assets' },
      otherNames: [
        { zh: '资产管理', en: 'Servers' },
        { zh: '主机', en: 'Hosts' },
      ],
      list: page(() => import('./list/AssetList.tsx'), 'AssetList'),
      plainRows: true,
      form: page(() => import('./AssetForm.tsx'), 'AssetForm'),
      detail: page(() => import('./AssetDetail.tsx'), 'AssetDetail'),
    },
    { menu: inventory },
  ),
  ...resourceScreens(
    'domain',
    {
      title: { zh: '网域列表', en: 'Domains' },
      list: page(domains, 'DomainList'),
      plainRows: true,
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
      plainRows: true,
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
      plainRows: true,
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
      plainRows: true,
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
