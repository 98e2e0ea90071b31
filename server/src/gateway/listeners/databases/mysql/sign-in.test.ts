import { createHash, generateKeyPairSync } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { DatabasePassword } from '@sallyport/contract';
import { createConnection } from 'mysql2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../../testing/databases/client-world.ts';
import type { DatabaseGrant } from '../../../../testing/databases/grant-database.ts';
import { QueryClient } from '../../../../testing/databases/query-client.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { startHostileServer } from '../../../../testing/hostile/hostile-server.ts';

const NATIVE = 'mysql_native_password';
const SHA2 = 'caching_sha2_password';
const CAPABILITIES = 0x8a201;
/**
 * Error codes: the password was right but the database is unreachable, and the password was wrong.
 */
const REFUSED = 1044;
const DENIED = 1045;
/** ER_NOT_SUPPORTED_YET. */
const UNSUPPORTED = 1235;

let world: DatabaseWorld;
beforeAll(async () => {
  const [port, nothing] = await Promise.all([freePort(), freePort()]);
  world = await startDatabaseWorld({ mysqlPort: port });
  const account = {
    port: nothing,
    database: 'shop',
    username: 'clerk',
    password: 'the secret of the vault',
  };
  mariadb = await world.add({ ...account, type: 'mariadb' });
  mysql = await world.add({ ...account, type: 'mysql' });
});
afterAll(() => world?.test.stop());
let mariadb: DatabaseGrant;
let mysql: DatabaseGrant;

const hash = (name: string, ...parts: (string | Buffer)[]) =>
  parts.reduce((digest, part) => digest.update(part), createHash(name)).digest();
const xor = (one: Buffer, other: Buffer) =>
  Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));

/** Builds the proof of a password. `mysql_native_password` and sqlx put the nonce first. */
function proof(name: string, password: string, nonce: Buffer, isNonceFirst: boolean): Buffer {
  const once = hash(name, password);
  const twice = hash(name, once);
  return xor(once, isNonceFirst ? hash(name, nonce, twice) : hash(name, twice, nonce));
}

interface Greeted {
  readonly version: string;
  readonly plugin: string;
  readonly nonce: Buffer;
  readonly socket: Socket;
  readonly packets: AsyncIterator<Buffer>;
}

async function* packetsOf(socket: Socket): AsyncGenerator<Buffer> {
  let read = Buffer.alloc(0);
  for await (const chunk of socket) {
    read = Buffer.concat([read, chunk as Buffer]);
    while (read.length >= 4 && read.length >= 4 + read.readUIntLE(0, 3)) {
      const length = 4 + read.readUIntLE(0, 3);
      yield read.subarray(4, length);
      read = read.subarray(length);
    }
  }
}

async function greet({ port }: DatabasePassword): Promise<Greeted> {
  const socket = connect(port, '127.0.0.1');
  const packets = packetsOf(socket);
  const { value } = await packets.next();
  const payload = value as Buffer;
  const end = payload.indexOf(0);
  const [plugin = ''] = payload.toString('latin1', end + 45).split('\0');
  const nonce = Buffer.concat([
    payload.subarray(end + 5, end + 13),
    payload.subarray(end + 32, end + 44),
  ]);
  return { version: payload.toString('latin1', 1, end), plugin, nonce, socket, packets };
}

/**
 * Answers the greeting and returns the reactions: `fast` for a sufficient proof, the name of
 * another plugin, or an error code.
 */
async function answer(
  { socket, packets }: Greeted,
  username: string,
  plugin: string,
  proved: Buffer,
  more = 0,
): Promise<(string | number)[]> {
  const head = Buffer.alloc(32);
  head.writeUInt32LE(CAPABILITIES | more);
  head[8] = 45;
  const payload = Buffer.concat([
    head,
    Buffer.from(`${username}\0`),
    Buffer.from([proved.length]),
    proved,
    Buffer.from(`${plugin}\0`),
  ]);
  const length = Buffer.alloc(4);
  length.writeUIntLE(payload.length, 0, 3);
  length[3] = 1;
  socket.write(Buffer.concat([length, payload]));
  const reactions: (string | number)[] = [];
  for (;;) {
    const { value, done } = await packets.next();
    if (done || !value) return reactions;
    if (value[0] === 0xff) reactions.push(value.readUInt16LE(1));
    else if (value[0] === 0xfe) {
      reactions.push(value.toString('latin1', 1, value.indexOf(0)));
      socket.end();
    } else reactions.push(value[0] === 1 && value[1] === 3 ? 'fast' : 'other');
  }
}

