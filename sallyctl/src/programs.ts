import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Failure } from './failure.ts';
import { t } from './language.ts';
import { words } from './words.ts';

/** Runs a program in this terminal; returns its exit status. @throws Failure if it is missing */
export function runProgram(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    });
    // The terminal sends Ctrl-C to both; the program decides.
    const ignore = () => undefined;
    const end = () => void child.kill('SIGTERM');
    process.on('SIGINT', ignore).on('SIGQUIT', ignore);
    process.on('SIGTERM', end).on('SIGHUP', end);
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Failure(
          error.code === 'ENOENT' ? t(words.noProgram, { program: command }) : error.message,
        ),
      ),
    );
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal ? (constants.signals[signal] ?? 0) : 0)),
    );
  });
}

/** Runs work with a private folder that is removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyctl-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Asks the user; undefined without a terminal. */
export async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await reader.question(question);
  } finally {
    reader.close();
  }
}
