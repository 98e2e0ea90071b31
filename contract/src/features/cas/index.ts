import type { SettingsTest } from '../../settings/settings-tests.ts';
import { noSignIn, type OptionalFeature, type SignInSource } from '../feature.ts';

export { ERRORS } from './errors.ts';
export { SETTINGS } from './settings.ts';

export const FEATURE = {
  title: { en: 'CAS', zh: 'CAS' },
  without: noSignIn('CAS'),
  settings: ['cas'],
} as const satisfies OptionalFeature;

/** Its users, as a source of accounts. */
export const SOURCE = {
  value: 'cas',
  label: { en: 'CAS', zh: 'CAS' },
  service: 'CAS',
  way: 'page',
  reportsGroups: false,
  scim: true,
} as const satisfies SignInSource;

/** POST settings/cas/testing/ */
export type CasTest = SettingsTest<'login' | 'validation' | 'service'>;
