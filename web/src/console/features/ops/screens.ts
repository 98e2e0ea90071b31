import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { IconBolt } from '../../../kit/icons.ts';
import { pagesOf } from '../../base/resources.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const batchCommand = () => import('./BatchCommand.tsx');
const executions = () => import('./tasks/Executions.tsx');
const inside = { activeMenu: pagesOf('job').list };

const tasks = () => import('./tasks/Tasks.tsx');

/** Pages of scheduled jobs, which the list of jobs opens. */
export const taskPages = { form: page(tasks, 'TaskForm'), detail: page(tasks, 'TaskDetail') };

/** Runs of scheduled jobs, and batch commands. */
export const opsScreens: readonly Screen[] = [
  ...resourceScreens('adhoc', { detail: page(executions, 'VersionDetail') }, inside),
  ...resourceScreens('adhoc_execution', { detail: page(executions, 'ExecutionDetail') }, inside),
  {
    name: 'CommandExecutions',
    path: '/ops/command-executions/create',
    title: { zh: '批量命令', en: 'Batch command' },
    commandExecutionRequired: true,
    menu: { group: 'automation' },
    component: page(() => import('./BatchCommand.tsx'), 'BatchCommand'),
  },
];

/** Batch commands of the user area. */
export const ownBatchScreens: readonly Screen[] = [
  {
    name: 'MyCommandExecutions',
    path: '/command-executions',
    title: { zh: '批量命令', en: 'Batch command' },
    permissions: Permission.USE,
    commandExecutionRequired: true,
    menu: { icon: IconBolt },
    component: page(batchCommand, 'BatchCommand'),
  },
];
