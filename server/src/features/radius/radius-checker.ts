import { randomUUID } from 'node:crypto';
import { systemCaller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { Rejected, Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { askRadius, type RadiusAnswer, RadiusUnanswered } from '../../platform/radius/client.ts';
import type { Writer } from '../../resources/write.ts';
import { importPerson } from '../identity/accounts/import-people.ts';
import type { PasswordChecker } from '../identity/sign-in/password-checkers.ts';
import type { SettingsService } from '../settings/service.ts';
import { configOf, savedForm } from './radius-settings.ts';

export interface RadiusCheckerOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly accounts: () => Writer;
  readonly log: Logger;
}

/** Checks passwords with the RADIUS servers of the settings, and creates accounts of people who sign in for the first time. */
export function createRadiusChecker({ db, settings, accounts, log }: RadiusCheckerOptions): PasswordChecker {
  const isOn = () => settings.get('AUTH_RADIUS');

  /** The acceptance; `undefined` when a server refuses the password, or wants more than a password. */
  const ask = async (username: string, password: string): Promise<RadiusAnswer | undefined> => {
    // A blank password proves nothing, and some servers accept it.
    if (!isOn() || password === '') return undefined;
    try {
      const answer = await askRadius(configOf(savedForm(settings)), username, password);
      if (answer.kind === 'challenge') log.warn({ username, server: answer.server }, 'the RADIUS server asks for more than a password, which is not supported');
      return answer.kind === 'accept' ? answer : undefined;
    } catch (error) {
      // Longer than the protocol carries: it cannot be the password.
      if (error instanceof RangeError) return undefined;
      if (!(error instanceof RadiusUnanswered)) throw error;
      log.warn({ reason: error.message }, 'no RADIUS server answered');
      throw new Unavailable('directory_unavailable', {}, { error: 'directory_unavailable' });
    }
  };

  return {
    source: 'radius',
    isAsked: isOn,
    pretend: async () => void (await ask(randomUUID(), randomUUID())),
    async check({ username }, password) {
      const answer = await ask(username, password);
      return answer !== undefined && isSameName(answer, username);
    },
    async provision(username, password, remoteAddress) {
      if (!settings.get('AUTH_RADIUS_CREATE_USERS')) return undefined;
      const answer = await ask(username, password);
      if (!answer || !isSameName(answer, username)) return undefined;
      // Servers compare names in their own ways. In lower case, every spelling that one takes leads to the same account.
      const person = { username: username.toLowerCase() };
      const imported = await importPerson(person, { source: 'radius', db, writer: accounts(), caller: systemCaller('RADIUS', remoteAddress) });
      // The password was right, so the answer may name the reason.
      if (imported?.result === 'refused') throw new Rejected(imported.reason, {}, { error: imported.reason });
      return imported?.id;
    },
  };
}

/** Whether the server means the person who was named: it may know several names of one person, and an account belongs to one. */
function isSameName({ username }: RadiusAnswer, asked: string): boolean {
  return username === undefined || username.toLowerCase() === asked.toLowerCase();
}
