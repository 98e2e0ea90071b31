import {
  type Announcement,
  API_VERSION,
  type FeatureName,
  type OutsidePages,
  type PublicSettings,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { publicRoute } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { type Actor, oversees } from '../../platform/actor.ts';
import { textVersion } from '../../platform/crypto/text-version.ts';
import { RELEASE } from '../../platform/release.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { LicenseService } from '../license/index.ts';
import type { Mailer } from '../mail/index.ts';
import type { BrandingService } from './service.ts';

export interface PublicSettingsOptions {
  readonly settings: SettingsService;
  readonly license: LicenseService;
  readonly branding: BrandingService;
  readonly mailer: Pick<Mailer, 'isConfigured'>;
  readonly without: readonly FeatureName[];
  readonly demo: boolean;
  /** Fixes the address of links in place of the setting. */
  readonly publicUrl: string | undefined;
}

const logosOf = (branding: BrandingService) => {
  const { login_title: _title, ...logos } = branding.shown();
  return logos;
};

/** Returns the announcement if its period includes now. */
function announcementNow(settings: SettingsService): Announcement | undefined {
  const text = settings.get('ANNOUNCEMENT');
  const from = settings.get('ANNOUNCEMENT_FROM');
  const until = settings.get('ANNOUNCEMENT_UNTIL');
  const now = Date.now();
  if (!text || (from && Date.parse(from) > now) || (until && Date.parse(until) <= now))
    return undefined;
  const level = settings.get('ANNOUNCEMENT_LEVEL');
  const link = settings.get('ANNOUNCEMENT_LINK');
  const version = textVersion(text, level, link);
  return { text, level, link, closable: settings.get('ANNOUNCEMENT_CLOSABLE'), version };
}

const outsidePages = (settings: PublicSettingsOptions['settings']): OutsidePages => ({
  docs: settings.get('HELP_DOCS_URL'),
  support: settings.get('HELP_SUPPORT_URL'),
  enterprise: settings.get('HELP_ENTERPRISE_URL'),
  monitor: settings.get('TASK_MONITOR_URL'),
});

/** Returns the settings that are public before sign-in, and some for users. */
export type PublicSettingsReader = (actor?: Actor) => PublicSettings;

export function createPublicSettings({
  settings,
  license,
  branding,
  mailer,
  without,
  demo,
  publicUrl,
}: PublicSettingsOptions): PublicSettingsReader {
  return (actor) => {
    const announcement = actor?.isValid ? announcementNow(settings) : undefined;
    return {
      WINDOWS_SKIP_ALL_MANUAL_PASSWORD: false,
      SECURITY_MAX_IDLE_TIME: settings.get('SECURITY_MAX_IDLE_TIME'),
      XPACK_ENABLED: license.isLicensed(),
      XPACK_LICENSE_IS_VALID: license.isLicensed(),
      LOGIN_CONFIRM_ENABLE: settings.get('LOGIN_CONFIRM_ENABLE'),
      SECURITY_VIEW_AUTH_NEED_MFA: settings.get('SECURITY_VIEW_AUTH_NEED_MFA'),
      SECURITY_MFA_VERIFY_TTL: settings.get('SECURITY_MFA_VERIFY_TTL'),
      SECURITY_ACCESS_KEY_MAX_DAYS: settings.get('SECURITY_ACCESS_KEY_MAX_DAYS'),
      SECURITY_COMMAND_EXECUTION: settings.get('SECURITY_COMMAND_EXECUTION'),
      LOGO_URLS: logosOf(branding),
      LOGIN_TITLE: branding.shown().login_title,
      SIGN_IN_NOTICE: settings.get('SIGN_IN_NOTICE'),
      ...(announcement && { ANNOUNCEMENT: announcement }),
      ...(actor?.isValid && { OUTSIDE_PAGES: outsidePages(settings) }),
      ...(actor?.isValid && !publicUrl && { MAIL_SITE: settings.get('SITE_URL') }),
      PASSWORD_RULE: {
        SECURITY_PASSWORD_MIN_LENGTH: settings.get('SECURITY_PASSWORD_MIN_LENGTH'),
        SECURITY_PASSWORD_UPPER_CASE: settings.get('SECURITY_PASSWORD_UPPER_CASE'),
        SECURITY_PASSWORD_LOWER_CASE: settings.get('SECURITY_PASSWORD_LOWER_CASE'),
        SECURITY_PASSWORD_NUMBER: settings.get('SECURITY_PASSWORD_NUMBER'),
        SECURITY_PASSWORD_SPECIAL_CHAR: settings.get('SECURITY_PASSWORD_SPECIAL_CHAR'),
      },
      AUTH_OPENID_BUTTON: settings.get('AUTH_OPENID')
        ? settings.get('AUTH_OPENID_NAME') || 'OpenID'
        : '',
      AUTH_SAML_BUTTON: settings.get('AUTH_SAML') ? settings.get('AUTH_SAML_NAME') || 'SAML' : '',
      AUTH_CAS_BUTTON: settings.get('AUTH_CAS') ? settings.get('AUTH_CAS_NAME') || 'CAS' : '',
      PASSWORD_BY_MAIL: mailer.isConfigured(),
      TERMINAL_ASSET_LIST_PAGE_SIZE: settings.get('TERMINAL_ASSET_LIST_PAGE_SIZE'),
      TERMINAL_PUBLIC_KEY_AUTH: settings.get('TERMINAL_PUBLIC_KEY_AUTH'),
      ...(actor?.isValid && without.length > 0 && { FEATURES_OFF: without }),
      DEMO_MODE: demo,
      VERSION: API_VERSION,
      PRODUCT_VERSION: RELEASE.version,
      ...(oversees(actor) && RELEASE.commit && { PRODUCT_COMMIT: RELEASE.commit }),
    };
  };
}

/** Mounts the settings that are public before sign-in. */
export function mountPublicSettings(app: FastifyInstance, read: PublicSettingsReader): void {
  publicRoute(app, {
    method: 'GET',
    url: '/api/v1/settings/public/',
    summary: 'The settings that are public before sign-in.',
    // The values at the start serve as example.
    answer: samples({ data: read() }),
    recognizesCaller: true,
    handler: ({ actor }) => ({ data: read(actor) }),
  });
}
