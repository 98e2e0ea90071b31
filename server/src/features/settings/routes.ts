import { PRODUCT_VERSION, type PublicSettings } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { publicRoute } from '../../http/route.ts';
import type { SettingsService } from './service.ts';

/** What everybody may know before signing in (identity reference §6.2). */
export function mountPublicSettings(app: FastifyInstance, settings: SettingsService, demo: boolean): void {
  publicRoute(app, {
    method: 'GET',
    url: '/api/v1/settings/public/',
    summary: 'What everybody may know before signing in.',
    handler: (): { data: PublicSettings } => ({
      data: {
        WINDOWS_SKIP_ALL_MANUAL_PASSWORD: false,
        SECURITY_MAX_IDLE_TIME: settings.get('SECURITY_MAX_IDLE_TIME'),
        XPACK_ENABLED: false,
        XPACK_LICENSE_IS_VALID: false,
        LOGIN_CONFIRM_ENABLE: false,
        SECURITY_VIEW_AUTH_NEED_MFA: settings.get('SECURITY_VIEW_AUTH_NEED_MFA'),
        SECURITY_MFA_VERIFY_TTL: settings.get('SECURITY_MFA_VERIFY_TTL'),
        SECURITY_COMMAND_EXECUTION: settings.get('SECURITY_COMMAND_EXECUTION'),
        LOGO_URLS: { logo_logout: '/favicon.svg', logo_index: '/favicon.svg', login_image: '/favicon.svg', favicon: '/favicon.svg' },
        PASSWORD_RULE: {
          SECURITY_PASSWORD_MIN_LENGTH: settings.get('SECURITY_PASSWORD_MIN_LENGTH'),
          SECURITY_PASSWORD_UPPER_CASE: settings.get('SECURITY_PASSWORD_UPPER_CASE'),
          SECURITY_PASSWORD_LOWER_CASE: settings.get('SECURITY_PASSWORD_LOWER_CASE'),
          SECURITY_PASSWORD_NUMBER: settings.get('SECURITY_PASSWORD_NUMBER'),
          SECURITY_PASSWORD_SPECIAL_CHAR: settings.get('SECURITY_PASSWORD_SPECIAL_CHAR'),
        },
        DEMO_MODE: demo,
        VERSION: PRODUCT_VERSION,
      },
    }),
  });
}
