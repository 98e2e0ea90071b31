import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isAlive } from './platform/process/alive.ts';
import { Client } from './testing/client.ts';
import { MAIN, useCommands } from './testing/command.ts';
import { freePort } from './testing/free-port.ts';
import { until } from './testing/poll.ts';
import { openSshClients } from './testing/ssh/open-ssh.ts';

const { folder, environment, start } = useCommands();

const postgresProcess = async () =>
  Number((await readFile(join(folder(), 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
const stateOf = async (pid: number) =>
  /\) (\w)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))?.[1] ?? 'gone';

it('starts at once after kill -9, repeatedly, with a surviving or a killed PostgreSQL', async () => {
  for (const killed of [['server'], ['server', 'database'], ['database', 'server'], ['server']]) {
    const command = start();
    const url = await command.ready();
    expect((await fetch(new URL('/api/health/', url))).status).toBe(200);
    const database = await postgresProcess();
    for (const which of killed)
      process.kill(which === 'server' ? (command.child.pid ?? 0) : database, 'SIGKILL');
    // Do not wait: the next start meets processes that are still ending.
  }
  const last = start();
  expect((await fetch(new URL('/api/health/', await last.ready()))).status).toBe(200);
});

it('ends SSH sign-ins with their server, even when it is killed', async () => {
  const port = await freePort();
  const ssh = await openSshClients(port);
  const first = start({ SALLYPORT_SSH_PORT: String(port) });
  const url = await first.ready();
  const call = { login: 'admin', password: 'of the command', options: ['-tt'] };
  const client = spawn('ssh', [...ssh.words(call)], {
    env: ssh.environment(call),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  client.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  await until(() => output.includes('Opt> '), 'the menu is open');
  const kindsAt = async (address: string) => {
    const visitor = new Client(address);
    const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
      username: 'admin',
      password: 'of the command',
    });
    return (
      await visitor
        .with({ authorization: `Bearer ${body.token}` })
        .get<{ kind: string }[]>('users/profile/sign-ins/')
    ).body.map(({ kind }) => kind);
  };
  expect(await kindsAt(url)).toContain('ssh');
  process.kill(first.child.pid ?? 0, 'SIGKILL');
  expect(await kindsAt(await start().ready())).not.toContain('ssh');
  client.kill();
  await ssh.stop();
});

it('starts in a folder whose killed server and PostgreSQL are zombies', async () => {
  // The shell starts the server and turns into a program that never reaps its children.
  const server = [process.execPath, MAIN];
  const negligent = spawn('/bin/sh', ['-c', '"$0" "$1" & exec sleep 600', ...server], {
    env: { ...process.env, ...environment(), NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let output = '';
    negligent.stdout.on('data', (chunk) => {
      output += String(chunk);
    });
    await until(() => output.includes('is ready: '), 'the first server is ready');
    const pid = Number((await readFile(join(folder(), 'sallyport.lock'), 'utf8')).split(' ')[0]);
    process.kill(pid, 'SIGKILL');
    await until(async () => (await stateOf(pid)) === 'Z', 'it is a zombie');
    expect(isAlive(pid)).toBe(false);
    const second = start();
    expect((await fetch(new URL('/api/health/', await second.ready()))).status).toBe(200);
    expect(await stateOf(pid)).toBe('Z');
  } finally {
    const ended = once(negligent, 'close');
    negligent.kill('SIGKILL');
    await ended;
  }
});
