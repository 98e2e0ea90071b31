import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/** Backups and restore drills. */
export const backupScreens: readonly Screen[] = [
  {
    name: 'Backups',
    path: '/backups',
    title: { zh: '备份与演练', en: 'Backups and drills' },
    permissions: Permission.SUPER | Permission.AUDIT,
    menu: { group: 'system' },
    component: page(() => import('./BackupsPage.tsx'), 'BackupsPage'),
  },
];
