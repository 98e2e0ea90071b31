import type { Problem, SettingCategoryName, Settings } from '@sallyport/contract';
import { readAttributeMap } from '../../platform/directory/config.ts';
import { patternProblem } from '../../platform/pattern.ts';

type Problems = Readonly<Record<string, Problem[]>>;
const REQUIRED: readonly Problem[] = [{ code: 'required' }];
const PERSON = ['username', 'name', 'email'] as const;

/** What is wrong with a map of a person's fields to names that a directory or a provider uses. */
function mapProblems(key: 'AUTH_LDAP_USER_ATTR_MAP' | 'AUTH_OPENID_USER_ATTR_MAP', value: unknown): Problems {
  const map = readAttributeMap(value);
  if (map && PERSON.every((field) => map[field])) return {};
  return { [key]: [{ code: 'directory_attribute_map' }] };
}

function patternProblems(pattern: string): Problems {
  const problem = patternProblem(pattern);
  return problem ? { TERMINAL_TELNET_REGEX: [problem] } : {};
}

const RULES: Readonly<Partial<Record<SettingCategoryName, (settings: Settings) => Problems>>> = {
  email: (settings): Problems => (settings.EMAIL_USE_SSL && settings.EMAIL_USE_TLS ? { EMAIL_USE_TLS: [{ code: 'tls_twice' }] } : {}),
  ldap: (settings) => mapProblems('AUTH_LDAP_USER_ATTR_MAP', settings.AUTH_LDAP_USER_ATTR_MAP),
  openid: (settings) => ({
    // Switched on without its provider it would put a button on the sign-in page that leads nowhere.
    ...(settings.AUTH_OPENID && !settings.AUTH_OPENID_ISSUER && { AUTH_OPENID_ISSUER: [...REQUIRED] }),
    ...(settings.AUTH_OPENID && !settings.AUTH_OPENID_CLIENT_ID && { AUTH_OPENID_CLIENT_ID: [...REQUIRED] }),
    ...mapProblems('AUTH_OPENID_USER_ATTR_MAP', settings.AUTH_OPENID_USER_ATTR_MAP),
  }),
  terminal: (settings) => patternProblems(settings.TERMINAL_TELNET_REGEX),
};

/** The rules across the keys of a category, over what would be in force. */
export function problemsAcross(category: SettingCategoryName, settings: Settings): Problems {
  return RULES[category]?.(settings) ?? {};
}
