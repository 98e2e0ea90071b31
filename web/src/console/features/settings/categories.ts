import type { Fields, LocalText } from '@sallyport/contract';
import type { FormGroup } from '../../resource/form/spec.ts';
import { words } from './words.ts';

const PERIODIC = /^AUTH_LDAP_SYNC_/;
const PASSWORD_RULES = /^SECURITY_PASSWORD_(?!EXPIRATION)/;

/** Titles of categories with a single card. */
const TITLES = {
  email: words.mailServer,
  ldap: words.directory,
  radius: words.servers,
  openid: words.provider,
  saml: words.provider,
  cas: words.servers,
  scim: words.provider,
  terminal: words.sessions,
} as const;

const isTitled = (category: string): category is keyof typeof TITLES =>
  Object.hasOwn(TITLES, category);

/** Groups of a category's form. Fields unknown to this page get a group too. */
export function groupsOf(category: string, fields: Fields): readonly FormGroup[] {
  const names = Object.keys(fields);
  if (category === 'email_content') return [{ title: words.createUser, fields: names }];
  const apart = (first: LocalText, second: LocalText, isSecond: RegExp): readonly FormGroup[] =>
    [
      { title: first, fields: names.filter((name) => !isSecond.test(name)) },
      { title: second, fields: names.filter((name) => isSecond.test(name)) },
    ].filter((group) => group.fields.length > 0);
  if (category === 'security') return apart(words.security, words.passwordRule, PASSWORD_RULES);
  if (category === 'ldap') return apart(TITLES.ldap, words.periodic, PERIODIC);
  return [{ title: isTitled(category) ? TITLES[category] : words.basicInfo, fields: names }];
}

/**
 * Error messages of one category, by field name. Messages of other categories keep their full name.
 */
export function messagesIn(
  category: string,
  messages: Readonly<Record<string, readonly string[]>>,
): Record<string, readonly string[]> {
  const prefix = `${category}.`;
  return Object.fromEntries(
    Object.entries(messages).map(([name, texts]) => [
      name.startsWith(prefix) ? name.slice(prefix.length) : name,
      texts,
    ]),
  );
}

/** The name of a category's tab in the address, such as `EmailContent`. */
export function tabName(category: string): string {
  return category
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
