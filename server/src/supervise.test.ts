import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAlive } from './platform/process/alive.ts';
import { Client } from './testing/client.ts';
import { MAIN } from './testing/command.ts';
import { compileCache } from './testing/compile-cache.ts';
import { until } from './testing/poll.ts';
import { prepareFolder } from './testing/prepared-folder.ts';

const SUPERVISE = resolve(import.meta.dirname, '../../scripts/supervise.mjs');
const LEFTOVERS = join(import.meta.dirname, 'start/stop-leftovers.ts');
const PASSWORD = 'of the supervised';

let folder: string;
let running:
  | { readonly child: ChildProcess; readonly ended: Promise<number | null>; output(): string }
  | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-supervised-'));
  await chmod(folder, 0o711);
  prepareFolder(folder);
});
afterEach(async () => {
  running?.child.kill('SIGTERM');
  await running?.ended;
  running = undefined;
  await rm(folder, { recursive: true, force: true });
});

/**
 * Starts the server like an installed `npm start`. `flags` are Node.js flags, `pauses` sets the
 * first pause.
 */
function start(
  environment: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
  pauses: { readonly firstWait?: number } = {},
) {
  const words = JSON.stringify([...flags, MAIN]);
  const script = `import { supervise } from ${JSON.stringify(SUPERVISE)}; supervise(process.execPath, ${words}, ${JSON.stringify({ cleanUp: [LEFTOVERS], ...pauses })});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: {
      ...compileCache(),
      PATH: process.env.PATH ?? '',
      NODE_NO_WARNINGS: '1',
      SALLYPORT_DATA_DIR: folder,
      SALLYPORT_HTTP_PORT: '0',
      SALLYPORT_SSH_PORT: '0',
      SALLYPORT_PROCESSES: '1',
      SALLYPORT_ADMIN_PASSWORD: PASSWORD,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += String(chunk);
    });
  running = {
    child,
    ended: once(child, 'close').then(([code]) => code as number | null),
    output: () => printed,
  };
  return running;
}

const addresses = (output: string) =>
  [...output.matchAll(/is ready: (http:\S+)/g)].map(([, address]) => address ?? '');
const databaseProcess = async () =>
  Number((await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
const serverProcess = async () =>
  Number((await readFile(join(folder, 'sallyport.lock'), 'utf8')).split(' ')[0]);

it('restarts the server after a crash, and shows the reason to administrators only', async () => {
  const { child, ended, output } = start();
  await until(() => addresses(output()).length === 1, 'the first start');
  process.kill(await serverProcess(), 'SIGKILL');
  await until(() => addresses(output()).length === 2, 'the second start');
  expect(output()).toContain('"reason":"signal SIGKILL"');

  const visitor = new Client(addresses(output())[1] ?? '');
  const anonymous = await fetch(new URL('/api/health/', addresses(output())[1]));
  expect(await anonymous.json()).toEqual({
    status: 1,
    time: expect.any(Number),
    version: expect.any(String),
    demo: false,
    dependencies: expect.any(Object),
  });
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: PASSWORD,
  });
  const health = await fetch(new URL('/api/health/', addresses(output())[1]), {
    headers: { authorization: `Bearer ${body.token}` },
  });
  expect(await health.json()).toMatchObject({
    status: 1,
    previous_end: { reason: 'signal SIGKILL', restarts: 1 },
  });

  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(addresses(output())).toHaveLength(2);
});

it('stops cleanly after an unhandled error, and restarts', async () => {
  const flaw = `process.on('SIGUSR2', () => { Promise.reject(new Error('a flaw of the test')); });`;
  const { output } = start({}, ['--import', `data:text/javascript,${encodeURIComponent(flaw)}`]);
  await until(() => addresses(output()).length === 1, 'the first start');
  const database = await databaseProcess();
  process.kill(await serverProcess(), 'SIGUSR2');
  await until(() => addresses(output()).length === 2, 'the second start');
  expect(output()).toContain('stopping because of an error');
  expect(output()).toContain('"reason":"exit code 1: Error: a flaw of the test"');
  expect(output()).toContain('"msg":"stopped"');
  expect(isAlive(database)).toBe(false);
});

it('gives up on a wrong configuration, and on a stop during the pause, where it stops the database', async () => {
  const wrong = start({ SALLYPORT_HTTP_PORT: 'eighty' });
  // A service manager stops at this status too.
  expect(await wrong.ended).toBe(78);
  expect(wrong.output().match(/cannot start/g)).toHaveLength(1);

  // The pause is longer than the stop takes.
  const stopped = start({}, [], { firstWait: 60_000 });
  await until(() => addresses(stopped.output()).length === 1, 'the start');
  const database = await databaseProcess();
  process.kill(await serverProcess(), 'SIGKILL');
  await until(() => stopped.output().includes('is started again'), 'the pause');
  expect(isAlive(database)).toBe(true);
  stopped.child.kill('SIGTERM');
  expect(await stopped.ended).toBe(0);
  expect(isAlive(database)).toBe(false);
  expect(addresses(stopped.output())).toHaveLength(1);
});

it('ends the server when the supervisor is killed', async () => {
  const { child, output } = start();
  await until(() => addresses(output()).length === 1, 'the start');
  const server = await serverProcess();
  child.kill('SIGKILL');
  await until(() => !isAlive(server), 'the server has ended');
});
