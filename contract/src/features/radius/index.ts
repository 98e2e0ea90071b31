import type { SettingsTest } from '../../settings/settings-tests.ts';
import { noSignIn, type OptionalFeature, type SignInSource } from '../feature.ts';

export { ERRORS } from './errors.ts';
export { SETTINGS } from './settings.ts';

export const FEATURE = {
  title: { en: 'RADIUS', zh: 'RADIUS' },
  without: noSignIn('RADIUS'),
  settings: ['radius'],
} as const satisfies OptionalFeature;

/** Its users, as a source of accounts. */
export const SOURCE = {
  value: 'radius',
  label: { en: 'Radius', zh: 'Radius' },
  service: 'RADIUS',
  way: 'password',
  reportsGroups: false,
  scim: true,
} as const satisfies SignInSource;

/** POST settings/radius/testing/config/ and settings/radius/testing/login/ */
export type RadiusTest = SettingsTest<'settings' | 'answer' | 'password'>;
