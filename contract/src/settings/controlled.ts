import { PRESETS } from '../api/presets.ts';
import { choice } from '../kit/field.ts';
import type { Resource } from '../kit/resource.ts';
import { Permission } from '../roles.ts';
import { label } from './kit.ts';
import { SETTING_CATEGORIES } from './settings.ts';

/** The compliance preset in force, which only presets and change sets set. */
const COMPLIANCE_PRESET = choice({
  ...label('Compliance preset', '合规预设'),
  choices: [
    { value: '', label: { en: 'None', zh: '无' } },
    ...PRESETS.map(({ name, title }) => ({ value: name, label: title })),
  ],
  defaultValue: '',
});

/**
 * All settings, which change control of the default organization holds, as the fields of one object
 * that change sets name.
 */
export const controlledSettings: Resource = {
  name: 'setting',
  table: 'setting',
  path: 'settings/setting',
  scope: 'global',
  title: { en: 'Settings', zh: '系统设置' },
  access: { update: Permission.SUPER | Permission.ADMIN },
  area: 'settings',
  fields: Object.assign(
    { COMPLIANCE_PRESET },
    ...Object.values(SETTING_CATEGORIES).map(({ fields }) => fields),
  ),
  parameters: [],
  labelField: 'name',
  miniFields: [],
  defaultOrder: [],
  audited: true,
};
