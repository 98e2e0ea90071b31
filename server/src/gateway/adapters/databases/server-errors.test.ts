import type { Socket } from 'node:net';
import {
  CAPABILITY,
  errorPacket,
  fatal,
  greeting,
  makeNonce,
  NATIVE,
  okPacket,
  packet,
  RELAYED,
} from '@sallyport/sql-relays';
import { createConnection } from 'mysql2';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import {
  type DatabaseOptions,
  databasePassword,
} from '../../../testing/databases/grant-database.ts';
import { freePort } from '../../../testing/free-port.ts';
import { startHostileServer } from '../../../testing/hostile/hostile-server.ts';
import { until } from '../../../testing/poll.ts';

const PASSWORD = 'vault hunter2 secret';

let world: DatabaseWorld;
beforeAll(async () => {
  const [postgresqlPort, mysqlPort] = [await freePort(), await freePort()];
  world = await startDatabaseWorld({ postgresqlPort, mysqlPort });
});
afterAll(() => world?.stop());

type Serve = (socket: Socket) => void;
interface Opened {
  /** Sentence of the workspace and of the listener; undefined if they opened. */
  readonly workspace: string | undefined;
  readonly listener: string | undefined;
}

/** Opens a workspace at a server, and a client program if its protocol has a listener. */
async function openAt(serve: Serve, options: Omit<DatabaseOptions, 'port'>): Promise<Opened> {
  const server = await startHostileServer(serve);
  try {
    const granted = await world.grant({ password: PASSWORD, ...options, port: server.port });
    const client = await granted.connect();
    const workspace = await client.message('open').then(
      () => undefined,
      () => {
        const closed = client.messages.find(({ type }) => type === 'closed');
        return closed?.type === 'closed' ? closed.message : '';
      },
    );
    client.close();
    const listener =
      options.type === 'redis' ? undefined : await connectClient(options.type, granted);
    const place = `127.0.0.1:${server.port}`;
    const account = options.username || granted.accountName;
    const general = (text: string | undefined) =>
      text?.replaceAll(place, 'HOST').replaceAll(account, 'ACCOUNT');
    return { workspace: general(workspace), listener: general(listener) };
  } finally {
    await server.stop();
  }
}

async function connectClient(
  type: DatabaseOptions['type'],
  granted: Parameters<typeof databasePassword>[1],
): Promise<string | undefined> {
  const { port, username: user, password } = await databasePassword(world.client, granted);
  const at = { host: '127.0.0.1', port, user, password };
  if (type === 'postgresql') {
    const client = new pg.Client({ ...at, database: user });
    client.on('error', () => undefined);
    return client.connect().then(
      () => client.end(),
      (error: Error) => error.message,
    ) as Promise<string | undefined>;
  }
  return new Promise((done) => {
    const connection = createConnection(at);
    connection.on('error', () => undefined);
    connection.connect((error) => {
      connection.destroy();
      done(error?.message);
    });
  });
}

/** A Redis server that answers commands by their first word, and others with OK. */
const redis =
  (answers: Readonly<Record<string, string>>, asks: string[] = []): Serve =>
  (socket) =>
    socket.on('data', (chunk) => {
      const [, , word = ''] = chunk.toString('latin1').split('\r\n');
      asks.push(word.toLowerCase());
      socket.write(`${answers[word.toLowerCase()] ?? '+OK'}\r\n`);
    });

