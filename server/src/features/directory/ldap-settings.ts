import { createHash } from 'node:crypto';
import { type DirectoryConfig, readAttributeMap } from '../../platform/directory/config.ts';
import type { SettingsService } from '../../platform/settings/service.ts';

/** The settings of the LDAP page, saved or from the form. */
export interface LdapForm {
  readonly AUTH_LDAP_SERVER_URI: string;
  readonly AUTH_LDAP_START_TLS: boolean;
  readonly AUTH_LDAP_BIND_DN: string;
  readonly AUTH_LDAP_BIND_PASSWORD: string;
  readonly AUTH_LDAP_SEARCH_OU: string;
  readonly AUTH_LDAP_SEARCH_FILTER: string;
  readonly AUTH_LDAP_USER_ATTR_MAP: unknown;
}

/** Certificates that verify directories, instead of those of the system. */
export type Authorities = readonly string[] | undefined;

/** Converts a form to the client configuration. */
export function configOf(form: LdapForm, authorities: Authorities): DirectoryConfig {
  return {
    uri: form.AUTH_LDAP_SERVER_URI,
    startTls: form.AUTH_LDAP_START_TLS,
    bindDn: form.AUTH_LDAP_BIND_DN,
    bindPassword: form.AUTH_LDAP_BIND_PASSWORD,
    bases: form.AUTH_LDAP_SEARCH_OU.split('|')
      .map((base) => base.trim())
      .filter(Boolean),
    filter: form.AUTH_LDAP_SEARCH_FILTER,
    attributes: readAttributeMap(form.AUTH_LDAP_USER_ATTR_MAP) ?? {},
    authorities,
  };
}

/** The settings in force. */
export function savedForm(settings: Pick<SettingsService, 'get'>): LdapForm {
  return {
    AUTH_LDAP_SERVER_URI: settings.get('AUTH_LDAP_SERVER_URI'),
    AUTH_LDAP_START_TLS: settings.get('AUTH_LDAP_START_TLS'),
    AUTH_LDAP_BIND_DN: settings.get('AUTH_LDAP_BIND_DN'),
    AUTH_LDAP_BIND_PASSWORD: settings.get('AUTH_LDAP_BIND_PASSWORD'),
    AUTH_LDAP_SEARCH_OU: settings.get('AUTH_LDAP_SEARCH_OU'),
    AUTH_LDAP_SEARCH_FILTER: settings.get('AUTH_LDAP_SEARCH_FILTER'),
    AUTH_LDAP_USER_ATTR_MAP: settings.get('AUTH_LDAP_USER_ATTR_MAP'),
  };
}

/** Digest of the settings that select people. Detects people that were read with other settings. */
export function digestOf({ uri, bindDn, bases, filter, attributes }: DirectoryConfig): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([uri, bindDn, bases, filter, attributes]))
    .digest();
}
