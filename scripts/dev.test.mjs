import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { claimFolder } from '../server/src/platform/process/folder-lock.ts';
import { freePort } from '../server/src/testing/free-port.ts';
import { NODE, ROOT } from './lib.mjs';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-dev-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DATA = join(folder, 'data');
const LOCK = join(DATA, 'postgres/postmaster.pid');
const pidOfDatabase = () => readFileSync(LOCK, 'utf8').split('\n')[0];
const startDatabase = () =>
  fork(join(ROOT, 'scripts/dev-database.mjs'), [], {
    execPath: NODE,
    execArgv: [],
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), SALLYPORT_DATA_DIR: DATA },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });

/** Starts the server on the running database, and stops it when it listens. */
async function startAndStopServer() {
  const server = spawn(NODE, [join(ROOT, 'server/src/main.ts'), '--development'], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: tmpdir(),
      SALLYPORT_DATA_DIR: DATA,
      SALLYPORT_HTTP_PORT: String(await freePort()),
      SALLYPORT_SSH_PORT: '0',
      SALLYPORT_PROCESSES: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const text of server.stdout.setEncoding('utf8')) {
    output += text;
    if (/http:\/\/127\.0\.0\.1:\d+/.test(output) && !server.killed) server.kill('SIGTERM');
  }
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  return { output, code: server.exitCode };
}

it('keeps the database while the server restarts, and stops it with its parent', async () => {
  const database = startDatabase();
  const [message] = await Promise.race([once(database, 'message'), once(database, 'exit')]);
  expect(message).toBe('ready');
  const before = pidOfDatabase();
  for (const _start of ['first', 'second']) {
    const { output, code } = await startAndStopServer();
    expect(code, output).toBe(0);
    expect(pidOfDatabase()).toBe(before);
  }
  database.disconnect();
  await once(database, 'exit');
  expect(existsSync(LOCK)).toBe(false);
});

it('refuses a folder that a running server uses', async () => {
  const release = claimFolder(DATA);
  try {
    const database = startDatabase();
    const [problem, [code]] = await Promise.all([
      database.stderr.setEncoding('utf8').toArray(),
      once(database, 'exit'),
    ]);
    expect([code, problem.join('')]).toEqual([1, expect.stringContaining('is using')]);
  } finally {
    release();
  }
});
