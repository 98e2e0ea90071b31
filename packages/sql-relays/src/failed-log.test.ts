import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import type { StatementJournal } from './journal.ts';
import { COMMAND, errorPacket, okPacket, packet } from './mysql/packets.ts';
import { MysqlRelay } from './mysql/relay.ts';
import { message } from './postgresql/messages.ts';
import { PostgresRelay } from './postgresql/relay.ts';

/** An end of a connection whose received bytes a test reads, and into which it writes. */
class Wire extends Duplex {
  received = Buffer.alloc(0);
  isEnded = false;
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.received = Buffer.concat([this.received, chunk]);
    done();
  }
  override _final(done: () => void): void {
    this.isEnded = true;
    done();
  }
}

/** A journal whose log never takes the statements that were done. */
function failingJournal() {
  const done: string[] = [];
  const never = new Promise<void>(() => undefined);
  const journal: StatementJournal = {
    decide: (bytes) => ({
      refusal: undefined,
      statements: [String(bytes)],
      isCharacterSetUnknown: false,
    }),
    isReadOnly: () => false,
    isRestricted: () => false,
    asksAboutLast: () => false,
    done: ({ statement }) => void done.push(statement),
    written: () => (done.length > 0 ? never : undefined),
    transfer: () => ({ add: () => undefined, end: () => undefined }),
    refuseTransfer: () => '',
    active: () => undefined,
    mayUpload: () => true,
    mayDownload: () => true,
    say: (code) => code,
  };
  return { journal, done };
}

const query = (text: string) => packet(0, Buffer.from([COMMAND.query]), Buffer.from(text));
/** Returns the packets of a result with one column (with EOF packets), numbered from 1. */
function resultOf(rows: number): readonly Buffer[] {
  const lengthOf = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  const column = Buffer.concat([
    ...['def', '', '', '', 'a', 'a'].map(lengthOf),
    Buffer.from([12, 45, 0, 255, 0, 0, 0, 253, 0, 0, 0, 0, 0]),
  ]);
  const eof = Buffer.from([0xfe, 0, 0, 2, 0]);
  const bodies = [Buffer.from([1]), column, eof, ...Array(rows).fill(lengthOf('x')), eof];
  return bodies.map((body, at) => packet(at + 1, body));
}

function mysqlRelay() {
  const { journal, done } = failingJournal();
  const [client, target] = [new Wire(), new Wire()];
  const relay = new MysqlRelay({
    client,
    target,
    journal,
    username: 'app',
    database: '',
    isReadOnly: false,
    killOf: (statement) => statement,
    onEnd: () => undefined,
  });
  relay.start();
  return { relay, client, target, done };
}

const REASON = 'the disk is full';
const shutDown = (sequence: number) => errorPacket(sequence, 1053, '08S01', REASON);

it('gives a MySQL client the reason in the place of the answer that is not in the log', async () => {
  const { relay, client, target, done } = mysqlRelay();
  client.push(query('delete from t'));
  await expect.poll(() => target.received.length).toBeGreaterThan(0);
  target.push(okPacket(1, 2));
  await expect.poll(() => done).toEqual(['delete from t']);
  relay.stop(REASON, true);
  await expect.poll(() => client.isEnded).toBe(true);
  expect(client.received).toEqual(shutDown(1));
});

it('numbers the reason after the rows that the MySQL client has', async () => {
  const { relay, client, target, done } = mysqlRelay();
  client.push(query('select a from t'));
  await expect.poll(() => target.received.length).toBeGreaterThan(0);
  const answer = resultOf(3);
  const before = Buffer.concat(answer.slice(0, -1));
  target.push(before);
  await expect.poll(() => client.received).toEqual(before);
  target.push(answer.at(-1));
  await expect.poll(() => done).toEqual(['select a from t']);
  relay.stop(REASON, true);
  await expect.poll(() => client.isEnded).toBe(true);
  expect(client.received).toEqual(Buffer.concat([before, shutDown(answer.length)]));
});

it('numbers the reason from 1 when a MySQL statement without an answer is stopped', async () => {
  const { relay, client, target } = mysqlRelay();
  client.push(query('select sleep(1)'));
  await expect.poll(() => target.received.length).toBeGreaterThan(0);
  relay.stop(REASON);
  await expect.poll(() => client.isEnded).toBe(true);
  expect(client.received).toEqual(shutDown(1));
});

function postgresRelay() {
  const { journal, done } = failingJournal();
  const [client, target] = [new Wire(), new Wire()];
  const relay = new PostgresRelay({
    client,
    target,
    journal,
    isReadOnly: false,
    isPooled: () => false,
    fromTarget: Buffer.alloc(0),
    onEnd: () => undefined,
  });
  relay.start();
  return { relay, client, target, done };
}
const text = (value: string) => Buffer.from(`${value}\0`);
const COLUMN = message('T', Buffer.concat([Buffer.from([0, 1]), text('a'), Buffer.alloc(18)]));
const ROW = message('D', Buffer.from([0, 1, 0, 0, 0, 1, 0x78]));
const END = Buffer.concat([message('C', text('SELECT 1')), message('Z', Buffer.from('I'))]);
const FATAL = message('E', text('SFATAL'));

it('gives a PostgreSQL client the reason in the place of the answer that is not in the log', async () => {
  const { relay, client, target, done } = postgresRelay();
  client.push(message('Q', text('select a from t')));
  await expect.poll(() => target.received.length).toBeGreaterThan(0);
  target.push(COLUMN);
  await expect.poll(() => client.received).toEqual(COLUMN);
  target.push(Buffer.concat([ROW, END]));
  await expect.poll(() => done.length).toBe(1);
  relay.stop(FATAL, true);
  await expect.poll(() => client.isEnded).toBe(true);
  expect(client.received).toEqual(Buffer.concat([COLUMN, FATAL]));
});

it('closes without a reason when the PostgreSQL client has half a row', async () => {
  const { relay, client, target, done } = postgresRelay();
  client.push(message('Q', text('select a from t')));
  await expect.poll(() => target.received.length).toBeGreaterThan(0);
  // A row of this size passes in parts.
  const row = message('D', Buffer.concat([Buffer.from([0, 1, 0, 1, 0, 0]), Buffer.alloc(65_536)]));
  const begun = Buffer.concat([COLUMN, row.subarray(0, 9_000)]);
  target.push(begun);
  await expect.poll(() => client.received).toEqual(begun);
  target.push(Buffer.concat([row.subarray(9_000), END]));
  await expect.poll(() => done.length).toBe(1);
  relay.stop(FATAL, true);
  await expect.poll(() => client.isEnded).toBe(true);
  expect(client.received).toEqual(begun);
});
