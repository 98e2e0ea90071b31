import { Permission } from '@sallyport/contract';
import { lazyRouteComponent, lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../base/screen.ts';
import { resourceScreens } from './resource-screens.ts';

const pages = () => import('../features/orgs/Organizations.tsx');

/** Organizations; for super administrators with a license. */
export const organizationScreens: readonly Screen[] = resourceScreens(
  'organization',
  {
    title: { zh: '组织管理', en: 'Organizations' },
    list: page(pages, 'OrganizationList'),
    form: page(pages, 'OrganizationForm'),
    detail: page(pages, 'OrganizationDetail'),
  },
  {
    permissions: Permission.SUPER | Permission.ADMIN,
    licenseRequired: true,
    menu: { group: 'people' },
    titles: {
      create: { zh: '创建组织', en: 'Create organization' },
      update: { zh: '编辑组织', en: 'Edit organization' },
      detail: { zh: '组织详情', en: 'Organization detail' },
    },
  },
);

/** Settings of the installation. Super auditors read them. */
export const settingScreens: readonly Screen[] = [
  {
    name: 'Settings',
    path: '/settings',
    title: { zh: '系统设置', en: 'Settings' },
    permissions: Permission.SUPER,
    menu: { group: 'system' },
    component: lazyRouteComponent(
      () => import('../features/settings/SettingsPage.tsx'),
      'SettingsPage',
    ),
  },
  {
    name: 'Backups',
    path: '/backups',
    title: { zh: '备份与演练', en: 'Backups and drills' },
    permissions: Permission.SUPER | Permission.AUDIT,
    menu: { group: 'system' },
    component: lazyRouteComponent(
      () => import('../features/backups/BackupsPage.tsx'),
      'BackupsPage',
    ),
  },
  {
    name: 'Compliance',
    path: '/compliance',
    title: { zh: '合规预设', en: 'Compliance presets' },
    permissions: Permission.SUPER | Permission.AUDIT,
    menu: { group: 'system' },
    component: lazyRouteComponent(
      () => import('../features/compliance/CompliancePage.tsx'),
      'CompliancePage',
    ),
  },
];
