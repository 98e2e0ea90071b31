import type { Fields, LocalText } from '@sallyport/contract';
import type { FormGroup } from '../../resource/form/spec.ts';
import { words } from './words.ts';

/** Groups of a form: the title, and the names of its fields. The last group takes all others. */
const GROUPS: Readonly<Record<string, readonly (readonly [LocalText, RegExp])[]>> = {
  email: [[words.mailServer, /./]],
  email_content: [[words.createUser, /./]],
  notices: [
    [words.beforeSignIn, /^SIGN_IN/],
    [words.announcement, /^ANNOUNCEMENT/],
    [words.watermark, /./],
  ],
  ldap: [
    [words.directory, /^(?!AUTH_LDAP_SYNC_)/],
    [words.periodic, /./],
  ],
  scim: [[words.provider, /./]],
  backup: [
    [words.schedule, /ENABLED|EVERY|HOUR|RECORDINGS/],
    [words.copies, /STORAGE|FOLDER/],
    [words.keeping, /./],
  ],
  terminal: [
    [words.sshSignIn, /_AUTH$|OLD_CLIENTS/],
    [words.assetList, /ASSET_LIST|UNGROUP/],
    [words.recordings, /RECORDING|KEEP_DURATION/],
    [words.serversHere, /HEARTBEAT|STOP_WAIT|CANARY/],
    [words.sessions, /./],
  ],
  security: [
    [words.signIn, /MFA|CONFIRM|LOGIN_LIMIT|SIGN_IN|ACCESS_KEY|DUTIES/],
    [words.passwordRule, /PASSWORD/],
    [words.sessions, /IDLE|SESSION/],
    [words.jobs, /COMMAND|ASSET_TEST|PUSH|PARALLEL|JOB/],
    [words.records, /./],
  ],
};

/** Groups of a category's form. Fields unknown to this page get a group too. */
export function groupsOf(
  category: string,
  fields: Fields,
  title: LocalText = words.basicInfo,
): readonly FormGroup[] {
  const groups = GROUPS[category] ?? [[title, /./]];
  const left = new Set(Object.keys(fields));
  return groups.flatMap(([title, pattern]) => {
    const names = [...left].filter((name) => pattern.test(name));
    for (const name of names) left.delete(name);
    return names.length > 0 ? [{ title, fields: names }] : [];
  });
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
