import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

const menu = { group: 'access' } as const;

/** Change sets under change control. */
export const changeSetScreens: readonly Screen[] = [
  {
    name: 'ChangeSets',
    path: '/perms/change-sets',
    title: { zh: '变更申请', en: 'Change sets' },
    otherNames: [{ zh: '变更控制', en: 'Change control' }],
    menu,
    component: page(() => import('./ChangeSetList.tsx'), 'ChangeSetList'),
  },
  {
    name: 'ChangeSet',
    path: '/perms/change-sets/$id',
    title: { zh: '变更申请', en: 'Change set' },
    activeMenu: '/perms/change-sets',
    component: page(() => import('./ChangeSetPage.tsx'), 'ChangeSetPage'),
  },
];
