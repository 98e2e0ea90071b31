import { readFile, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from './platform/process/alive.ts';
import { useCommands } from './testing/command.ts';
import { until } from './testing/poll.ts';
import { prepareFolder } from './testing/prepared-folder.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';

const { folder, start } = useCommands();

/** Returns the error of a failed start: one sentence, no stack. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const command = start(environment);
  expect(await command.ended).toBe(78);
  const text = command.output();
  expect(text).toMatch(/^Sallyport cannot start\. [^\n]+\n$/);
  return text;
}

describe('what stops the start', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it('rejects an invalid variable', async () => {
    expect(await refusal({ SALLYPORT_HTTP_PORT: 'eighty' })).toContain(
      "SALLYPORT_HTTP_PORT is not a port number between 0 and 65535. Example: SALLYPORT_HTTP_PORT='8080'",
    );
  });

  it('rejects a common password of the first administrator, and starts with another one', async () => {
    const environment = { SALLYPORT_DATABASE_URL: database.url };
    expect(await refusal({ ...environment, SALLYPORT_ADMIN_PASSWORD: 'Password1' })).toContain(
      'SALLYPORT_ADMIN_PASSWORD is a common password.',
    );
    await start({ ...environment, SALLYPORT_ADMIN_PASSWORD: 'correct horse battery' }).ready();
  });

  it('rejects a port in use', async () => {
    const taken = createServer() as Server;
    await new Promise<void>((settle) => taken.listen(0, '127.0.0.1', settle));
    const { port } = taken.address() as { port: number };
    const text = await refusal({
      SALLYPORT_HTTP_PORT: String(port),
      SALLYPORT_DATABASE_URL: database.url,
    });
    expect(text).toContain(`SALLYPORT_HTTP_PORT: port ${port} is in use`);
    const ssh = await refusal({
      SALLYPORT_SSH_PORT: String(port),
      SALLYPORT_DATABASE_URL: database.url,
    });
    expect(ssh).toContain(`SALLYPORT_SSH_PORT: port ${port} is in use`);
    taken.close();
  });

  it('rejects a port in use before it creates a database', async () => {
    const taken = createServer() as Server;
    await new Promise<void>((settle) => taken.listen(0, '127.0.0.1', settle));
    const { port } = taken.address() as { port: number };
    expect(await refusal({ SALLYPORT_HTTP_PORT: String(port) })).toContain(
      `port ${port} is in use`,
    );
    await expect(stat(join(folder(), 'postgres'))).rejects.toThrow();
    taken.close();
  });

  it('rejects one port for two listeners', async () => {
    expect(await refusal({ SALLYPORT_HTTP_PORT: '18999', SALLYPORT_SSH_PORT: '18999' })).toContain(
      'SALLYPORT_HTTP_PORT and SALLYPORT_SSH_PORT are both 18999',
    );
  });

  it('rejects an address that this machine does not have', async () => {
    expect(
      await refusal({ SALLYPORT_HTTP_HOST: '192.0.2.1', SALLYPORT_DATABASE_URL: database.url }),
    ).toContain('SALLYPORT_HTTP_HOST: this machine does not have the address');
  });

  it('rejects a data folder without write permission', async () => {
    await writeFile(join(folder(), 'file'), '');
    expect(await refusal({ SALLYPORT_DATA_DIR: join(folder(), 'file', 'data') })).toMatch(
      /SALLYPORT_DATA_DIR: the folder .* cannot be written .* SALLYPORT_DATA_DIR='\/var\/lib\/sallyport'/,
    );
  });

  it('reports a database that rejects the sign-in', async () => {
    const refused = new URL(database.url);
    refused.password = 'qzx9secret';
    const text = await refusal({ SALLYPORT_DATABASE_URL: refused.href });
    expect(text).toContain('The database at SALLYPORT_DATABASE_URL does not answer');
    expect(text).not.toContain('qzx9secret');
  });

  it('rejects a key file that other accounts can read, or without a key', async () => {
    const file = join(folder(), 'my.key');
    await writeFile(file, 'a'.repeat(64), { mode: 0o644 });
    expect(
      await refusal({ SALLYPORT_SECRET_KEY_FILE: file, SALLYPORT_DATABASE_URL: database.url }),
    ).toContain('can be read by other accounts');
    await writeFile(file, 'nonsense');
    expect(
      await refusal({ SALLYPORT_SECRET_KEY_FILE: file, SALLYPORT_DATABASE_URL: database.url }),
    ).toContain('does not hold a key of 64 hexadecimal digits');
    expect(
      await refusal({
        SALLYPORT_SECRET_KEY_FILE: `${file}-none`,
        SALLYPORT_DATABASE_URL: database.url,
      }),
    ).toContain('SALLYPORT_SECRET_KEY_FILE cannot be read: ENOENT');
  });

  it('rejects a folder that another server uses', async () => {
    const first = start({ SALLYPORT_DATABASE_URL: database.url });
    await first.ready();
    expect(await refusal({ SALLYPORT_DATABASE_URL: database.url })).toContain(
      `Another Sallyport (process ${first.child.pid}) is using ${folder()}`,
    );
    expect((await fetch(new URL('/api/health/', await first.ready()))).status).toBe(200);
  });
});

describe('with a database that is down', () => {
  let database: TestDatabase;
  let port: number;
  let relay: Server;
  let attempts: number;
  /** True while connections end at once, as behind a proxy with an unavailable database. */
  let isAway: boolean;
  const sides = new Set<Socket>();
  beforeEach(async () => {
    database = await createTestDatabase();
    const { hostname, port: own, searchParams } = new URL(database.url);
    const folderOfSocket = searchParams.get('host');
    attempts = 0;
    isAway = false;
    sides.clear();
    relay = createServer((client) => {
      attempts += 1;
      if (isAway) {
        client.destroy();
        return;
      }
      const server = folderOfSocket
        ? connect(join(folderOfSocket, `.s.PGSQL.${own || 5432}`))
        : connect(Number(own), hostname);
      for (const side of [client, server]) side.on('error', () => undefined);
      sides.add(client);
      client.on('close', () => sides.delete(client));
      client.pipe(server).pipe(client);
    });
    // Find a free port.
    await new Promise<void>((settle) => relay.listen(0, '127.0.0.1', settle));
    ({ port } = relay.address() as { port: number });
    await new Promise((settle) => relay.close(settle));
  });
  afterEach(async () => {
    for (const side of sides) side.destroy();
    relay.close();
    await database.drop();
  });
  const address = () => {
    const url = new URL(database.url);
    url.searchParams.delete('host');
    url.hostname = '127.0.0.1';
    url.port = String(port);
    return url.href;
  };

  it('starts when the database becomes available', async () => {
    const command = start({ SALLYPORT_DATABASE_URL: address() });
    await until(() => command.output().includes('waiting for the database'), 'the first attempt');
    await new Promise<void>((settle) => relay.listen(port, '127.0.0.1', settle));
    expect((await fetch(new URL('/api/health/', await command.ready()))).status).toBe(200);
    command.child.kill('SIGTERM');
    expect(await command.ended).toBe(0);
  });

  it('logs once that the database is unavailable, and once that it returned', async () => {
    await new Promise<void>((settle) => relay.listen(port, '127.0.0.1', settle));
    const command = start({ SALLYPORT_DATABASE_URL: address(), SALLYPORT_LOG_LEVEL: 'info' });
    await command.ready();
    isAway = true;
    attempts = 0;
    for (const side of sides) side.destroy();
    await until(() => attempts > 30, 'thirty attempts to connect');
    await until(
      () => command.output().includes('the bus cannot reach the database'),
      'the bus notices',
    );
    await until(
      () => command.output().includes('the job queue met an error'),
      'the job queue notices',
    );
    isAway = false;
    await until(() => command.output().includes('the job queue works again'), 'the job queue');
    await until(() => command.output().includes('the bus reaches the database again'), 'the bus');
    const lines = (text: string) =>
      command
        .output()
        .split('\n')
        .filter((line) => line.includes(text)).length;
    expect([
      lines('the job queue met an error'),
      lines('the bus cannot reach the database'),
    ]).toEqual([1, 1]);
  });

  it('exits with a status for a retry after the timeout', async () => {
    const command = start({ SALLYPORT_DATABASE_URL: address(), SALLYPORT_DATABASE_WAIT: '0' });
    expect(await command.ended).toBe(1);
    expect(command.output()).toMatch(
      /^Sallyport cannot start\. The database at .* does not answer[^\n]+\n$/,
    );
  });

  it('stops cleanly on a signal while it waits', async () => {
    const command = start({ SALLYPORT_DATABASE_URL: address() });
    await until(() => command.output().includes('waiting for the database'), 'the first attempt');
    command.child.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    expect(command.output()).not.toContain('cannot start');
  });
});

