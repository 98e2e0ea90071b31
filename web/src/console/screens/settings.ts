import { Permission } from '@sallyport/contract';
import { lazyRouteComponent } from '@tanstack/react-router';
import { IconSettings } from '../../kit/icons.ts';
import type { Screen } from '../base/screen.ts';

/** Settings of the installation; super administrators only. */
export const settingScreens: readonly Screen[] = [
  {
    name: 'Settings',
    path: '/settings',
    title: { zh: '系统设置', en: 'Settings' },
    permissions: Permission.SUPER | Permission.ADMIN,
    menu: { icon: IconSettings },
    component: lazyRouteComponent(
      () => import('../features/settings/SettingsPage.tsx'),
      'SettingsPage',
    ),
  },
];
