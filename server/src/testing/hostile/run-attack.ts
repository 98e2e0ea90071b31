import type { Socket } from 'node:net';
import { query } from '@sallyport/sql-relays';
import { createConnection } from 'mysql2';
import pg from 'pg';
import type { DatabaseWorld, GrantedDatabase } from '../databases/database-world.ts';
import { databasePassword } from '../databases/grant-database.ts';
import { until } from '../poll.ts';
import {
  type HostileDatabase,
  type HostileServer,
  SESSION_LASTS,
  startHostileServer,
} from './hostile-server.ts';

/** Minimum bytes of an endless answer before its session counts as surviving. */
const FLOOD = 4 * 1024 * 1024;

export type HostileType = 'postgresql' | 'mysql' | 'redis';

export interface AttackOutcome {
  /** Reason in the row of the session. */
  readonly reason: string;
  /** Bytes that the gateway took from the server. */
  readonly taken: number;
  /** Characters of the longest message to the browser. */
  readonly longest: number;
}

const finished = async (granted: GrantedDatabase): Promise<string> => {
  await until(
    async () => (await granted.lastSession()).is_finished === true,
    'the session has ended',
    60_000,
  );
  return String((await granted.lastSession()).end_reason);
};
/** Waits until the session has ended, or survives an attack that it should survive. */
const endured = (
  granted: GrantedDatabase,
  server: HostileServer,
  { floods = false }: HostileDatabase,
): Promise<void> =>
  until(
    async () =>
      !floods || server.sent() > FLOOD || (await granted.lastSession()).is_finished === true,
    'the attack has had its effect',
    60_000,
  );

/** Opens a session at a hostile server and returns how it ended. */
async function attacked(
  world: DatabaseWorld,
  type: HostileType,
  attack: HostileDatabase,
  use: (granted: GrantedDatabase, server: HostileServer) => Promise<number>,
): Promise<AttackOutcome> {
  const server = await startHostileServer(attack.serve);
  try {
    const granted = await world.grant({
      type,
      port: server.port,
      ...(type !== 'redis' && { database: 'sales' }),
      username: 'x',
      password: 'y',
    });
    const longest = await use(granted, server);
    return { reason: await finished(granted), taken: server.sent(), longest };
  } finally {
    await server.stop();
  }
}

/** Uses the query workspace. */
export const attackWorkspace = (
  world: DatabaseWorld,
  type: HostileType,
  attack: HostileDatabase,
): Promise<AttackOutcome> =>
  attacked(world, type, attack, async (granted, server) => {
    const client = await granted.connect();
    const isClosed = () => client.messages.some((message) => message.type === 'closed');
    const has = (wanted: string) => client.messages.some((message) => message.type === wanted);
    await until(() => has('open') || isClosed(), 'the workspace is open', 60_000);
    if (!isClosed()) {
      client.begin(type === 'redis' ? 'get a' : 'select 1');
      await until(() => has('statement') || isClosed(), 'the statement runs', 60_000);
      if (attack.workspace === SESSION_LASTS) await endured(granted, server, attack);
      else await until(isClosed, 'the workspace is closed', 60_000);
    }
    client.close();
    return Math.max(...client.messages.map((message) => JSON.stringify(message).length));
  });

/** Uses a client program, which signs in as usual and then reads everything. */
export const attackListener = (
  world: DatabaseWorld,
  type: 'postgresql' | 'mysql',
  attack: HostileDatabase,
): Promise<AttackOutcome> =>
  attacked(world, type, attack, async (granted, server) => {
    const stream = await signIn(type, await databasePassword(world.client, granted));
    if (stream) {
      stream.removeAllListeners('data');
      stream.on('error', () => undefined).resume();
      stream.write(type === 'postgresql' ? query('select 1') : MYSQL_SELECT);
      if (attack.listener === SESSION_LASTS) {
        await until(() => stream.destroyed || server.sent() > 0, 'an answer', 60_000);
        await endured(granted, server, attack);
      } else await until(() => stream.destroyed, 'the client is disconnected', 60_000);
      stream.destroy();
    }
    return 0;
  });

const MYSQL_SELECT = Buffer.from('\x09\0\0\0\x03select 1', 'latin1');

interface Password {
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** Signs in with a driver. Returns its connection; undefined if the listener rejects it. */
function signIn(
  type: 'postgresql' | 'mysql',
  { port, username: user, password }: Password,
): Promise<Socket | undefined> {
  const options = { host: '127.0.0.1', port, user, password, database: 'sales' };
  return new Promise((done) => {
    if (type === 'postgresql') {
      const client = new pg.Client(options);
      client.on('error', () => undefined);
      const stream = () => Reflect.get(Reflect.get(client, 'connection') as object, 'stream');
      client.connect().then(
        () => done(stream() as Socket),
        () => done(undefined),
      );
      return;
    }
    const client = createConnection({ ...options, connectTimeout: 60_000 });
    client.on('error', () => undefined);
    client.connect((error) => done(error ? undefined : (Reflect.get(client, 'stream') as Socket)));
  });
}