describe('with the embedded database', () => {
  const postgresProcess = async () =>
    Number((await readFile(join(folder(), 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);

  it('starts on an empty folder, stops by SIGTERM, and leaves no process', async () => {
    const command = start();
    const url = await command.ready();
    expect(await (await fetch(new URL('/api/health/', url))).json()).toMatchObject({
      status: 1,
      dependencies: { database: { status: 'up' }, recordings: { status: 'up' } },
    });
    expect(command.output()).not.toContain('of the command');
    const database = await postgresProcess();
    expect(isAlive(database)).toBe(true);
    command.child.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    expect(isAlive(database)).toBe(false);
    await expect(stat(join(folder(), 'sallyport.lock'))).rejects.toThrow();
  });

  it('recovers after kill -9 from a leftover database and a stale lock', async () => {
    prepareFolder(folder());
    const first = start();
    const url = await first.ready();
    const signIn = await fetch(new URL('/api/v1/authentication/auth/', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: 'of the command' }),
    });
    const { token } = (await signIn.json()) as { token: string };
    const orphan = await postgresProcess();
    first.child.kill('SIGKILL');
    await first.ended;
    expect(isAlive(orphan)).toBe(true);

    const second = start();
    const again = await second.ready();
    expect(await postgresProcess()).not.toBe(orphan);
    await until(() => !isAlive(orphan), 'the orphan is gone');
    // Acknowledged data persists.
    const profile = await fetch(new URL('/api/v1/users/profile/', again), {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(profile.status).toBe(200);
  });

  it('stops when its database dies', async () => {
    prepareFolder(folder());
    const command = start();
    await command.ready();
    process.kill(await postgresProcess(), 'SIGQUIT');
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain('the database is gone');
  });
});
