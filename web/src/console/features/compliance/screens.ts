import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/** Compliance presets. */
export const complianceScreens: readonly Screen[] = [
  {
    name: 'Compliance',
    path: '/compliance',
    title: { zh: '合规预设', en: 'Compliance presets' },
    permissions: Permission.SUPER | Permission.AUDIT,
    menu: { group: 'system' },
    component: page(() => import('./CompliancePage.tsx'), 'CompliancePage'),
  },
];
