import { lazyRouteComponent as page } from '@tanstack/react-router';
import { pagesOf } from '../../base/resources.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const gathered = () => import('./GatheredUsers.tsx');
const tasks = () => import('./GatherTasks.tsx');
const secrets = { menu: { group: 'secrets' }, licenseRequired: true } as const;

/** Accounts found on assets; require a license. */
export const gatheringScreens: readonly Screen[] = [
  ...resourceScreens(
    'gathered_user',
    {
      title: { zh: '收集用户', en: 'Gathered users' },
      otherNames: [{ zh: '账号发现', en: 'Discovered accounts' }],
      list: page(gathered, 'GatheredUserList'),
    },
    secrets,
  ),
  ...resourceScreens(
    'gather_user_task',
    {
      title: { zh: '收集任务', en: 'Gather user tasks' },
      list: page(tasks, 'GatherTaskList'),
      form: page(tasks, 'GatherTaskForm'),
      detail: page(tasks, 'GatherTaskDetail'),
    },
    secrets,
  ),
  ...resourceScreens(
    'gather_user_execution',
    { detail: page(tasks, 'GatherExecutionDetail') },
    { licenseRequired: true, activeMenu: pagesOf('gather_user_task').list },
  ),
];
