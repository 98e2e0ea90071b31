import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BuiltUser } from '../builders.ts';
import type { Client, Json } from '../client.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';
import { bearer } from '../sign-in.ts';
import type { TestProgram } from '../test-program.ts';

/** Bundled by the global setup of the tests. */
const FILE = resolve(import.meta.dirname, '../../../../sallyctl/dist/sallyctl.mjs');

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** sallyctl on a separate machine: a home folder, and the client programs of tests. */
export interface Machine {
  readonly home: string;
  /** The file with the sign-in. */
  readonly file: string;
  run(words: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Result>;
  /** Begins a sign-in; returns the code that it shows, and its end. */
  begin(
    test: TestProgram,
    words?: readonly string[],
  ): Promise<{ readonly code: string; readonly ended: Promise<Result> }>;
  /** Signs in as a user, who confirms. */
  signIn(test: TestProgram, user: BuiltUser): Promise<void>;
  stop(): Promise<void>;
}

const PROGRAMS: Readonly<Record<string, string>> = {
  ssh: 'ssh-program.ts',
  scp: 'show-program.ts',
  mysql: 'show-program.ts',
  mariadb: 'show-program.ts',
  psql: 'show-program.ts',
};

/** Confirms the sign-in of a device like the console. */
export async function confirmDevice(
  test: TestProgram,
  user: BuiltUser,
  code: string,
): Promise<{ readonly status: number; readonly body: Json }> {
  const own = await bearer(test, user);
  return own.post<Json>('authentication/device/confirm/', {
    user_code: code,
    password: user.password,
  });
}

export async function prepareMachine(): Promise<Machine> {
  const home = await mkdtemp(join(tmpdir(), 'sallyctl-home-'));
  const programs = join(home, 'bin');
  await mkdir(programs);
  for (const [name, source] of Object.entries(PROGRAMS)) {
    const path = join(programs, name);
    const file = join(import.meta.dirname, source);
    await writeFile(path, `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`);
    await chmod(path, 0o755);
  }
  const running = new Set<ChildProcess>();
  const start = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [FILE, ...words], {
      cwd: home,
      env: {
        HOME: home,
        XDG_CONFIG_HOME: join(home, 'config'),
        TMPDIR: home,
        PATH: `${programs}:${process.env.PATH}`,
        LANG: 'en_US.UTF-8',
        NODE_NO_WARNINGS: '1',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    const ended = once(child, 'close').then(([code]): Result => {
      running.delete(child);
      return { code: code as number | null, ...output };
    });
    return { output, ended };
  };
  const machine: Machine = {
    home,
    file: join(home, 'config/sallyctl/sign-in.json'),
    run: (words, environment) => start(words, environment).ended,
    async begin(test, words = []) {
      const { output, ended } = start(['login', test.program.url, '--no-browser', ...words]);
      await until(() => /\n {2}[B-Z]{4}-[B-Z]{4}\n/.test(output.stdout), 'sallyctl shows a code');
      return { code: / {2}([B-Z]{4}-[B-Z]{4})\n/.exec(output.stdout)?.[1] ?? '', ended };
    },
    async signIn(test, user) {
      const { code, ended } = await machine.begin(test);
      const { status, body } = await confirmDevice(test, user, code);
      if (status !== 204) throw new Error(`not confirmed: ${status} ${JSON.stringify(body)}`);
      const { code: exit, stderr } = await ended;
      if (exit !== 0) throw new Error(`not signed in: ${exit} ${stderr}`);
    },
    async stop() {
      for (const child of running) child.kill('SIGKILL');
      await removeFolder(home);
    },
  };
  return machine;
}

/** A client with the token that a machine has stored. */
export const clientOf = (test: TestProgram, token: string): Client =>
  test.visitor.with({ authorization: `Bearer ${token}` });
