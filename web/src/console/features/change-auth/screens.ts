import { lazyRouteComponent as page } from '@tanstack/react-router';
import { pagesOf } from '../../base/resources.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const plans = () => import('./Plans.tsx');
const planForm = () => import('./PlanForm.tsx');
const executions = () => import('./Executions.tsx');
const secrets = { menu: { group: 'secrets' }, licenseRequired: true } as const;

/** Password changes; require a license. */
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
];