it('greets as MariaDB with the native plugin, so that Connector/J connects', async () => {
  const issued = await world.password(mariadb);
  const greeted = await greet(issued);
  expect(greeted).toMatchObject({
    version: expect.stringMatching(/^5\.5\.5-.*MariaDB/),
    plugin: NATIVE,
  });
  expect(
    await answer(
      greeted,
      issued.username,
      NATIVE,
      proof('sha1', issued.password, greeted.nonce, true),
    ),
  ).toEqual([REFUSED]);
  const wrong = await greet(issued);
  expect(
    await answer(wrong, issued.username, NATIVE, proof('sha1', 'wrong', wrong.nonce, true)),
  ).toEqual([DENIED]);
  const modern = await greet(issued);
  // The MySQL client supports no other plugin since version 9.
  expect(await answer(modern, issued.username, SHA2, Buffer.alloc(0))).toEqual([SHA2]);
});

it.each([false, true])(
  'accepts a SHA-256 proof of the password, with the nonce first as in sqlx: %s',
  async (isNonceFirst) => {
    const issued = await world.password(mysql);
    const greeted = await greet(issued);
    expect(greeted).toMatchObject({ version: expect.stringMatching(/^8\./), plugin: SHA2 });
    expect(
      await answer(
        greeted,
        issued.username,
        SHA2,
        proof('sha256', issued.password, greeted.nonce, isNonceFirst),
      ),
    ).toEqual(['fast', REFUSED]);
    const wrong = await greet(issued);
    expect(
      await answer(
        wrong,
        issued.username,
        SHA2,
        proof('sha256', 'wrong', wrong.nonce, isNonceFirst),
      ),
    ).toEqual([DENIED]);
  },
);

it.each([
  ['zlib', 0x20],
  ['zstd', 0x4000000],
  ['both', 0x4000020],
])('refuses a client that announces %s compression, which is not offered', async (_name, flags) => {
  // mysql-connector-python 26.10 announces it with compression switched on, whatever is offered.
  const issued = await world.password(mariadb);
  const greeted = await greet(issued);
  const proved = proof('sha1', issued.password, greeted.nonce, true);
  expect(await answer(greeted, issued.username, NATIVE, proved, flags)).toEqual([UNSUPPORTED]);
});

/** Greeting of Sphinx 2.2.11: protocol 4.1 and native passwords, no plugins. */
const SPHINX = Buffer.from(
  '4b0000000a322e322e31312d696436342d72656c656173652028393561653961362900010000000102030405060708' +
    '000882210200000000000000000000000000000102030405060708090a0b0c00',
  'hex',
);
const SPHINX_NONCE = Buffer.from('01020304050607080102030405060708090a0b0c', 'hex');
const ACCOUNT = { username: 'clerk', password: 'the secret of the vault' };
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);

it('signs in at a server without authentication plugins, as Sphinx is', async () => {
  const responses: Buffer[] = [];
  const sphinx = await startHostileServer((socket) => {
    socket.write(SPHINX);
    socket.on('data', (chunk: Buffer) => {
      responses.push(chunk);
      const sequence = (chunk[3] ?? 0) + 1;
      socket.write(Buffer.concat([Buffer.from([OK.length, 0, 0, sequence]), OK]));
    });
  });
  try {
    const granted = await world.add({
      ...ACCOUNT,
      database: 'rt',
      type: 'mysql',
      port: sphinx.port,
    });
    const { port, username: user, password } = await world.password(granted);
    const client = createConnection({ host: '127.0.0.1', port, user, password });
    await new Promise<void>((done, failed) =>
      client.connect((error) => (error ? failed(error) : done())),
    );
    client.destroy();
    const proved = proof('sha1', ACCOUNT.password, SPHINX_NONCE, true);
    const [response = Buffer.alloc(36)] = responses;
    expect(response.readUInt32LE(4) & 0x80000).toBe(0);
    expect(response.subarray(36)).toEqual(
      Buffer.concat([Buffer.from('clerk\0'), Buffer.from([20]), proved, Buffer.from('rt\0')]),
    );
  } finally {
    await sphinx.stop();
  }
});

