import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const cloud = () => import('./Accounts.tsx');
const cloudTasks = () => import('./Tasks.tsx');
const CENTER = '/xpack/cloud';

/** Accounts and instances of clouds; require a license. */
export const cloudScreens: readonly Screen[] = [
  {
    name: 'CloudCenter',
    path: CENTER,
    title: { zh: '云管中心', en: 'Cloud center' },
    component: page(() => import('./Tasks.tsx'), 'CloudCenter'),
    menu: { group: 'inventory' },
    licenseRequired: true,
  },
  ...resourceScreens(
    'cloud_account',
    {
      title: { zh: '账号列表', en: 'Cloud accounts' },
      list: page(cloud, 'AccountList'),
      form: page(cloud, 'AccountForm'),
      detail: page(cloud, 'AccountDetail'),
    },
    { licenseRequired: true, activeMenu: CENTER },
  ),
  ...resourceScreens(
    'cloud_sync_task',
    {
      title: { zh: '同步任务', en: 'Sync tasks' },
      list: page(cloudTasks, 'TaskList'),
      form: page(cloudTasks, 'TaskForm'),
      detail: page(cloudTasks, 'TaskDetail'),
    },
    { licenseRequired: true, activeMenu: CENTER },
  ),
];
