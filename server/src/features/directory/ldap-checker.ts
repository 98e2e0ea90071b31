import { Refusal } from '../../http/problem.ts';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import type { Db } from '../../platform/db/database.ts';
import type { DirectoryPerson } from '../../platform/directory/config.ts';
import { checkPerson } from '../../platform/directory/directory.ts';
import { DirectoryError } from '../../platform/directory/trace.ts';
import type { Logger } from '../../platform/log.ts';
import { serviceAuthor } from '../audits/operate-log.ts';
import type { PasswordChecker } from '../identity/sign-in/password-checkers.ts';
import type { SettingsService } from '../settings/service.ts';
import { keepPerson } from './accounts.ts';
import { type Authorities, configOf, savedForm } from './ldap-settings.ts';

export interface LdapCheckerOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly authorities: Authorities;
  readonly audit: AuditWriter;
  readonly log: Logger;
}

/** Signs people in by the password that their directory knows, and keeps what it says of them. */
export function createLdapChecker({ db, settings, authorities, audit, log }: LdapCheckerOptions): PasswordChecker {
  /** The person; undefined when the directory says no. */
  const ask = async (username: string, password: string): Promise<DirectoryPerson | undefined> => {
    if (!settings.get('AUTH_LDAP')) return undefined;
    try {
      return (await checkPerson(configOf(savedForm(settings), authorities), username, password)).found;
    } catch (error) {
      if (!(error instanceof DirectoryError)) throw error;
      if (error.isAnswer) return undefined;
      log.warn({ step: error.step, reason: error.message }, 'the LDAP directory could not be asked');
      // Not a wrong password: it must neither be counted as one nor be told as one.
      throw new Refusal(503, 'directory_unavailable', {}, { error: 'directory_unavailable' });
    }
  };
  const keep = (person: DirectoryPerson, remoteAddress: string) => keepPerson(person, { db, audit, author: serviceAuthor('LDAP', remoteAddress) });
  return {
    source: 'ldap',
    async check({ username }, password, remoteAddress) {
      const person = await ask(username, password);
      // The filter may find people by more than their name, and somebody's mail address may be somebody else's name.
      if (person?.username.toLowerCase() !== username.toLowerCase()) return false;
      const taken = await keep(person, remoteAddress);
      if (taken?.result === 'refused') log.warn({ username, reason: taken.reason }, 'what the directory says of somebody was not taken over');
      return true;
    },
    async provision(username, password, remoteAddress) {
      const person = await ask(username, password);
      const taken = person && (await keep(person, remoteAddress));
      if (!taken) return undefined;
      // The password was right, so it may be said what is in the way.
      if (taken.result === 'refused') throw new Refusal(400, taken.reason, {}, { error: taken.reason });
      return taken.id;
    },
  };
}
