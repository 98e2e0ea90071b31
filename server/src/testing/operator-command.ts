import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { compileCache } from './compile-cache.ts';
import type { TestProgram } from './test-program.ts';

/** Bundled by the global setup of the tests. */
const COMMANDS = resolve(import.meta.dirname, '../../dist/cli.mjs');

/** Runs an operator command on a data folder with the embedded database. */
export function runOperatorCommandIn(
  folder: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const env = {
    ...compileCache(),
    PATH: process.env.PATH ?? '',
    NODE_NO_WARNINGS: '1',
    SALLYPORT_DATA_DIR: folder,
    ...environment,
  };
  return promisify(execFile)(process.execPath, [COMMANDS, ...words], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

/** Runs an operator command on the database and folder of a running program. */
export function runOperatorCommand(
  test: TestProgram,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const url = String(
    (test.program.database.pool.options as { connectionString?: string }).connectionString,
  );
  return runOperatorCommandIn(test.dataDirectory, words, {
    SALLYPORT_DATABASE_URL: url,
    ...environment,
  });
}
