import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const pages = () => import('./Organizations.tsx');

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
