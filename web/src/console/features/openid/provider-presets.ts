import type { LocalText } from '@sallyport/contract';
import { words } from './words.ts';

/** An identity provider with the values that its OpenID Connect settings usually have. */
export interface ProviderPreset {
  readonly key: string;
  readonly name: LocalText;
  /** The text that the administrator enters; absent if the issuer is always the same. */
  readonly ask?: { readonly label: LocalText; readonly example: string };
  /** Returns the issuer for the entered text. */
  readonly issuer: (entered: string) => string;
  readonly scopes: string;
  readonly claims: Readonly<Record<'username' | 'name' | 'email', string>>;
  /** Where to find the values at the provider. */
  readonly hint: LocalText;
}

const name = (text: string): LocalText => ({ en: text, zh: text });
const SCOPES = 'openid profile email';
const CLAIMS = { username: 'preferred_username', name: 'name', email: 'email' };

/** Removes a scheme and a path, so that a pasted address works as well as a host name. */
const hostIn = (text: string) =>
  text
    .trim()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '');

const asIssuer = (text: string) => text.trim().replace(/\/+$/, '');

/**
 * DingTalk, Feishu and WeCom have their own OAuth. An identity service in front of them
 * speaks OpenID Connect.
 */
const throughService = (key: string, label: LocalText): ProviderPreset => ({
  key,
  name: label,
  ask: {
    label: words.presetService,
    example: 'https://example.aliyunidaas.com/api/v2/app_1/oidc',
  },
  issuer: asIssuer,
  scopes: SCOPES,
  claims: CLAIMS,
  hint: words.presetServiceHint,
});

export const PROVIDER_PRESETS: readonly ProviderPreset[] = [
  {
    key: 'keycloak',
    name: name('Keycloak'),
    ask: { label: words.presetRealm, example: 'https://sso.example.com/realms/staff' },
    issuer: asIssuer,
    scopes: SCOPES,
    claims: CLAIMS,
    hint: words.presetKeycloak,
  },
  {
    key: 'entra',
    name: name('Entra ID'),
    ask: { label: words.presetTenant, example: '11111111-2222-3333-4444-555555555555' },
    issuer: (tenant) => `https://login.microsoftonline.com/${tenant.trim()}/v2.0`,
    scopes: SCOPES,
    claims: CLAIMS,
    hint: words.presetEntra,
  },
  {
    key: 'okta',
    name: name('Okta'),
    ask: { label: words.presetOktaDomain, example: 'example.okta.com' },
    issuer: (domain) => `https://${hostIn(domain)}`,
    scopes: SCOPES,
    claims: CLAIMS,
    hint: words.presetOkta,
  },
  {
    key: 'google',
    name: name('Google'),
    issuer: () => 'https://accounts.google.com',
    scopes: SCOPES,
    // Google has no user name apart from the address.
    claims: { ...CLAIMS, username: 'email' },
    hint: words.presetGoogle,
  },
  throughService('dingtalk', { en: 'DingTalk', zh: '钉钉' }),
  throughService('feishu', { en: 'Feishu', zh: '飞书' }),
  throughService('wecom', { en: 'WeCom', zh: '企业微信' }),
];

/** The values of the settings for a preset and the entered text. */
export const presetValues = (preset: ProviderPreset, entered: string, label: string) => ({
  AUTH_OPENID_NAME: label,
  AUTH_OPENID_ISSUER: preset.issuer(entered),
  AUTH_OPENID_SCOPES: preset.scopes,
  AUTH_OPENID_USER_ATTR_MAP: preset.claims,
});
