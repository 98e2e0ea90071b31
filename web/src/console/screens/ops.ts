import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { pagesOf } from '../base/resources.ts';
import type { Screen } from '../base/screen.ts';
import { resourceScreens } from './resource-screens.ts';

const tasks = () => import('../features/ops/tasks/Tasks.tsx');
const executions = () => import('../features/ops/tasks/Executions.tsx');
const inside = { activeMenu: pagesOf('ops_task').list };

/** Screens for batch work on servers. */
export const opsScreens: readonly Screen[] = [
  ...resourceScreens(
    'ops_task',
    {
      title: { zh: '作业列表', en: 'Tasks' },
      list: page(tasks, 'TaskList'),
      update: page(tasks, 'TaskForm'),
      detail: page(tasks, 'TaskDetail'),
    },
    { menu: { group: 'ops' } },
  ),
  ...resourceScreens('adhoc', { detail: page(executions, 'VersionDetail') }, inside),
  ...resourceScreens('adhoc_execution', { detail: page(executions, 'ExecutionDetail') }, inside),
  {
    name: 'CommandExecutions',
    path: '/ops/command-executions/create',
    title: { zh: '批量命令', en: 'Batch command' },
    commandExecutionRequired: true,
    menu: { group: 'ops' },
    component: page(() => import('../features/ops/BatchCommand.tsx'), 'BatchCommand'),
  },
  {
    name: 'TaskMonitor',
    path: '/ops/task/monitor',
    title: { zh: '任务监控', en: 'Task monitor' },
    permissions: Permission.SUPER | Permission.ADMIN,
    menu: { group: 'ops' },
    component: page(() => import('../features/jobs/TaskMonitor.tsx'), 'TaskMonitor'),
  },
  {
    name: 'CeleryTaskLog',
    path: '/ops/celery/task/$id/log',
    title: { zh: '任务日志', en: 'Task log' },
    constant: true,
    unlisted: true,
    component: page(() => import('../features/jobs/TaskLog.tsx'), 'TaskLog'),
  },
];
