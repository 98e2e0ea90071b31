import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { pagesOf } from '../../base/resources.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';
import { taskPages } from '../ops/index.ts';

const jobs = () => import('./Jobs.tsx');
const inside = { activeMenu: pagesOf('job').list };

/** Jobs. The addresses of tasks and of the monitor open the same page. */
export const jobScreens: readonly Screen[] = [
  ...resourceScreens(
    'job',
    {
      title: { zh: '任务', en: 'Jobs' },
      otherNames: [
        { zh: '作业中心', en: 'Job center' },
        { zh: '作业列表', en: 'Tasks' },
        { zh: '任务列表', en: 'Background jobs' },
      ],
      list: page(jobs, 'AllJobs'),
      detail: page(() => import('./JobDetail.tsx'), 'JobDetail'),
    },
    // Super auditors read the jobs of the task monitor.
    { menu: { group: 'automation' }, alsoFor: Permission.SUPER },
  ),
  ...resourceScreens(
    'ops_task',
    {
      title: { zh: '定时任务', en: 'Scheduled jobs' },
      list: page(jobs, 'ScheduledJobs'),
      update: taskPages.form,
      detail: taskPages.detail,
    },
    inside,
  ),
  {
    name: 'TaskMonitor',
    path: '/ops/task/monitor',
    title: { zh: '运行中的任务', en: 'Running jobs' },
    otherNames: [{ zh: '任务监控', en: 'Task monitor' }],
    permissions: Permission.SUPER,
    ...inside,
    component: page(jobs, 'RunningJobs'),
  },
  {
    name: 'CeleryTaskLog',
    path: '/ops/celery/task/$id/log',
    title: { zh: '任务日志', en: 'Task log' },
    constant: true,
    unlisted: true,
    component: page(() => import('./TaskLog.tsx'), 'TaskLog'),
  },
];
