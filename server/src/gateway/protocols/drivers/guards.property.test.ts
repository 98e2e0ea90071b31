import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limitOf, runs } from '@sallyport/property-runs';
import { int32, message, ProtocolViolation, packet, zeroEnded } from '@sallyport/sql-relays';
import fc from 'fast-check';
import pg from 'pg';
import { expect, it } from 'vitest';
import { guardReads } from './guard-reads.ts';
import { MysqlGuard } from './mysql-guard.ts';
import { PostgresGuard } from './postgresql-guard.ts';

const COLUMN = Buffer.concat([zeroEnded('a'), Buffer.alloc(18)]);
const WELCOME = Buffer.concat([
  message('R', int32(0)),
  message('S', zeroEnded('client_encoding'), zeroEnded('UTF8')),
  message('K', int32(1), int32(2)),
  message('Z', Buffer.from('I')),
]);
const RESULT = Buffer.concat([
  message('1'),
  message('t', Buffer.from([0, 0])),
  message('T', Buffer.from([0, 1]), COLUMN),
  message('2'),
  message('T', Buffer.from([0, 1]), COLUMN),
  message('D', Buffer.from([0, 1]), int32(1), Buffer.from('x')),
  message('C', zeroEnded('SELECT 1')),
  message('E', zeroEnded('SERROR'), zeroEnded('C42601'), zeroEnded('Mno'), Buffer.from([0])),
  message('Z', Buffer.from('I')),
]);

/** Changed bytes of a stream, by their places. */
const CHANGES = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });

function changed(bytes: Buffer, changes: readonly (readonly [number, number])[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const [place, value] of changes) copy[place % copy.length] = value;
  return copy;
}

/** A connected stream whose bytes the test pushes; errors are expected. */
function pushed(): Duplex {
  const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  stream.on('error', () => undefined);
  return Object.assign(stream, {
    setNoDelay: () => stream,
    connect: () => process.nextTick(() => stream.emit('connect')),
  });
}

it(
  'lets no changed byte of a PostgreSQL server throw an error in its driver',
  async () => {
    await fc.assert(
      fc.asyncProperty(CHANGES, CHANGES, async (greeting, result) => {
        const stream = pushed();
        const guard = new PostgresGuard({ hasTls: false });
        guardReads(stream, guard);
        const client = new pg.Client({ stream: () => stream, user: 'x', password: () => 'y' });
        client.on('error', () => undefined);
        client.connect().catch(() => undefined);
        await nextTurn();
        // An error in a listener of the stream would be thrown here, and end the server.
        stream.push(changed(WELCOME, greeting));
        await nextTurn();
        guard.expectAnswer();
        client.query({ text: 'select 1', rowMode: 'array' }).catch(() => undefined);
        if (!stream.destroyed) stream.push(changed(RESULT, result));
        await nextTurn();
        stream.destroy();
      }),
      runs(400),
    );
  },
  limitOf(60_000),
);

it(
  'answers any packets of a MySQL server with themselves or a violation',
  () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }),
        fc.boolean(),
        (payloads, isOrdered) => {
          const guard = new MysqlGuard(() => 0);
          const bytes = Buffer.concat(
            payloads.map((payload, at) => packet(isOrdered ? at : 7 * at, Buffer.from(payload))),
          );
          guard.expectAnswer();
          const read: Buffer[] = [];
          try {
            for (const piece of guard.check(bytes)) read.push(piece);
            expect(Buffer.concat(read).equals(bytes.subarray(0, Buffer.concat(read).length))).toBe(
              true,
            );
          } catch (error) {
            expect(error).toBeInstanceOf(ProtocolViolation);
          }
        },
      ),
      runs(400),
    );
  },
  limitOf(60_000),
);
