import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { IconGauge, IconServer2 } from '../../../kit/icons.ts';
import type { Screen } from '../../base/screen.ts';

export const dashboardScreen: Screen = {
  name: 'dashboard',
  path: '/dashboard',
  title: { zh: '仪表盘', en: 'Dashboard' },
  permissions: Permission.AUDIT,
  menu: { icon: IconGauge },
  affix: true,
  component: page(() => import('./Dashboard.tsx'), 'Dashboard'),
};

/** Assets that the user may open. */
export const myAssetsScreens: readonly Screen[] = [
  {
    name: 'MyAssets',
    path: '/',
    title: { zh: '我的资产', en: 'My assets' },
    permissions: Permission.USE,
    menu: { icon: IconServer2 },
    affix: true,
    component: page(() => import('./MyAssets.tsx'), 'MyAssets'),
  },
];
