import { isFault, openingProblemOf, wordProblem } from '../../refusal.ts';
import type { Arrival } from './listener.ts';
import type { LivePassword } from './ports.ts';

/** The reason for which the server cannot look up a password. */
export interface Unsearched {
  readonly text: string;
  /** True if the address signs in too often. */
  readonly isLimit: boolean;
}

/**
 * Finds the short-lived password of a login name, or says why it cannot. The language of the user
 * is not known yet.
 */
export async function findPassword(
  { context: { passwords, ports }, remoteAddress }: Arrival,
  login: string,
): Promise<{ readonly password: LivePassword | undefined } | Unsearched> {
  try {
    await passwords.limit(remoteAddress);
    return { password: await passwords.find(login, remoteAddress) };
  } catch (error) {
    const problem = await openingProblemOf(error, ports.databaseAnswers);
    if (problem.code === 'too_many_requests')
      return {
        text: 'Too many attempts to sign in from this address. Try again later.',
        isLimit: true,
      };
    if (problem.code === 'connect_database_away' || isFault(problem))
      ports.log.error({ err: error }, 'a sign-in of a client of a database failed');
    return { text: wordProblem(problem, 'en'), isLimit: false };
  }
}
