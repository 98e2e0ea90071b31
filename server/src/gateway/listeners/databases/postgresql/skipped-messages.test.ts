import type { Socket } from 'node:net';
import { Frames, int32, message, query, zeroEnded } from '@sallyport/sql-relays';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../../testing/databases/client-world.ts';
import { freePort } from '../../../../testing/free-port.ts';
import {
  type HostileServer,
  startHostileServer,
} from '../../../../testing/hostile/hostile-server.ts';

const NONE = Buffer.alloc(2);
const parse = (text: string) => message('P', zeroEnded(''), zeroEnded(text), NONE);
const bind = message('B', zeroEnded(''), zeroEnded(''), NONE, NONE, NONE);
const describe = message('D', zeroEnded('S'));
const execute = message('E', zeroEnded(''), int32(0));
const close = message('C', zeroEnded('S'));
const sync = message('S');
const data = message('d', Buffer.from('1\n'));
const done = message('c');
const READY = message('Z', Buffer.from('I'));
const FAILED = message('E', ...['SERROR', 'C42601', 'Mwrong'].map(zeroEnded), Buffer.from([0]));

/** Types of the messages that the server received after the sign-in. */
let received = '';

/**
 * A server that does not skip to Sync after an error, like H2 2.4.240: it answers each message by
 * itself. A Parse fails for the words FAIL and SALLYPORT_REFUSED.
 */
function serve(socket: Socket): void {
  let isIn = false;
  const frames = new Frames({
    onHeader: () => 'collect',
    maxCollected: 1_000_000,
    maxPassed: 1_000_000,
  });
  socket.on('data', (chunk: Buffer) => {
    if (!isIn) {
      isIn = true;
      socket.write(Buffer.concat([message('R', int32(0)), READY]));
      return;
    }
    for (const piece of frames.split(chunk)) {
      if (piece.type === undefined) continue;
      received += piece.type;
      const fails = /FAIL|SALLYPORT_REFUSED/.test(piece.body.toString());
      if (piece.type === 'P') socket.write(fails ? FAILED : message('1'));
      else if (piece.type === 'B') socket.write(message('2'));
      else if (piece.type === 'D') socket.write(message('n'));
      else if (piece.type === 'E') socket.write(message('C', zeroEnded('INSERT 0 1')));
      else if (piece.type === 'C') socket.write(message('3'));
      else if (piece.type === 'Q')
        socket.write(Buffer.concat([fails ? FAILED : message('C', zeroEnded('SELECT 0')), READY]));
      else if (piece.type === 'S') socket.write(READY);
    }
  });
}

let world: DatabaseWorld;
let server: HostileServer;
beforeAll(async () => {
  const port = await freePort();
  server = await startHostileServer(serve);
  world = await startDatabaseWorld({ postgresqlPort: port });
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

/** Opens a session that may not send files; `ask` returns the types up to ReadyForQuery. */
async function open() {
  const granted = await world.add(
    { type: 'postgresql', port: server.port, database: 'h2', username: 'sa', password: 'x' },
    { actions: ['connect'] },
  );
  const { port, username: user, password } = await world.password(granted);
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'h2' });
  client.on('error', () => undefined);
  await client.connect();
  const connection: unknown = Reflect.get(client, 'connection');
  const { stream } = connection as { readonly stream: Socket };
  stream.removeAllListeners('data');
  received = '';
  return {
    send: (...parts: readonly Buffer[]) => stream.write(Buffer.concat(parts)),
    /** Types of the messages up to the next one of the type. */
    async until(last: string): Promise<string> {
      let types = '';
      let bytes = Buffer.alloc(0);
      for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
        bytes = Buffer.concat([bytes, chunk as Buffer]);
        while (bytes.length >= 5 && bytes.length > bytes.readInt32BE(1)) {
          types += bytes.toString('latin1', 0, 1);
          bytes = bytes.subarray(1 + bytes.readInt32BE(1));
        }
        if (types.endsWith(last)) break;
      }
      return types;
    },
    end: () => stream.destroy(),
  };
}

const REFUSED = 'copy t from stdin';

it.each([
  ['a refused Parse', [parse(REFUSED), bind, describe, execute, sync], 'EZ', 'PS'],
  [
    'its Close and a second statement',
    [parse(REFUSED), close, parse('insert'), bind, execute, sync],
    'EZ',
    'PS',
  ],
  ['a simple query before Sync', [parse(REFUSED), query('insert'), sync], 'EZ', 'PS'],
  ['data of a refused copy', [parse(REFUSED), bind, execute, data, data, done, sync], 'EZ', 'PS'],
  [
    'nothing of the next batch',
    [parse(REFUSED), bind, execute, sync, parse('insert'), bind, execute, sync],
    'EZ12CZ',
    'PSPBES',
  ],
  [
    'nothing before a refused Parse',
    [parse('insert'), bind, execute, parse(REFUSED), bind, execute, sync],
    '12CEZ',
    'PBEPS',
  ],
  [
    'nothing after a refused simple query',
    [query(REFUSED), parse('insert'), bind, execute, sync],
    'EZ12CZ',
    'QPBES',
  ],
])('drops messages until Sync: %s', async (_title, parts, answer, sent) => {
  const session = await open();
  session.send(...parts);
  let types = await session.until('Z');
  while (types.length < answer.length) types += await session.until('Z');
  expect([types, received]).toEqual([answer, sent]);
  session.end();
});

it('keeps messages from the server after the server has failed a Parse', async () => {
  const session = await open();
  session.send(parse('insert'), bind, execute, sync);
  expect(await session.until('Z')).toBe('12CZ');
  session.send(parse('FAIL'), message('H'));
  expect(await session.until('E')).toBe('E');
  session.send(bind, describe, execute, parse('insert'), sync, query('select'));
  let types = await session.until('Z');
  while (types.length < 3) types += await session.until('Z');
  expect([types, received]).toEqual(['ZCZ', 'PBESPHSQ']);
  session.end();
});
