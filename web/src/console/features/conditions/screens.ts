import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const conditions = () => import('./Conditions.tsx');
const signInRules = () => import('./SignInRules.tsx');
const menu = { group: 'access' } as const;

/** Conditions, networks and sign-in rules. */
export const conditionScreens: readonly Screen[] = [
  ...resourceScreens(
    'condition',
    {
      title: { zh: '访问条件', en: 'Conditions' },
      otherNames: [{ zh: '时段限制', en: 'Time and network restrictions' }],
      list: page(conditions, 'ConditionList'),
      form: page(conditions, 'ConditionForm'),
      detail: page(conditions, 'ConditionDetail'),
    },
    { menu },
  ),
  ...resourceScreens(
    'network',
    {
      title: { zh: '网络', en: 'Networks' },
      list: page(conditions, 'NetworkList'),
      form: page(conditions, 'NetworkForm'),
    },
    { menu },
  ),
  ...resourceScreens(
    'sign_in_rule',
    {
      title: { zh: '登录规则', en: 'Sign-in rules' },
      otherNames: [
        { zh: '登录限制', en: 'Sign-in restrictions' },
        { zh: '登录 IP 和时段', en: 'Sign-in hours and networks' },
      ],
      list: page(signInRules, 'SignInRuleList'),
      form: page(signInRules, 'SignInRuleForm'),
      detail: page(signInRules, 'SignInRuleDetail'),
    },
    { menu, permissions: Permission.SUPER | Permission.ADMIN },
  ),
];
