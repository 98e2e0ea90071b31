import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const remote = () => import('./RemoteApps.tsx');
const databases = () => import('./DatabaseApps.tsx');
const menu = { group: 'inventory' } as const;

/** Remote apps and databases. */
export const applicationScreens: readonly Screen[] = [
  ...resourceScreens(
    'remote_app',
    {
      title: { zh: '远程应用', en: 'Remote apps' },
      list: page(remote, 'RemoteAppList'),
      form: page(remote, 'RemoteAppForm'),
      detail: page(remote, 'RemoteAppDetail'),
    },
    { menu, licenseRequired: true },
  ),
  ...resourceScreens(
    'database_app',
    {
      title: { zh: '数据库应用', en: 'Database apps' },
      otherNames: [{ zh: '应用管理', en: 'Applications' }],
      list: page(databases, 'DatabaseAppList'),
      form: page(databases, 'DatabaseAppForm'),
      detail: page(databases, 'DatabaseAppDetail'),
    },
    { menu },
  ),
];
