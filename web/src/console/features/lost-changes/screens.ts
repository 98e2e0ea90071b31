import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/** Changes that a failover of the database lost. */
export const lostChangeScreens: readonly Screen[] = [
  {
    name: 'LostChanges',
    resource: 'lost_change',
    path: '/audits/lost-changes',
    title: { zh: '丢失的变更', en: 'Lost changes' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: page(() => import('./LostChanges.tsx'), 'LostChanges'),
  },
];
