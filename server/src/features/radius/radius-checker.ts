import { randomUUID } from 'node:crypto';
import { systemCaller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { Rejected, Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import {
  askRadius,
  type RadiusAnswer,
  type RadiusConfig,
  RadiusUnanswered,
  readServers,
} from '../../platform/radius/client.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Writer } from '../../resources/write/writer.ts';
import {
  type Challenge,
  ChallengeAsked,
  importPerson,
  type PasswordChecker,
} from '../identity/index.ts';

/** Maximum characters of a displayed question. */
const MOST_MESSAGE = 500;

export interface RadiusCheckerOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly accounts: () => Writer;
  readonly log: Logger;
}

/**
 * Verifies passwords with the RADIUS servers in the settings, and creates the account at the first
 * sign-in.
 */
export function createRadiusChecker({
  db,
  settings,
  accounts,
  log,
}: RadiusCheckerOptions): PasswordChecker {
  const isOn = () => settings.get('AUTH_RADIUS');

  /**
   * Returns the acceptance, or undefined if a server rejects the password.
   * @throws ChallengeAsked if the server asks a question. `pretend` ignores it for random names.
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
      // Only the server that asked the question can verify the answer.
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
      if (answer.kind === 'accept') return answer;
      // The user may not read it: servers also answer wrong passwords with the state of an account.
      const reason = readable(answer.message);
      if (reason) log.info({ server: answer.server, reason }, 'a RADIUS server rejected a sign-in');
      return undefined;
    } catch (error) {
      // The password exceeds the limit of the protocol, so it cannot be right.
      if (error instanceof RangeError) return undefined;
      if (!(error instanceof RadiusUnanswered)) throw error;
      log.warn({ reason: error.message }, 'no RADIUS server answered');
      const code = error.isUnsigned ? 'radius_unsigned' : 'directory_unavailable';
      throw new Unavailable(code, {}, { error: code });
    }
  };

  /**
   * Creates the account of a verified user. Servers compare names differently, so the lower-case
   * name is used: every accepted spelling leads to one account.
   */
  const provisionAccount = async (
    username: string,
    remoteAddress: string,
  ): Promise<string | undefined> => {
    const person = { username: username.toLowerCase() };
    const imported = await importPerson(person, {
      source: 'radius',
      db,
      writer: accounts(),
      caller: systemCaller('RADIUS', remoteAddress),
    });
    // The password was right, so the error may contain the reason.
    if (imported?.result === 'refused')
      throw new Rejected(imported.reason, {}, { error: imported.reason });
    return imported?.id;
  };

  return {
    source: 'radius',
    isAsked: isOn,
    pretend: async () => {
      // A question for a random name counts as a rejection.
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
      return answer && isSameName(answer, username)
        ? provisionAccount(username, remoteAddress)
        : undefined;
    },
    async answer(username, text, challenge) {
      const answer = await ask(username, text, challenge);
      return answer !== undefined && isSameName(answer, username);
    },
    confirmed: (username, remoteAddress) =>
      settings.get('AUTH_RADIUS_CREATE_USERS')
        ? provisionAccount(username, remoteAddress)
        : Promise.resolve(undefined),
  };
}

/**
 * Returns true if the server means the requested user. Servers may know several names of one user,
 * while an account has one.
 */
function isSameName({ username }: RadiusAnswer, requested: string): boolean {
  return username === undefined || username.toLowerCase() === requested.toLowerCase();
}

/** Prepares a question for display: removes control characters and limits its length. */
const readable = (message: string): string =>
  message
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .trim()
    .slice(0, MOST_MESSAGE);

/** The settings of the RADIUS page, saved or from the form. */
export interface RadiusForm {
  readonly AUTH_RADIUS_SERVERS: string;
  readonly AUTH_RADIUS_SECRET: string;
  readonly AUTH_RADIUS_NAS_IDENTIFIER: string;
  readonly AUTH_RADIUS_TIMEOUT: number;
}

/** Converts a form to the client configuration. */
export function configOf(form: RadiusForm): RadiusConfig {
  return {
    servers: readServers(form.AUTH_RADIUS_SERVERS) ?? [],
    secret: form.AUTH_RADIUS_SECRET,
    identifier: form.AUTH_RADIUS_NAS_IDENTIFIER,
    seconds: form.AUTH_RADIUS_TIMEOUT,
  };
}

/** The settings in force. */
export function savedForm(settings: Pick<SettingsService, 'get'>): RadiusForm {
  return {
    AUTH_RADIUS_SERVERS: settings.get('AUTH_RADIUS_SERVERS'),
    AUTH_RADIUS_SECRET: settings.get('AUTH_RADIUS_SECRET'),
    AUTH_RADIUS_NAS_IDENTIFIER: settings.get('AUTH_RADIUS_NAS_IDENTIFIER'),
    AUTH_RADIUS_TIMEOUT: settings.get('AUTH_RADIUS_TIMEOUT'),
  };
}
