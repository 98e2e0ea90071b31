import { createHash } from 'node:crypto';
import { type AttributeMap, type DirectoryConfig, PERSON_FIELDS } from '../../platform/directory/config.ts';
import type { SettingsService } from '../settings/service.ts';

/** The settings of the LDAP page, saved or as somebody has typed them. */
export interface LdapForm {
  readonly AUTH_LDAP_SERVER_URI: string;
  readonly AUTH_LDAP_START_TLS: boolean;
  readonly AUTH_LDAP_BIND_DN: string;
  readonly AUTH_LDAP_BIND_PASSWORD: string;
  readonly AUTH_LDAP_SEARCH_OU: string;
  readonly AUTH_LDAP_SEARCH_FILTER: string;
  readonly AUTH_LDAP_USER_ATTR_MAP: unknown;
}

/** Certificates that directories are verified by, in place of those of the machine. */
export type Authorities = readonly string[] | undefined;

/** The attribute map, as an object or as the text of one; undefined when it is neither. */
export function readAttributeMap(value: unknown): AttributeMap | undefined {
  let map = value;
  if (typeof value === 'string') {
    try {
      map = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return undefined;
  const entries = Object.entries(map as Record<string, unknown>);
  const isGood = entries.every(([field, attribute]) => PERSON_FIELDS.some((known) => known === field) && typeof attribute === 'string');
  if (!isGood) return undefined;
  return Object.fromEntries(entries.map(([field, attribute]) => [field, String(attribute).trim()]).filter(([, attribute]) => attribute !== ''));
}

/** How the directory of a form is reached and read. */
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

/** The settings that are in force. */
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

/** Tells whether people were read by the same settings. */
export function digestOf({ uri, bindDn, bases, filter, attributes }: DirectoryConfig): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([uri, bindDn, bases, filter, attributes]))
    .digest();
}
