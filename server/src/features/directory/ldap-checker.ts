import { createHash, randomUUID } from 'node:crypto';
import { systemCaller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { DirectoryConfig, DirectoryPerson } from '../../platform/directory/connection.ts';
import { type CheckedPerson, checkPerson } from '../../platform/directory/directory.ts';
import { type Authorities, configOf, savedForm } from '../../platform/directory/saved-config.ts';
import { DirectoryError } from '../../platform/directory/trace.ts';
import { Rejected, Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Writer } from '../../resources/write/writer.ts';
import {
  importPerson,
  keepPasswordEnd,
  NotConfirmed,
  type PasswordChecker,
  unconfirmed,
} from '../identity/index.ts';
import { isNamed, REFUSALS } from './refusals.ts';

export interface LdapCheckerOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly authorities: Authorities;
  readonly accounts: () => Writer;
  readonly log: Logger;
}

/** Verifies passwords with the directory, and updates accounts from it. */
export function createLdapChecker({
  db,
  settings,
  authorities,
  accounts,
  log,
}: LdapCheckerOptions): PasswordChecker {
  /**
   * Returns the person; undefined if LDAP is off.
   * @throws NotConfirmed, Rejected if the directory refuses the account, Unavailable
   */
  const ask = async (username: string, password: string): Promise<CheckedPerson | undefined> => {
    if (!settings.get('AUTH_LDAP')) return undefined;
    try {
      const { result } = await checkPerson(
        configOf(savedForm(settings), authorities),
        username,
        password,
      );
      return result;
    } catch (error) {
      if (!(error instanceof DirectoryError)) throw error;
      const { refusal } = error;
      if (refusal === 'unknown_name') throw new NotConfirmed('directory_unknown_person');
      if (refusal === 'wrong_password') throw new NotConfirmed('password_failed');
      if (refusal) {
        const code = REFUSALS[refusal];
        log.info({ code, reason: error.message }, 'the LDAP directory refused a user');
        throw new Rejected(code, {}, { error: code });
      }
      log.warn(
        { step: error.step, reason: error.message },
        'the LDAP directory could not be reached',
      );
      // Reported differently from a wrong password.
      throw new Unavailable('directory_unavailable', {}, { error: 'directory_unavailable' });
    }
  };
  const keep = (person: DirectoryPerson, remoteAddress: string) =>
    importPerson(person, {
      source: 'ldap',
      db,
      writer: accounts(),
      caller: systemCaller('LDAP', remoteAddress),
    });
  return {
    source: 'ldap',
    isAsked: () => settings.get('AUTH_LDAP'),
    // A random username is searched but never used to bind, so no account of the directory gets
    // locked.
    pretend: async () => void (await ask(randomUUID(), randomUUID()).catch(unconfirmed)),
    async check({ id, username }, password, remoteAddress) {
      const person = await ask(username, password);
      if (!person) return false;
      // The filter may match more than usernames, and the e-mail address of one user may be the
      // username of another.
      if (!isNamed(person, username)) throw new NotConfirmed('directory_unknown_person');
      const imported = await keep(person, remoteAddress);
      // The directory gave the username to another person.
      const isOther =
        imported?.result === 'refused'
          ? imported.reason === 'directory_other_person'
          : imported !== undefined && imported.id !== id;
      if (isOther)
        throw new Rejected('directory_other_person', {}, { error: 'directory_other_person' });
      if (imported?.result === 'refused')
        log.warn(
          { username, reason: imported.reason },
          'what the directory says of an account was not imported',
        );
      await keepPasswordEnd(id, person.password, db);
      return true;
    },
    async provision(username, password, remoteAddress) {
      const person = await ask(username, password);
      const imported = person && (await keep(person, remoteAddress));
      if (!imported) return undefined;
      // The password was right, so the error may contain the reason.
      if (imported.result === 'refused')
        throw new Rejected(imported.reason, {}, { error: imported.reason });
      await keepPasswordEnd(imported.id, person.password, db);
      return imported.id;
    },
  };
}

/** Digest of the settings that decide which people are listed, and under which names. */
export function peopleDigestOf({ uri, bases, filter, attributes }: DirectoryConfig): string {
  return createHash('sha256')
    .update(JSON.stringify([uri, bases, filter, attributes.username]))
    .digest('hex');
}

/** Digest of the settings that select people. Detects people that were read with other settings. */
export function digestOf(config: DirectoryConfig): Buffer {
  const { uri, bindDn, bases, filter, attributes, groups, hasNestedGroups } = config;
  return createHash('sha256')
    .update(JSON.stringify([uri, bindDn, bases, filter, attributes, groups, hasNestedGroups]))
    .digest();
}
