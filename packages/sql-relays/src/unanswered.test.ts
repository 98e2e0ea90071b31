import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import type { StatementDone, StatementJournal } from './journal.ts';
import { COMMAND, okPacket, packet } from './mysql/packets.ts';
import { MysqlRelay } from './mysql/relay.ts';
import { int32, message } from './postgresql/messages.ts';
import { PostgresRelay } from './postgresql/relay.ts';

/** An end of a connection whose received bytes a test counts, and into which it writes. */
class Wire extends Duplex {
  received = 0;
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.received += chunk.length;
    done();
  }
}

function journalOf(done: StatementDone[]): StatementJournal {
  return {
    decide: (bytes) => ({
      refusal: undefined,
      statements: String(bytes).split('; '),
      isCharacterSetUnknown: false,
    }),
    isReadOnly: () => false,
    isRestricted: () => false,
    asksAboutLast: () => false,
    done: (statement) => void done.push(statement),
    written: () => undefined,
    transfer: () => ({ add: () => undefined, end: () => undefined }),
    refuseTransfer: () => '',
    active: () => undefined,
    mayUpload: () => true,
    mayDownload: () => true,
    say: (code) => code,
  };
}

const logged = (done: readonly StatementDone[]) =>
  done.map(({ statement, error }) => [statement, error]);

async function send(from: Wire, to: Wire, ...bytes: readonly Buffer[]): Promise<void> {
  const before = to.received;
  from.push(Buffer.concat(bytes));
  await expect.poll(() => to.received).toBeGreaterThan(before);
}

function mysql() {
  const [client, target, done] = [new Wire(), new Wire(), [] as StatementDone[]];
  const relay = new MysqlRelay({
    client,
    target,
    journal: journalOf(done),
    username: 'app',
    database: '',
    isReadOnly: false,
    killOf: (statement) => statement,
    onEnd: () => relay.stop(undefined),
  });
  relay.start();
  return { client, target, done };
}

function postgres() {
  const [client, target, done] = [new Wire(), new Wire(), [] as StatementDone[]];
  const relay = new PostgresRelay({
    client,
    target,
    journal: journalOf(done),
    isReadOnly: false,
    isPooled: () => false,
    fromTarget: Buffer.alloc(0),
    onEnd: () => relay.stop(undefined),
  });
  relay.start();
  return { client, target, done };
}

const command = (code: number, ...parts: readonly Buffer[]) =>
  packet(0, Buffer.from([code]), ...parts);
const text = (value: string) => Buffer.from(`${value}\0`);

it('records the statements of MySQL that have no answer when the client disconnects', async () => {
  const { client, target, done } = mysql();
  await send(client, target, command(COMMAND.query, Buffer.from('delete from a; delete from b')));
  client.push(null);
  await expect
    .poll(() => logged(done))
    .toEqual([
      ['delete from a', 'unanswered'],
      ['delete from b', 'unanswered'],
    ]);
});

it('records a statement of MySQL with an answer once', async () => {
  const { client, target, done } = mysql();
  await send(client, target, command(COMMAND.query, Buffer.from('delete from a')));
  await send(target, client, okPacket(1, 2));
  client.push(null);
  await expect.poll(() => client.writableEnded).toBe(true);
  expect(logged(done)).toEqual([['delete from a', undefined]]);
});

it('records a prepared statement of MySQL that opens a cursor', async () => {
  const { client, target, done } = mysql();
  const little = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  await send(client, target, command(COMMAND.prepare, Buffer.from('select a from t')));
  // Statement 7 with one column and no parameters.
  await send(
    target,
    client,
    packet(1, Buffer.from([0]), little(7), Buffer.from([1, 0, 0, 0, 0, 0, 0])),
    packet(2, Buffer.from('column')),
    packet(3, Buffer.from([0xfe, 0, 0, 2, 0])),
  );
  await send(client, target, command(COMMAND.execute, little(7), Buffer.from([1]), little(1)));
  // SERVER_STATUS_CURSOR_EXISTS.
  await send(
    target,
    client,
    packet(1, Buffer.from([1])),
    packet(2, Buffer.from('column')),
    packet(3, Buffer.from([0xfe, 0, 0, 0x42, 0])),
  );
  expect(logged(done)).toEqual([['select a from t', undefined]]);
});

const ready = (status: string) => message('Z', Buffer.from(status));
const query = (value: string) => message('Q', text(value));

it('records the statements of PostgreSQL that have no answer when the client disconnects', async () => {
  const { client, target, done } = postgres();
  await send(client, target, query('select 1'), query('delete from a; delete from b'));
  await send(target, client, message('C', text('SELECT 1')), ready('I'));
  await send(target, client, message('C', text('DELETE 1')));
  client.push(null);
  await expect
    .poll(() => logged(done))
    .toEqual([
      ['select 1', undefined],
      ['delete from a', undefined],
      ['delete from b', 'unanswered'],
    ]);
});

it('records a statement of PostgreSQL with an answer once, without the end of its batch', async () => {
  const { client, target, done } = postgres();
  await send(client, target, query('delete from a'));
  await send(target, client, message('C', text('DELETE 1')));
  client.push(null);
  await expect.poll(() => client.writableEnded).toBe(true);
  expect(logged(done)).toEqual([['delete from a', undefined]]);
});

it('records a portal with more rows, and one without an answer, when the client disconnects', async () => {
  const { client, target, done } = postgres();
  const run = (name: string, statement: string, rows: number) => [
    message('P', text(''), text(statement), Buffer.alloc(2)),
    message('B', text(name), text(''), Buffer.alloc(6)),
    message('E', text(name), int32(rows)),
  ];
  const sync = message('S');
  await send(client, target, query('begin'));
  await send(target, client, message('C', text('BEGIN')), ready('T'));
  await send(client, target, ...run('many', 'select a from t', 1), sync);
  const row = message('D', Buffer.from([0, 1, 0, 0, 0, 1, 0x78]));
  await send(target, client, message('1'), message('2'), row, message('s'), ready('T'));
  await send(client, target, ...run('other', 'select b from t', 0), sync);
  client.push(null);
  await expect
    .poll(() => logged(done))
    .toEqual([
      ['begin', undefined],
      ['select a from t', undefined],
      ['select b from t', 'unanswered'],
    ]);
});