describe('Redis', () => {
  // Errors as Redis 7.0.15 sends them; those with "Client sent AUTH" and "invalid password" are of
  // versions before 6.
  it.each([
    [
      'opens for an account that may not PING',
      { ping: "-NOPERM this user has no permissions to run the 'ping' command" },
      undefined,
    ],
    [
      'opens when the server renamed PING',
      { ping: "-ERR unknown command 'ping', with args beginning with: " },
      undefined,
    ],
    [
      'names wrong credentials',
      { auth: '-WRONGPASS invalid username-password pair or user is disabled.' },
      'HOST did not accept the credentials of ACCOUNT.',
    ],
    [
      'names a wrong password of an old version',
      { auth: '-ERR invalid password' },
      'HOST did not accept the credentials of ACCOUNT.',
    ],
    [
      'names credentials that AUTH took and PING still needs',
      { ping: '-NOAUTH Authentication required.' },
      'HOST did not accept the credentials of ACCOUNT.',
    ],
    [
      'names a server without a password',
      {
        auth: '-ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
      },
      'HOST has no password, but the system user has one. Clear it there, or set one at the server.',
    ],
    [
      'names an old server without a password',
      { auth: '-ERR Client sent AUTH, but no password is set' },
      'HOST has no password, but the system user has one. Clear it there, or set one at the server.',
    ],
    [
      'names protected mode',
      {
        auth: '-DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user.',
      },
      'HOST runs in protected mode: it has no password and accepts local connections only. Set a password at the server.',
    ],
    [
      'names the limit of connections',
      { auth: '-ERR max number of clients reached' },
      'HOST accepts no more connections (ERR). Try again later.',
    ],
    [
      'names a server that still loads',
      { ping: '-LOADING Redis is loading the dataset in memory' },
      'The database at HOST is not ready: LOADING Redis is loading the dataset in memory',
    ],
    [
      'names a replica without its master',
      { ping: "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'." },
      "The database at HOST is not ready: MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    ],
    [
      'keeps the words of any other error',
      { auth: "-ERR wrong number of arguments for 'auth' command" },
      "The database at HOST refused the connection: ERR wrong number of arguments for 'auth' command",
    ],
    [
      'keeps no argument that the server repeats',
      { auth: `-ERR unknown command 'auth', with args beginning with: 'x' '${PASSWORD}' ` },
      "The database at HOST refused the connection: ERR unknown command 'auth'",
    ],
    [
      'keeps no password, control character or second line of the server',
      { auth: `-MISCONF no ${PASSWORD}\u001b[31m\u202ered` },
      'The database at HOST refused the connection: MISCONF no … [31m red',
    ],
    [
      'names a database that the account may not select',
      { select: "-NOPERM this user has no permissions to run the 'select' command" },
      "HOST accepted ACCOUNT and refused database 3: NOPERM this user has no permissions to run the 'select' command",
      '3',
    ],
    [
      'names a database that does not exist',
      { select: '-ERR DB index is out of range' },
      'HOST accepted ACCOUNT and refused database 3: ERR DB index is out of range',
      '3',
    ],
    [
      'names a cluster, which has one database',
      { select: '-ERR SELECT is not allowed in cluster mode' },
      'HOST accepted ACCOUNT and refused database 3: ERR SELECT is not allowed in cluster mode',
      '3',
    ],
    [
      'names a Sentinel, which has no database',
      { select: "-ERR unknown command 'SELECT', with args beginning with: '3' " },
      "HOST accepted ACCOUNT and refused database 3: ERR unknown command 'SELECT'",
      '3',
    ],
    [
      'opens database 0 without SELECT',
      { select: '-ERR SELECT is not allowed in cluster mode' },
      undefined,
      '0',
    ],
  ] as const)('%s', async (_title, answers, sentence, database?: string) => {
    const asks: string[] = [];
    const { workspace } = await openAt(redis(answers, asks), {
      type: 'redis',
      username: 'reader',
      ...(database && { database }),
    });
    expect(workspace).toBe(sentence);
    expect(asks.slice(0, 2)).toEqual(
      'auth' in answers ? ['auth'] : ['auth', database === '3' ? 'select' : 'ping'],
    );
  });

  it('names TLS when a server closes the first command without an answer', async () => {
    const { workspace } = await openAt((socket) => socket.once('data', () => socket.destroy()), {
      type: 'redis',
      username: 'reader',
    });
    expect(workspace).toBe(
      'HOST closed the connection without an answer, as a port for TLS does. Turn on TLS for this database, or check the port.',
    );
  });

  it('shows no text of a server whose errors have no first word', async () => {
    const { workspace } = await openAt(redis({ auth: '-secret of another service' }), {
      type: 'redis',
      username: 'reader',
    });
    expect(workspace).toBe('HOST did not answer like a database of this type.');
  });
});

const CAPABILITIES =
  RELAYED | CAPABILITY.secureConnection | CAPABILITY.pluginAuth | CAPABILITY.connectWithDatabase;

/** A MySQL server that refuses the sign-in, or only later statements. */
const mysql =
  (number: number, text: string, at: 'greeting' | 'sign-in' | RegExp): Serve =>
  (socket) => {
    const refuse = (sequence: number) => socket.write(errorPacket(sequence, number, '42000', text));
    if (at === 'greeting') {
      refuse(0);
      return;
    }
    const hello = {
      capabilities: CAPABILITIES,
      connectionId: 7,
      nonce: makeNonce(),
      plugin: NATIVE,
    };
    socket.write(packet(0, greeting(hello, '5.5.5-10.11.19-MariaDB')));
    let isIn = false;
    socket.on('data', (chunk) => {
      if (!isIn && at === 'sign-in') refuse(2);
      else if (isIn && at instanceof RegExp && at.test(chunk.toString('latin1'))) refuse(1);
      else socket.write(okPacket(isIn ? 1 : 2, 2));
      isIn = true;
    });
  };

describe.each([
  ['sign-in', 'sign-in'],
  ['greeting', 'greeting'],
] as const)('MySQL and MariaDB at the %s', (_name, at) => {
  // Texts of MariaDB 10.11.19, MySQL 8.0 where MariaDB has none.
  it.each([
    [
      'names wrong credentials',
      1045,
      "Access denied for user 'x'@'y' (using password: YES)",
      'HOST did not accept the credentials of ACCOUNT.',
    ],
    [
      'names a locked account of MariaDB by its own words',
      4151,
      'Access denied, this account is locked',
      'The database at HOST refused the connection: 4151 Access denied, this account is locked',
    ],
    [
      'names a missing right to the database by its own words',
      1044,
      "Access denied for user 'x'@'%' to database 'mysql'",
      "The database at HOST refused the connection: 1044 Access denied for user 'x'@'%' to database 'mysql'",
    ],
    [
      'names an expired password by its own words',
      1862,
      'Your password has expired.',
      'The database at HOST refused the connection: 1862 Your password has expired.',
    ],
    [
      'names a missing database',
      1049,
      "Unknown database 'sales'",
      'HOST has no database with this name (1049).',
    ],
    [
      'names the limit of connections',
      1040,
      'Too many connections',
      'HOST accepts no more connections (1040). Try again later.',
    ],
    [
      'keeps no second line and no control character of the server',
      3159,
      'TLS\u0007 only\nsecond',
      'The database at HOST refused the connection: 3159 TLS only',
    ],
  ])('answers both ways in alike: %s', async (_title, number, text, sentence) => {
    expect(await openAt(mysql(number, text, at), { type: 'mysql', username: 'clerk' })).toEqual({
      workspace: sentence,
      listener: sentence,
    });
  });
});

it('names the words of a server that refuses our first statement to a MySQL client', async () => {
  const serve = mysql(1193, "Unknown system variable 'x'", /set names|character_set/i);
  const { listener } = await openAt(serve, { type: 'mysql', username: 'clerk' });
  expect(listener).toBe(
    "The database at HOST refused the connection: 1193 Unknown system variable 'x'",
  );
});

/** A PostgreSQL server that refuses every sign-in. */
const postgresql =
  (code: string, text: string): Serve =>
  (socket) =>
    socket.once('data', () => socket.end(fatal(code, text)));

describe('PostgreSQL', () => {
  // Texts of PostgreSQL 15.18.
  it.each([
    [
      'names wrong credentials',
      '28P01',
      'password authentication failed for user "x"',
      'HOST did not accept the credentials of ACCOUNT.',
    ],
    [
      'names credentials that LDAP or PAM refused',
      '28000',
      'LDAP authentication failed for user "x"',
      'HOST did not accept the credentials of ACCOUNT.',
    ],
    [
      'names a missing line of pg_hba.conf by the words of the server',
      '28000',
      'no pg_hba.conf entry for host "127.0.0.1", user "x", database "y", no encryption',
      'The database at HOST refused the connection: 28000 no pg_hba.conf entry for host "127.0.0.1", user "x", database "y", no encryption',
    ],
    [
      'names a role that may not sign in by the words of the server',
      '28000',
      'role "x" is not permitted to log in',
      'The database at HOST refused the connection: 28000 role "x" is not permitted to log in',
    ],
    [
      'names a missing role by the words of the server',
      '28000',
      'role "x" does not exist',
      'The database at HOST refused the connection: 28000 role "x" does not exist',
    ],
    [
      'names a certificate that the server requires by the words of the server',
      '28000',
      'connection requires a valid client certificate',
      'The database at HOST refused the connection: 28000 connection requires a valid client certificate',
    ],
    [
      'names an account of another user of the system by the words of the server',
      '28000',
      'Peer authentication failed for user "x"',
      'The database at HOST refused the connection: 28000 Peer authentication failed for user "x"',
    ],
    [
      'names a rejected host by the words of the server',
      '28000',
      'authentication failed for user "x": host rejected',
      'The database at HOST refused the connection: 28000 authentication failed for user "x": host rejected',
    ],
    [
      'names a missing database',
      '3D000',
      'database "y" does not exist',
      'HOST has no database with this name (3D000).',
    ],
    [
      'names the limit of connections',
      '53300',
      'sorry, too many clients already',
      'HOST accepts no more connections (53300). Try again later.',
    ],
    [
      'names a server that still starts',
      '57P03',
      'the database system is starting up',
      'The database at HOST is not ready: 57P03 the database system is starting up',
    ],
    [
      'names a missing right to connect by the words of the server',
      '42501',
      'permission denied for database "y"',
      'The database at HOST refused the connection: 42501 permission denied for database "y"',
    ],
    [
      'keeps no password of the vault',
      'XX000',
      `for ${PASSWORD} only`,
      'The database at HOST refused the connection: XX000 for … only',
    ],
  ])('answers both ways in alike: %s', async (_title, code, text, sentence) => {
    const options = { type: 'postgresql', username: 'clerk', database: 'sales' } as const;
    expect(await openAt(postgresql(code, text), options)).toEqual({
      workspace: sentence,
      listener: sentence,
    });
  });
});

it.each([
  // MySQL 8.0.24 and later at its wait_timeout, MySQL at a shutdown, MariaDB, an unknown number.
  [4031, 'The client was disconnected by the server because of inactivity.'],
  [1053, 'Server shutdown in progress'],
  [1927, 'Connection was killed'],
  [65_001, 'closed for the night\u001b[2J\nsecond'],
])(
  'names number %d and the words of a MySQL server that ends an idle session',
  async (number, text) => {
    const sockets: Socket[] = [];
    const accept = mysql(0, '', /no statement/);
    const server = await startHostileServer((socket) => {
      sockets.push(socket);
      accept(socket);
    });
    const granted = await world.grant({
      type: 'mysql',
      username: 'clerk',
      password: PASSWORD,
      port: server.port,
    });
    const client = await granted.connect();
    await client.message('open');
    sockets[0]?.end(errorPacket(0, number, 'HY000', text));
    await until(
      () => client.messages.some(({ type }) => type === 'closed'),
      'the session has ended',
    );
    const closed = client.messages.find(({ type }) => type === 'closed');
    const words =
      text === 'closed for the night\u001b[2J\nsecond' ? 'closed for the night [2J' : text;
    expect(closed).toMatchObject({
      code: 'connect_target_disconnected',
      message: `The server ended the connection: ${number} ${words}`,
    });
    await server.stop();
  },
);

// The first words in the errors of Redis 7.0.15, Valkey 9.1.2 and their Sentinel and cluster.
it.each(
  (
    'ERR WRONGTYPE NOPERM NOSCRIPT BUSY MISCONF READONLY OOM EXECABORT NOREPLICAS BUSYKEY ' +
    'BUSYGROUP NOGROUP UNKILLABLE NOTBUSY INPROG CROSSSLOT CLUSTERDOWN MOVED ASK TRYAGAIN ' +
    'NOMASTERLINK NOPROTO UNBLOCKED NOQUORUM NOGOODSLAVE IOERR STALE FAILOVER REDIRECT OFNOCODE'
  ).split(' '),
)('shows the error %s of Redis by its own words', async (word) => {
  const { workspace } = await openAt(redis({ auth: `-${word} words of the server` }), {
    type: 'redis',
    username: 'reader',
  });
  expect(workspace).toBe(
    `The database at HOST refused the connection: ${word} words of the server`,
  );
});
