import type { SettingsTest } from '../../settings/settings-tests.ts';
import type { OptionalFeature } from '../feature.ts';

export { ERRORS } from './errors.ts';
export { SETTINGS } from './settings.ts';

export const FEATURE = {
  title: { en: 'SCIM', zh: 'SCIM' },
  without: {
    en: 'Identity providers cannot create, change and shut accounts.',
    zh: '身份提供方无法创建、修改和停用账号。',
  },
  settings: ['scim'],
} as const satisfies OptionalFeature;

/** POST settings/scim/testing/ */
export type ScimTest = SettingsTest<'settings' | 'tokens' | 'address' | 'users' | 'groups'>;
