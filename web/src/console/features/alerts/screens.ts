import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/** Alerts. */
export const alertScreens: readonly Screen[] = [
  {
    name: 'AlertList',
    resource: 'alert',
    path: '/audits/alert',
    title: { zh: '告警', en: 'Alerts' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: page(() => import('./AlertList.tsx'), 'AlertList'),
  },
];
