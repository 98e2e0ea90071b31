import type { Connection } from '../protocols/connector.ts';
import { problemOf } from '../refusal.ts';
import type { RemoteProblem } from './words.ts';

/** The offers of a server to an account that it signed in. Undefined if the test did not show. */
export interface AccountServices {
  readonly runsCommands: boolean | undefined;
  readonly servesFiles: boolean | undefined;
}

/** Problems that say that the server runs no commands for the account. */
const NO_COMMANDS: ReadonlySet<string> = new Set([
  'connect_no_commands',
  'connect_no_channel',
  'remote_account',
]);

const NO_FILES: ReadonlySet<string> = new Set(['files_not_offered', 'files_text']);

/** Returns true if the server refused commands, and nothing else went wrong. */
export const refusesCommands = ({ code }: RemoteProblem): boolean => NO_COMMANDS.has(code);

/**
 * Finds what a signed-in account may do. `problem` is that of a command over the same connection.
 * Files come last: some devices end the connection when they are asked for SFTP.
 */
export async function probeServices(
  connection: Connection,
  problem: RemoteProblem | undefined,
): Promise<AccountServices> {
  const runsCommands = problem ? (refusesCommands(problem) ? false : undefined) : true;
  return { runsCommands, servesFiles: await servesFiles(connection) };
}

async function servesFiles({ openFiles }: Connection): Promise<boolean | undefined> {
  if (!openFiles) return undefined;
  try {
    (await openFiles(() => undefined)).close();
    return true;
  } catch (error) {
    return NO_FILES.has(problemOf(error).code) ? false : undefined;
  }
}
