import { type RadiusConfig, readServers } from '../../platform/radius/client.ts';
import type { SettingsService } from '../../platform/settings/service.ts';

/** The settings of the RADIUS page, saved or from the form. */
export interface RadiusForm {
  readonly AUTH_RADIUS_SERVERS: string;
  readonly AUTH_RADIUS_SECRET: string;
  readonly AUTH_RADIUS_NAS_IDENTIFIER: string;
  readonly AUTH_RADIUS_TIMEOUT: number;
}

/** Converts a form to the client configuration. */
export function configOf(form: RadiusForm): RadiusConfig {
  return {
    servers: readServers(form.AUTH_RADIUS_SERVERS) ?? [],
    secret: form.AUTH_RADIUS_SECRET,
    identifier: form.AUTH_RADIUS_NAS_IDENTIFIER,
    seconds: form.AUTH_RADIUS_TIMEOUT,
  };
}

/** The settings in force. */
export function savedForm(settings: Pick<SettingsService, 'get'>): RadiusForm {
  return {
    AUTH_RADIUS_SERVERS: settings.get('AUTH_RADIUS_SERVERS'),
    AUTH_RADIUS_SECRET: settings.get('AUTH_RADIUS_SECRET'),
    AUTH_RADIUS_NAS_IDENTIFIER: settings.get('AUTH_RADIUS_NAS_IDENTIFIER'),
    AUTH_RADIUS_TIMEOUT: settings.get('AUTH_RADIUS_TIMEOUT'),
  };
}
