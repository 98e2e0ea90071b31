import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/** The features that an installation can switch off. */
export const optionalScreens: readonly Screen[] = [
  {
    name: 'Features',
    path: '/features',
    title: { zh: '功能', en: 'Features' },
    permissions: Permission.SUPER | Permission.AUDIT,
    menu: { group: 'system' },
    component: page(() => import('./FeaturesPage.tsx'), 'FeaturesPage'),
  },
];
