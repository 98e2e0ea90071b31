import type { Resource } from '../kit/resource.ts';
import { Permission } from '../roles.ts';
import { ALERT_SETTINGS } from './alerts.ts';
import { SECURITY_SETTINGS } from './security.ts';
import { SIGN_IN_SETTINGS } from './sign-in.ts';
import { TERMINAL_SETTINGS } from './terminal.ts';

/** Categories that change control of the default organization holds. */
const CONTROLLED_CATEGORIES = {
  ...SIGN_IN_SETTINGS,
  ...TERMINAL_SETTINGS,
  ...SECURITY_SETTINGS,
  ...ALERT_SETTINGS,
};

/** The controlled settings, declared as the fields of one object, which change sets name. */
export const controlledSettings: Resource = {
  name: 'setting',
  table: 'setting',
  path: 'settings/setting',
  scope: 'global',
  title: { en: 'Settings', zh: '系统设置' },
  access: { update: Permission.SUPER | Permission.ADMIN },
  area: 'settings',
  fields: Object.assign({}, ...Object.values(CONTROLLED_CATEGORIES).map(({ fields }) => fields)),
  parameters: [],
  labelField: 'name',
  miniFields: [],
  defaultOrder: [],
  audited: true,
};
