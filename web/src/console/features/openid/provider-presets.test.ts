import { expect, it } from 'vitest';
import { PROVIDER_PRESETS, presetValues } from './provider-presets.ts';

const issuerOf = (key: string, entered: string) => {
  const preset = PROVIDER_PRESETS.find((one) => one.key === key);
  if (!preset) throw new Error(key);
  return presetValues(preset, entered, 'Company').AUTH_OPENID_ISSUER;
};

it('builds the issuer from a realm, a tenant or a domain', () => {
  expect(issuerOf('keycloak', ' https://sso.example.com/realms/staff/ ')).toBe(
    'https://sso.example.com/realms/staff',
  );
  expect(issuerOf('entra', 'contoso.example ')).toBe(
    'https://login.microsoftonline.com/contoso.example/v2.0',
  );
  expect(issuerOf('okta', 'https://example.okta.com/admin')).toBe('https://example.okta.com');
  expect(issuerOf('okta', 'example.okta.com')).toBe('https://example.okta.com');
  expect(issuerOf('google', '')).toBe('https://accounts.google.com');
  expect(issuerOf('wecom', 'https://idaas.example.com/app/oidc')).toBe(
    'https://idaas.example.com/app/oidc',
  );
});

it('takes the email as the username only where the provider has no other', () => {
  const byEmail = PROVIDER_PRESETS.filter(({ claims }) => claims.username === 'email');
  expect(byEmail.map(({ key }) => key)).toEqual(['google']);
});
