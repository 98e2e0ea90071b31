import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/** Settings of the installation. Super auditors read them. */
export const settingScreens: readonly Screen[] = [
  {
    name: 'Settings',
    path: '/settings',
    title: { zh: '系统设置', en: 'Settings' },
    permissions: Permission.SUPER,
    menu: { group: 'system' },
    component: page(() => import('./SettingsPage.tsx'), 'SettingsPage'),
  },
];
