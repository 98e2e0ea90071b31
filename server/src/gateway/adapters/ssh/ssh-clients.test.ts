import { once } from 'node:events';
import { actionMask } from '@sallyport/contract';
import {
  type Client,
  type ClientChannel,
  execBytes,
  generateSshKeyPair,
  ssh2,
} from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildOrganization,
  buildPermission,
  buildUser,
  unique,
} from '../../../testing/builders.ts';
import { freePort } from '../../../testing/free-port.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { type HostileServer, startHostileServer } from '../../../testing/ssh/hostile-ssh.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const key = generateSshKeyPair('test');

let lastCommand: Buffer | undefined;
let test: TestProgram;
let port: number;
let target: HostileServer;
let member: BuiltUser;
let hostname: string;
let login: string;
beforeAll(async () => {
  port = await freePort();
  const runs = (
    command: string,
    channel: { end(text: string): void; exit(status: number): void },
  ) => {
    lastCommand = execBytes();
    channel.exit(0);
    channel.end(`ran ${command}`);
  };
  target = await startHostileServer(() => undefined, runs);
  test = await startTestProgram({ sshPort: port });
  const organization = await buildOrganization(test.db);
  member = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  await sql`update account set public_key = ${key.public} where id = ${member.id}`.execute(test.db);
  const administrator = (await bearer(test)).inOrganization(organization);
  hostname = unique('target');
  const asset = await buildAsset(test.db, { organization, hostname, port: target.port });
  const account = {
    name: unique('account'),
    username: 'root',
    login_mode: 'auto',
    protocol: 'ssh',
    password: 'any',
  };
  const systemUser = String((await administrator.post('assets/system-users/', account)).body.id);
  await buildPermission(test.db, {
    organization,
    users: [member.id],
    assets: [asset],
    systemUsers: [systemUser],
    actions: actionMask(['connect']),
  });
  login = `${member.username}@root@${hostname}`;
});
afterAll(async () => {
  await test.stop();
  await target.stop();
});

async function connect(
  username: string,
  banners: string[] = [],
  algorithms: Parameters<Client['connect']>[0]['algorithms'] = {},
): Promise<Client> {
  const client = new ssh2.Client();
  // A server that rejects the sign-in closes the connection, which is an error event.
  client.on('error', () => undefined).on('banner', (text) => void banners.push(text));
  client.connect({
    host: '127.0.0.1',
    port,
    username,
    privateKey: key.private,
    authHandler: ['publickey'],
    algorithms,
    readyTimeout: 0,
  });
  await once(client, 'ready');
  return client;
}

async function close(...clients: readonly Client[]): Promise<void> {
  for (const client of clients) {
    const closed = once(client, 'close');
    client.end();
    await closed;
  }
}

const forward = (client: Client, host: string, toPort: number) =>
  new Promise<ClientChannel>((done, failed) =>
    client.forwardOut('127.0.0.1', 0, host, toPort, (error, stream) =>
      error ? failed(error) : done(stream),
    ),
  );

/** Runs a command; a buffer is sent byte by byte. */
const run = (client: Client, command: string | Buffer) =>
  new Promise<string>((done, failed) => {
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      if (error) return failed(error);
      const parts: Buffer[] = [];
      channel.on('data', (chunk: Buffer) => parts.push(chunk));
      channel.on('close', () => done(Buffer.concat(parts).toString('latin1')));
    };
    Reflect.apply(client.exec, client, [command, opened]);
  });

it('accepts a client through a forwarded connection that first queries its key, as sshj does', async () => {
  const outer = await connect(member.username);
  const inner = new ssh2.Client();
  // Without `none` before it, the first request is a key without a signature.
  inner.connect({
    sock: await forward(outer, hostname, 22),
    username: 'root',
    privateKey: generateSshKeyPair('own').private,
    authHandler: ['publickey'],
    readyTimeout: 0,
  });
  await once(inner, 'ready');
  expect(await run(inner, 'anything')).toBe('ran anything');
  await close(inner, outer);
});

it('accepts a client that offers ChaCha20-Poly1305 only', async () => {
  const client = await connect(login, [], { cipher: ['chacha20-poly1305@openssh.com'] });
  expect(await run(client, 'anything')).toBe('ran anything');
  await close(client);
});

it('passes on a command that is not UTF-8 byte by byte', async () => {
  const client = await connect(login);
  await run(client, Buffer.from('rm caf\xe9 \xff', 'latin1'));
  expect(lastCommand).toEqual(Buffer.from('rm caf\xe9 \xff', 'latin1'));
  await close(client);
});

it('reports why a port is not forwarded', async () => {
  const client = await connect(login);
  await expect(forward(client, 'localhost', 8080)).rejects.toThrow('Forward ports');
  await close(client);
});

it('reports that a connection has too many sessions', async () => {
  const client = await connect(login);
  const open = () =>
    new Promise<void>((done, failed) => client.shell((error) => (error ? failed(error) : done())));
  const outcomes = await Promise.allSettled(Array.from({ length: 11 }, open));
  const [refused] = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject({
    reason: { message: expect.stringContaining('too many sessions') },
  });
  await close(client);
});

it('leaves the rate limit of an address alone for sign-ins with a key, and reports an exhausted limit', async () => {
  for (let status = 0; status !== 429; )
    ({ status } = await test.visitor.post('/core/auth/login/cancel/', {}));
  const banners: string[] = [];
  // On a slow machine the allowance may have recovered by now.
  const first = await connect(member.username, banners).catch(() => undefined);
  if (first) await close(first);
  else expect(banners.join('')).toMatch(/too many/i);
  for (let signedIn = 0; signedIn < 30; ) {
    const client = await connect(member.username).catch(() => undefined);
    if (client) {
      signedIn++;
      await close(client);
    } else expect(signedIn).toBe(0);
  }
});
