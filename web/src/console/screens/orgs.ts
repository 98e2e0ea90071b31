import { Permission } from '@sallyport/contract';
import { lazyRouteComponent } from '@tanstack/react-router';
import { IconSitemap } from '../../kit/icons.ts';
import type { Screen } from './screen.ts';

const LIST = '/xpack/orgs';
const pages = () => import('../pages/orgs/Organizations.tsx');
const form = lazyRouteComponent(pages, 'OrganizationForm');
const forSuper = { permissions: Permission.SUPER | Permission.ADMIN, licenseRequired: true } as const;

/** Organizations beside the default one: super administrators with a license. */
export const organizationScreens: readonly Screen[] = [
  {
    name: 'OrganizationList',
    path: LIST,
    title: { zh: '组织管理', en: 'Organizations' },
    ...forSuper,
    menu: { icon: IconSitemap },
    component: lazyRouteComponent(pages, 'OrganizationList'),
  },
  { name: 'OrganizationCreate', path: `${LIST}/create`, title: { zh: '创建组织', en: 'Create organization' }, ...forSuper, activeMenu: LIST, component: form },
  {
    name: 'OrganizationUpdate',
    path: `${LIST}/$id/update`,
    title: { zh: '更新组织', en: 'Update organization' },
    ...forSuper,
    activeMenu: LIST,
    component: form,
  },
  {
    name: 'OrganizationDetail',
    path: `${LIST}/$id`,
    title: { zh: '组织详情', en: 'Org detail' },
    ...forSuper,
    activeMenu: LIST,
    component: lazyRouteComponent(pages, 'OrganizationDetail'),
  },
];
