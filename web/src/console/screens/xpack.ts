import { lazyRouteComponent as page } from '@tanstack/react-router';
import { pagesOf } from '../base/resources.ts';
import type { Screen } from '../base/screen.ts';
import { resourceScreens } from './resource-screens.ts';

const gathered = () => import('../features/xpack/GatheredUsers.tsx');
const tasks = () => import('../features/xpack/GatherTasks.tsx');
const plans = () => import('../features/change-auth/Plans.tsx');
const planForm = () => import('../features/change-auth/PlanForm.tsx');
const executions = () => import('../features/change-auth/Executions.tsx');
const cloud = () => import('../features/cloud/Accounts.tsx');
const cloudTasks = () => import('../features/cloud/Tasks.tsx');
const CENTER = '/xpack/cloud';
const secrets = { menu: { group: 'secrets' }, licenseRequired: true } as const;

/** Accounts and instances of clouds; require a license. */
export const cloudScreens: readonly Screen[] = [
  {
    name: 'CloudCenter',
    path: CENTER,
    title: { zh: '云管中心', en: 'Cloud center' },
    component: page(() => import('../features/cloud/Tasks.tsx'), 'CloudCenter'),
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

/** Password changes, and accounts found on assets; require a license. */
export const rotationScreens: readonly Screen[] = [
  ...resourceScreens(
    'change_auth_plan',
    {
      title: { zh: '改密计划', en: 'Rotation plans' },
      otherNames: [
        { zh: '密码与云管', en: 'Secrets and cloud' },
        { zh: '自动改密', en: 'Change auth plan' },
        { zh: '企业版功能', en: 'X-Pack' },
      ],
      list: page(plans, 'PlanList'),
      form: page(planForm, 'PlanForm'),
      detail: page(plans, 'PlanDetail'),
    },
    secrets,
  ),
  ...resourceScreens(
    'change_auth_execution',
    { detail: page(executions, 'ExecutionDetail') },
    {
      licenseRequired: true,
      activeMenu: pagesOf('change_auth_plan').list,
      titles: { detail: { zh: '执行详情', en: 'Run detail' } },
    },
  ),
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
