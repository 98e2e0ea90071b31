import type { SettingsTest } from '../../settings/settings-tests.ts';
import { noSignIn, type OptionalFeature, type SignInSource } from '../feature.ts';

export { ERRORS } from './errors.ts';
export { SETTINGS } from './settings.ts';

export const FEATURE = {
  title: { en: 'OpenID Connect', zh: 'OpenID Connect' },
  without: noSignIn('OpenID Connect'),
  settings: ['openid'],
} as const satisfies OptionalFeature;

/** Its users, as a source of accounts. */
export const SOURCE = {
  value: 'openid',
  label: { en: 'OpenID', zh: 'OpenID' },
  service: 'OpenID',
  way: 'page',
  reportsGroups: true,
  scim: true,
} as const satisfies SignInSource;

/** POST settings/openid/testing/ */
export type OpenidTest = SettingsTest<'discovery' | 'keys' | 'endpoints' | 'client' | 'redirect'>;
