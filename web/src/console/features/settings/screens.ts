import { Permission } from '@sallyport/contract';
import type { RouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/**
 * Settings of the installation, which super auditors read. The page has the additions of the
 * features.
 */
export const settingScreens = (component: RouteComponent): readonly Screen[] => [
  {
    name: 'Settings',
    path: '/settings',
    title: { zh: '系统设置', en: 'Settings' },
    permissions: Permission.SUPER,
    menu: { group: 'system' },
    component,
  },
];
