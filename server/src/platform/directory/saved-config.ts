import { readFileSync } from 'node:fs';
import { StartError } from '../../config.ts';
import type { SettingsService } from '../settings/service.ts';
import { type DirectoryConfig, readAttributeMap } from './connection.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The settings of the LDAP page, saved or from the form. */
export interface LdapForm {
  readonly AUTH_LDAP_SERVER_URI: string;
  readonly AUTH_LDAP_START_TLS: boolean;
  readonly AUTH_LDAP_BIND_DN: string;
  readonly AUTH_LDAP_BIND_PASSWORD: string;
  readonly AUTH_LDAP_SEARCH_OU: string;
  readonly AUTH_LDAP_SEARCH_FILTER: string;
  readonly AUTH_LDAP_USER_ATTR_MAP: unknown;
  readonly AUTH_LDAP_GROUPS_ATTR?: string;
  readonly AUTH_LDAP_NESTED_GROUPS?: boolean;
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
    groups: form.AUTH_LDAP_GROUPS_ATTR || undefined,
    hasNestedGroups: form.AUTH_LDAP_NESTED_GROUPS ?? false,
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
    AUTH_LDAP_GROUPS_ATTR: settings.get('AUTH_LDAP_GROUPS_ATTR'),
    AUTH_LDAP_NESTED_GROUPS: settings.get('AUTH_LDAP_NESTED_GROUPS'),
  };
}

/**
 * Reads the certificates that verify directories.
 * @throws StartError if the file of the operator contains none
 */
export function readAuthorities(file: string | undefined): Authorities {
  if (file === undefined) return undefined;
  let content = '';
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(
      `SALLYPORT_LDAP_CA_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  const certificates = content.match(CERTIFICATE);
  if (!certificates)
    throw new StartError(`SALLYPORT_LDAP_CA_FILE: ${file} holds no certificate in PEM form.`);
  return certificates;
}