it('names an unsupported sign-in when a server asks for a hash of MySQL before 4.1', async () => {
  const old = await startHostileServer((socket) => {
    socket.write(SPHINX);
    socket.once('data', () => socket.write(Buffer.from([1, 0, 0, 2, 0xfe])));
  });
  try {
    const granted = await world.add({ type: 'mysql', port: old.port, ...ACCOUNT });
    const { port, username: user, password } = await world.password(granted);
    const client = createConnection({ host: '127.0.0.1', port, user, password });
    const error = await new Promise<Error | null>((done) => client.connect(done));
    expect(error?.message).toContain('offers no sign-in method that Sallyport supports for MySQL');
  } finally {
    await old.stop();
  }
});

/** Greeting of MySQL 9.7.4 with a fixed challenge: protocol 4.1, plugins, no TLS. */
const GREETING = Buffer.concat([
  Buffer.from('0a', 'hex'),
  Buffer.from('9.7.4\0'),
  Buffer.from('0100000001020304050607080000a2ff020008001500000000000000000000', 'hex'),
  Buffer.from('0102030405060708090a0b0c00', 'hex'),
  Buffer.from(`${SHA2}\0`),
]);
const framed = (sequence: number, payload: Buffer) =>
  Buffer.concat([Buffer.from([payload.length & 0xff, payload.length >> 8, 0, sequence]), payload]);
const FULL = Buffer.from([1, 4]);
const switchTo = (plugin: string) =>
  Buffer.concat([Buffer.from([0xfe]), Buffer.from(`${plugin}\0${'n'.repeat(20)}\0`)]);

// MySQL 9.7.4 asks so for an account that its cache does not know, such as after a restart, and for
// accounts of `sha256_password`; the key may be that of an attacker.
it.each([
  ['full authentication', FULL],
  ['sha256_password', switchTo('sha256_password')],
  ['mysql_clear_password', switchTo('mysql_clear_password')],
])('encrypts no password of the vault under a key that came without TLS, by %s', async (_, ask) => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
  const answers: Buffer[] = [];
  const server = await startHostileServer((socket) => {
    socket.write(framed(0, GREETING));
    // MySQL 9.7.4 first asks a client that begins with another method to switch.
    const asks = [...(ask === FULL ? [switchTo(SHA2)] : []), ask];
    socket.on('data', (chunk: Buffer) => {
      answers.push(chunk.subarray(4));
      if (asks.length === 2 && chunk.includes(SHA2)) asks.shift();
      const next = asks.shift() ?? Buffer.concat([Buffer.from([1]), key]);
      socket.write(framed((chunk[3] ?? 0) + 1, next));
    });
  });
  try {
    const granted = await world.add({ type: 'mysql', port: server.port, ...ACCOUNT });
    const { port, username: user, password } = await world.password(granted);
    const client = createConnection({ host: '127.0.0.1', port, user, password });
    const error = await new Promise<Error | null>((done) => client.connect(done));
    expect(error?.message).toContain('asks for the password in plain text');
    const workspace = await QueryClient.connect(
      world.test.program.url,
      { app: granted.app, system_user: granted.systemUser },
      world.person.headers,
    );
    await expect(workspace.message('open')).rejects.toThrow('connect_plain_password');
    // A password under a key of 2,048 bits has 256 bytes.
    const isPassword = (sent: Buffer) => sent.length === 256 || sent.includes(ACCOUNT.password);
    expect([answers.length > 0, answers.some(isPassword)]).toEqual([true, false]);
  } finally {
    await server.stop();
  }
});
