import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';
import { EMERGENCY_PATH } from './addresses.ts';

const menu = { group: 'access' } as const;

/** Rules of emergency access. */
export const emergencyScreens: readonly Screen[] = [
  ...resourceScreens(
    'emergency_access',
    {
      title: { zh: '紧急访问', en: 'Emergency access' },
      otherNames: [{ zh: '应急访问', en: 'Break glass' }],
      list: page(() => import('./EmergencyRules.tsx'), 'EmergencyRuleList'),
      form: page(() => import('./EmergencyRules.tsx'), 'EmergencyRuleForm'),
      detail: page(() => import('./EmergencyRules.tsx'), 'EmergencyRuleDetail'),
    },
    { menu, licenseRequired: true },
  ),
];

/** The page that opens emergency access. */
export const ownEmergencyScreens: readonly Screen[] = [
  {
    name: 'MyEmergencyAccess',
    path: EMERGENCY_PATH,
    title: { zh: '启用紧急访问', en: 'Open emergency access' },
    permissions: Permission.USE,
    licenseRequired: true,
    activeMenu: '/',
    component: page(() => import('./OpenEmergency.tsx'), 'OpenEmergency'),
  },
];
