import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { int32, message, startup, zeroEnded } from '@sallyport/sql-relays';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startClient } from '../../../testing/databases/client-programs.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../../testing/databases/client-world.ts';
import { freePort } from '../../../testing/free-port.ts';
import { until } from '../../../testing/poll.ts';
import { DATABASE_SIGN_IN_MS } from '../../limits.ts';

let world: DatabaseWorld;
let postgresqlPort: number;
let mysqlPort: number;
let server: Server;
/** Behavior of the test server after sign-in, or instead of it. */
let misbehave: (socket: Socket) => void = () => undefined;

beforeAll(async () => {
  [postgresqlPort, mysqlPort] = [await freePort(), await freePort()];
  world = await startDatabaseWorld({ postgresqlPort, mysqlPort });
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    misbehave(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  server?.close();
  await world?.test.stop();
});

/** Sends bytes, waits until the listener closes the connection, and returns its answer. */
async function send(port: number, bytes: Buffer): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port });
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => undefined);
  const closed = new Promise((done) => socket.once('close', done));
  socket.write(bytes);
  await closed;
  return Buffer.concat(parts);
}

const start = (parameters: readonly string[]) =>
  startup(196_608, ...parameters.map(zeroEnded), Buffer.from([0]));

/** A successful sign-in followed by more bytes. */
const welcome = (more: Buffer) => (socket: Socket) =>
  socket.once('data', () =>
    socket.write(
      Buffer.concat([
        message('R', int32(0)),
        message('K', int32(1), int32(2)),
        message('Z', Buffer.from('I')),
        more,
      ]),
    ),
  );

describe('hostile clients and servers', () => {
  test('ends only the connection of a client that sends invalid bytes or lengths, and keeps silent ones open', async () => {
    const opened = performance.now();
    const silent = connect({ host: '127.0.0.1', port: postgresqlPort });
    silent.on('error', () => undefined);
    const wrong = startup(196_608);
    wrong.writeInt32BE(0x7fffffff);
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.alloc(100_000, 0xff),
      wrong,
      Buffer.alloc(8),
    ])
      await send(postgresqlPort, bytes);
    expect(
      (await send(postgresqlPort, start(['user', 'x', 'replication', 'database']))).toString(),
    ).toContain('Replication is not possible');
    expect((await send(postgresqlPort, startup(0x20000, Buffer.alloc(20)))).toString()).toContain(
      'protocol 3',
    );
    // Bytes after a TLS request must not count as bytes inside of TLS.
    expect(
      (
        await send(postgresqlPort, Buffer.concat([startup(80_877_103), start(['user', 'x'])]))
      ).toString(),
    ).not.toContain('R');
    // A statement before the sign-in.
    const answer = await send(
      postgresqlPort,
      Buffer.concat([start(['user', 'x']), message('Q', zeroEnded('select 1'))]),
    );
    expect(answer).toHaveLength(0);
    for (const bytes of [
      Buffer.from([0xff, 0xff, 0xff, 1]),
      Buffer.from([4, 0, 0, 1, 0, 0, 0, 0]),
      Buffer.alloc(70_000, 1),
    ]) {
      expect((await send(mysqlPort, bytes)).toString()).toContain('mysql_native_password');
    }
    const { status } = await world.test.visitor.get('/api/health/');
    expect(status).toBe(200);
    // The silent client has its full sign-in time, unless a busy machine used all of it here.
    if (performance.now() - opened < DATABASE_SIGN_IN_MS) expect(silent.destroyed).toBe(false);
    silent.destroy();
    expect(world.test.log()).not.toContain('could not be served');
  });

  test('ends one session when a server sends unexpected or oversized answers', async () => {
    const { port } = server.address() as AddressInfo;
    const database = await world.add({
      type: 'postgresql',
      port,
      database: 'sales',
      username: 'x',
      password: 'y',
    });
    const issued = await world.password(database);
    const run = async (answer: (socket: Socket) => void) => {
      misbehave = answer;
      const client = new pg.Client({
        host: '127.0.0.1',
        port: issued.port,
        user: issued.username,
        password: issued.password,
        database: 'sales',
      });
      client.on('error', () => undefined);
      const problem = await client
        .connect()
        .then(() => client.query('select 1'))
        .then(
          () => undefined,
          (error: Error) => error,
        );
      await client.end().catch(() => undefined);
      expect(problem).toBeInstanceOf(Error);
      const row = await world.lastSession(database.app);
      await until(
        async () => (await world.lastSession(database.app)).is_finished === true,
        'the session is over',
      );
      return String((await world.lastSession(database.app)).end_reason ?? row.end_reason);
    };
    const unknown = (socket: Socket) => {
      welcome(Buffer.alloc(0))(socket);
      socket.on('data', (chunk) => {
        if (chunk[0] === 0x51) socket.write(message('!', Buffer.from('x')));
      });
    };
    expect(await run(unknown)).toBe('connect_target_broke');
    const huge = message('C', Buffer.alloc(0));
    huge.writeInt32BE(0x7fffffff, 1);
    expect(await run(welcome(huge))).toBe('connect_target_broke');
    expect(await run((socket) => socket.end('SSH-2.0-nothing\r\n'))).toBe('database_protocol');
    expect(
      await run((socket) =>
        socket.write(Buffer.concat([message('R', int32(0)), message('K', Buffer.alloc(100_000))])),
      ),
    ).toBe('database_protocol');
    expect(
      await run((socket) => socket.once('data', () => socket.end(message('R', int32(7))))),
    ).toBe('connect_desktop_sign_in');
    expect(await run((socket) => socket.destroy())).toMatch(/database_protocol|connect_/);
    const shop = await world.add({
      type: 'mysql',
      port,
      database: 'shop',
      username: 'x',
      password: 'y',
    });
    const password = await world.password(shop);
    const words = [
      '--no-defaults',
      '-h',
      '127.0.0.1',
      '-P',
      String(password.port),
      '-u',
      password.username,
      '-e',
      'select 1',
    ];
    for (const greeting of [
      Buffer.from([0xff, 0xff, 0xff, 0, 10]),
      Buffer.from([3, 0, 0, 0, 10, 0, 0]),
    ]) {
      misbehave = (socket) => socket.write(greeting);
      expect(
        await startClient('mariadb', words, { MYSQL_PWD: password.password }).result,
      ).toMatchObject({
        code: 1,
        err: expect.stringContaining('database of this type'),
      });
    }
  });
});
