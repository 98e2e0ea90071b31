import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { runCommandLine } from '../command-line.ts';
import { compileCache } from './compile-cache.ts';
import type { TestProgram } from './test-program.ts';

/** Bundled by the global setup of the tests. */
export const COMMANDS = resolve(import.meta.dirname, '../../dist/cli.mjs');

/** Result of an operator command. */
interface Outcome {
  /** Exit status. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Variables = Readonly<Record<string, string>>;

/**
 * Runs an operator command in this process, which costs a tenth of a new one, on a data folder with
 * the embedded database.
 */
export async function runOperatorCommandIn(
  folder: string,
  words: readonly string[],
  environment: Variables = {},
): Promise<Outcome> {
  const printed = { out: '', error: '' };
  const code = await runCommandLine(words, {
    environment: { SALLYPORT_DATA_DIR: folder, ...environment },
    print: (text) => {
      printed.out += text;
    },
    printError: (text) => {
      printed.error += text;
    },
  });
  return { code, stdout: printed.out, stderr: printed.error };
}

/**
 * Runs an operator command as operators do, in a separate process. Each command has one test that
 * needs it.
 */
export function executeOperatorCommandIn(
  folder: string,
  words: readonly string[],
  environment: Variables = {},
): Promise<Outcome> {
  const env = {
    ...compileCache(),
    PATH: process.env.PATH ?? '',
    NODE_NO_WARNINGS: '1',
    SALLYPORT_DATA_DIR: folder,
    ...environment,
  };
  return promisify(execFile)(process.execPath, [COMMANDS, ...words], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Outcome) => error,
  );
}

const databaseOf = ({ program }: TestProgram): Variables => ({
  SALLYPORT_DATABASE_URL: String(
    (program.database.pool.options as { connectionString?: string }).connectionString,
  ),
});

/** Runs an operator command in this process on the database and folder of a running program. */
export const runOperatorCommand = (
  test: TestProgram,
  words: readonly string[],
  environment: Variables = {},
) => runOperatorCommandIn(test.dataDirectory, words, { ...databaseOf(test), ...environment });

/** The same in a separate process. */
export const executeOperatorCommand = (
  test: TestProgram,
  words: readonly string[],
  environment: Variables = {},
) => executeOperatorCommandIn(test.dataDirectory, words, { ...databaseOf(test), ...environment });
