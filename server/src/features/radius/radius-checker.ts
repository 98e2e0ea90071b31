import { randomUUID } from 'node:crypto';
import { systemCaller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { Rejected, Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { askRadius, type RadiusAnswer, RadiusUnanswered } from '../../platform/radius/client.ts';
import type { Writer } from '../../resources/write.ts';
import { importPerson } from '../identity/accounts/import-people.ts';
import {
  type Challenge,
  ChallengeAsked,
  type PasswordChecker,
} from '../identity/sign-in/password-checkers.ts';
import type { SettingsService } from '../settings/service.ts';
import { configOf, savedForm } from './radius-settings.ts';

/** The longest question that is shown. */
const MOST_MESSAGE = 500;

export interface RadiusCheckerOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly accounts: () => Writer;
  readonly log: Logger;
}

/**
 * Checks passwords with the RADIUS servers of the settings, and creates accounts of people who sign
 * in for the first time.
 */
export function createRadiusChecker({
  db,
  settings,
  accounts,
  log,
}: RadiusCheckerOptions): PasswordChecker {
  const isOn = () => settings.get('AUTH_RADIUS');

  /**
   * The acceptance; `undefined` when a server refuses the password. @throws ChallengeAsked when it
   * asks for more; that is never asked about a name that is made up
   */
  const ask = async (
    username: string,
    password: string,
    challenge?: Pick<Challenge, 'server' | 'state'>,
  ): Promise<RadiusAnswer | undefined> => {
    // A blank password proves nothing, and some servers accept it.
    if (!isOn() || password === '') return undefined;
    try {
      const config = configOf(savedForm(settings));
      // Only the server that asked knows its question.
      const servers = challenge
        ? config.servers.filter(({ host, port }) => `${host}:${port}` === challenge.server)
        : config.servers;
      const answer = await askRadius({ ...config, servers }, username, password, challenge?.state);
      if (answer.kind === 'challenge')
        throw new ChallengeAsked('radius', {
          server: answer.server,
          state: answer.state,
          message: readable(answer.message),
        });
      return answer.kind === 'accept' ? answer : undefined;
    } catch (error) {
      // Longer than the protocol carries: it cannot be the password.
      if (error instanceof RangeError) return undefined;
      if (!(error instanceof RadiusUnanswered)) throw error;
      log.warn({ reason: error.message }, 'no RADIUS server answered');
      throw new Unavailable('directory_unavailable', {}, { error: 'directory_unavailable' });
    }
  };

  /**
   * Makes the account of a person whom the server confirmed. Servers compare names in their own
   * ways. In lower case, every spelling that one takes leads to the same account.
   */
  const make = async (username: string, remoteAddress: string): Promise<string | undefined> => {
    const person = { username: username.toLowerCase() };
    const imported = await importPerson(person, {
      source: 'radius',
      db,
      writer: accounts(),
      caller: systemCaller('RADIUS', remoteAddress),
    });
    // The password was right, so the answer may name the reason.
    if (imported?.result === 'refused')
      throw new Rejected(imported.reason, {}, { error: imported.reason });
    return imported?.id;
  };

  return {
    source: 'radius',
    isAsked: isOn,
    pretend: async () => {
      // A question for a name that nobody has is no answer either.
      await ask(randomUUID(), randomUUID()).catch((error: unknown) => {
        if (!(error instanceof ChallengeAsked)) throw error;
      });
    },
    async check({ username }, password) {
      const answer = await ask(username, password);
      return answer !== undefined && isSameName(answer, username);
    },
    async provision(username, password, remoteAddress) {
      if (!settings.get('AUTH_RADIUS_CREATE_USERS')) return undefined;
      const answer = await ask(username, password);
      return answer && isSameName(answer, username) ? make(username, remoteAddress) : undefined;
    },
    async answer(username, text, challenge) {
      const answer = await ask(username, text, challenge);
      return answer !== undefined && isSameName(answer, username);
    },
    confirmed: (username, remoteAddress) =>
      settings.get('AUTH_RADIUS_CREATE_USERS')
        ? make(username, remoteAddress)
        : Promise.resolve(undefined),
  };
}

/**
 * Whether the server means the person who was named: it may know several names of one person, and
 * an account belongs to one.
 */
function isSameName({ username }: RadiusAnswer, asked: string): boolean {
  return username === undefined || username.toLowerCase() === asked.toLowerCase();
}

/**
 * What of a server's question a person reads: some hundred letters in lines, and no control
 * characters.
 */
const readable = (message: string): string =>
  message
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .trim()
    .slice(0, MOST_MESSAGE);
