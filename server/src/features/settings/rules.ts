import type { Problem, SettingCategoryName, Settings } from '@sallyport/contract';
import { readAttributeMap } from '../../platform/directory/connection.ts';
import { isProtected } from '../../platform/outgoing.ts';
import { patternProblem } from '../../platform/pattern.ts';
import { readServers } from '../../platform/radius/client.ts';

type Problems = Readonly<Record<string, Problem[]>>;
const REQUIRED: readonly Problem[] = [{ code: 'required' }];
const PERSON = ['username', 'name', 'email'] as const;

/** Validates a map of user fields to the names that a directory or a provider uses. */
function mapProblems(
  key: 'AUTH_LDAP_USER_ATTR_MAP' | 'AUTH_OPENID_USER_ATTR_MAP',
  value: unknown,
): Problems {
  const map = readAttributeMap(value);
  if (map && PERSON.every((field) => map[field])) return {};
  return { [key]: [{ code: 'directory_attribute_map' }] };
}

function patternProblems(pattern: string): Problems {
  const problem = patternProblem(pattern);
  return problem ? { TERMINAL_TELNET_REGEX: [problem] } : {};
}

function radiusProblems({
  AUTH_RADIUS_SERVERS: servers,
  AUTH_RADIUS_SECRET: secret,
  AUTH_RADIUS: isOn,
}: Settings): Problems {
  return {
    ...(!readServers(servers) && { AUTH_RADIUS_SERVERS: [{ code: 'radius_servers' }] }),
    // Without a server, RADIUS would fail every sign-in.
    ...(isOn && servers.trim() === '' && { AUTH_RADIUS_SERVERS: [...REQUIRED] }),
    ...(isOn && !secret && { AUTH_RADIUS_SECRET: [...REQUIRED] }),
  };
}

const SAML_FIELDS = new Set(['username', 'name', 'email', 'subject']);

function samlProblems(settings: Settings): Problems {
  const {
    AUTH_SAML_METADATA: text,
    AUTH_SAML_METADATA_URL: url,
    AUTH_SAML_USER_ATTR_MAP: map,
    AUTH_SAML: isOn,
  } = settings;
  const fields = Object.entries(map ?? {});
  const isGood = fields.every(
    ([field, attribute]) =>
      SAML_FIELDS.has(field) && typeof attribute === 'string' && attribute.trim() !== '',
  );
  return {
    ...(isOn && text.trim() === '' && url === '' && { AUTH_SAML_METADATA_URL: [...REQUIRED] }),
    ...(text.trim() !== '' &&
      url !== '' && { AUTH_SAML_METADATA: [{ code: 'saml_metadata_twice' }] }),
    ...(!(isGood && PERSON.every((field) => fields.some(([name]) => name === field))) && {
      AUTH_SAML_USER_ATTR_MAP: [{ code: 'saml_attribute_map' }],
    }),
  };
}

function casProblems({
  AUTH_CAS_SERVER_URL: address,
  AUTH_CAS_USER_ATTR_MAP: map,
  AUTH_CAS: isOn,
}: Settings): Problems {
  const fields = Object.entries(map ?? {});
  const isGood =
    fields.length === PERSON.length &&
    PERSON.every((field) =>
      fields.some(
        ([name, attribute]) =>
          name === field && typeof attribute === 'string' && attribute.trim() !== '',
      ),
    );
  return {
    ...(isOn && address === '' && { AUTH_CAS_SERVER_URL: [...REQUIRED] }),
    ...(address !== '' &&
      URL.canParse(address) &&
      !isProtected(new URL(address)) && { AUTH_CAS_SERVER_URL: [{ code: 'cas_address' }] }),
    ...(!isGood && { AUTH_CAS_USER_ATTR_MAP: [{ code: 'cas_attribute_map' }] }),
  };
}

/** Terminals show the text, so it has no control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function noticeProblems(settings: Settings): Problems {
  const { ANNOUNCEMENT_FROM: from, ANNOUNCEMENT_UNTIL: until } = settings;
  const isBackwards = from && until && new Date(until) <= new Date(from);
  return {
    ...(CONTROL.test(settings.SIGN_IN_NOTICE) && {
      SIGN_IN_NOTICE: [{ code: 'control_character' }],
    }),
    ...(settings.SIGN_IN_NOTICE_ACCEPT &&
      !settings.SIGN_IN_NOTICE && { SIGN_IN_NOTICE: [...REQUIRED] }),
    ...(isBackwards && { ANNOUNCEMENT_UNTIL: [{ code: 'date_order' }] }),
  };
}

function backupProblems(settings: Settings): Problems {
  const isNowhere = settings.BACKUP_STORAGE === '' && !settings.BACKUP_KEEP_FOLDER;
  return isNowhere ? { BACKUP_KEEP_FOLDER: [{ code: 'backup_nowhere' }] } : {};
}

const RULES: Readonly<Partial<Record<SettingCategoryName, (settings: Settings) => Problems>>> = {
  backup: backupProblems,
  email: (settings): Problems =>
    settings.EMAIL_USE_SSL && settings.EMAIL_USE_TLS
      ? { EMAIL_USE_TLS: [{ code: 'tls_twice' }] }
      : {},
  ldap: (settings) => mapProblems('AUTH_LDAP_USER_ATTR_MAP', settings.AUTH_LDAP_USER_ATTR_MAP),
  notices: noticeProblems,
  openid: (settings) => ({
    // Without a provider, the button on the sign-in page would lead nowhere.
    ...(settings.AUTH_OPENID &&
      !settings.AUTH_OPENID_ISSUER && { AUTH_OPENID_ISSUER: [...REQUIRED] }),
    ...(settings.AUTH_OPENID &&
      !settings.AUTH_OPENID_CLIENT_ID && { AUTH_OPENID_CLIENT_ID: [...REQUIRED] }),
    ...mapProblems('AUTH_OPENID_USER_ATTR_MAP', settings.AUTH_OPENID_USER_ATTR_MAP),
  }),
  cas: casProblems,
  radius: radiusProblems,
  saml: samlProblems,
  terminal: (settings) => patternProblems(settings.TERMINAL_TELNET_REGEX),
};

/** Validates the values of a category together, as they would be in force. */
export function problemsAcross(category: SettingCategoryName, settings: Settings): Problems {
  return RULES[category]?.(settings) ?? {};
}
