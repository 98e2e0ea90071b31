import type { SettingsTest } from '../../settings/settings-tests.ts';
import { noSignIn, type OptionalFeature, type SignInSource } from '../feature.ts';

export { ERRORS } from './errors.ts';
export { SETTINGS } from './settings.ts';

export const FEATURE = {
  title: { en: 'SAML', zh: 'SAML' },
  without: noSignIn('SAML'),
  settings: ['saml'],
} as const satisfies OptionalFeature;

/** Its users, as a source of accounts. */
export const SOURCE = {
  value: 'saml',
  label: { en: 'SAML', zh: 'SAML' },
  service: 'SAML',
  way: 'page',
  reportsGroups: true,
  scim: true,
  imported: 'saml2',
} as const satisfies SignInSource;

/** POST settings/saml/testing/ */
export type SamlTest = SettingsTest<
  'metadata' | 'endpoints' | 'certificates' | 'ourselves' | 'request'
>;
