import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { message, zeroEnded } from '@sallyport/sql-relays';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';

const ready = message('Z', Buffer.from('I'));
const ok = message('R', Buffer.alloc(4));
const error = message(
  'E',
  ...[Buffer.from('S'), zeroEnded('ERROR'), Buffer.from('C'), zeroEnded('42P01')],
  ...[Buffer.from('M'), zeroEnded('no such thing'), Buffer.alloc(1)],
);
/** Statements in the order in which the server ran them. */
const ran: string[] = [];
/** Called for the Parse of a slow statement, which `parse` answers. */
let onSlow: () => void = () => undefined;
let parse: () => void = () => undefined;
/** Called when a `begin` was executed, which `complete` ends. */
let onBegin: () => void = () => undefined;
let complete: () => void = () => undefined;
let onCancel: () => void = () => undefined;
/** Code of a cancel request, in place of a version. */
const CANCEL_REQUEST = 80_877_102;

/**
 * Answers like H2 2.4.240: an error does not skip the messages up to Sync, so they mean the
 * statement and the portal before. Statements with `missing` fail at their Parse, those with
 * `unbound` at their Bind.
 */
function serve(socket: Socket): void {
  let pending = Buffer.alloc(0);
  let isStarted = false;
  let parsed = '';
  let bound = '';
  const answer = (type: string, body: Buffer) => {
    if (type === 'P') {
      const text = body.subarray(1).toString().split('\0')[0] ?? '';
      if (text.includes('missing')) return socket.write(error);
      parsed = text;
      if (text.includes('slow')) onSlow();
      else socket.write(message('1'));
      return undefined;
    }
    if (type === 'B') {
      if (parsed.includes('unbound')) return socket.write(error);
      bound = parsed;
      return socket.write(message('2'));
    }
    if (type === 'D') return socket.write(message('n'));
    if (type === 'E') {
      ran.push(bound);
      return socket.write(message('C', zeroEnded('INSERT 0 1')));
    }
    if (type !== 'S') return undefined;
    if (bound !== 'begin') return socket.write(ready);
    complete = () => socket.write(ready);
    bound = '';
    return onBegin();
  };
  parse = () => socket.write(message('1'));
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const head = isStarted ? 1 : 0;
      if (pending.length < head + 4) return;
      const end = head + pending.readInt32BE(head);
      if (pending.length < end) return;
      const body = pending.subarray(head + 4, end);
      if (isStarted) answer(pending.toString('latin1', 0, 1), body);
      else if (body.readInt32BE(0) === CANCEL_REQUEST) onCancel();
      else socket.write(Buffer.concat([ok, message('K', Buffer.alloc(8)), ready]));
      isStarted = true;
      pending = pending.subarray(end);
    }
  });
}

const server = createServer(serve);
let world: DatabaseWorld;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  [world] = await Promise.all([startDatabaseWorld(), once(server, 'listening')]);
});
afterAll(async () => {
  await world?.stop();
  server.close();
});

it('runs no statement again when the one after it fails, at a server that does not skip to Sync', async () => {
  const granted = await world.grant({
    ...{ type: 'postgresql', host: '127.0.0.1', database: 'h2' },
    ...{ port: (server.address() as AddressInfo).port, username: 'sa', password: 'any' },
  });
  const client = await granted.connect();
  await client.message('open');
  expect((await client.query('insert into item values (1)')).failed).toBeUndefined();
  for (const text of ['select * from missing', 'select unbound', 'select * from missing'])
    expect((await client.query(text)).failed, text).toMatchObject({
      message: expect.stringContaining('no such thing'),
    });
  expect((await client.query('insert into item values (2)')).failed).toBeUndefined();
  expect(ran).toEqual(['insert into item values (1)', 'insert into item values (2)']);
  client.close();
});

it('does not execute a statement that is canceled while the server parses it', async () => {
  const granted = await world.grant({
    ...{ type: 'postgresql', host: '127.0.0.1', database: 'h2' },
    ...{ port: (server.address() as AddressInfo).port, username: 'sa', password: 'any' },
  });
  const client = await granted.connect();
  await client.message('open');
  ran.length = 0;
  const isParsing = new Promise<void>((parsing) => {
    onSlow = parsing;
  });
  const canceled = new Promise<void>((read) => {
    onCancel = read;
  });
  const answerParse = parse;
  const running = client.begin('insert into slow values (1)');
  await isParsing;
  client.send({ type: 'cancel' });
  await canceled;
  answerParse();
  expect((await client.finish(running)).failed?.message).toContain('cancel');
  expect((await client.query('select 1')).failed).toBeUndefined();
  expect(ran).toEqual(['select 1']);
  client.close();
});

it('does not execute a statement that is canceled while its transaction begins', async () => {
  const granted = await world.grant({
    ...{ type: 'postgresql', host: '127.0.0.1', database: 'h2' },
    ...{ port: (server.address() as AddressInfo).port, username: 'sa', password: 'any' },
  });
  const client = await granted.connect();
  await client.message('open');
  ran.length = 0;
  client.send({ type: 'autocommit', on: false });
  const isBeginning = new Promise<void>((begun) => {
    onBegin = begun;
  });
  const canceled = new Promise<void>((read) => {
    onCancel = read;
  });
  const running = client.begin('insert into item values (3)');
  await isBeginning;
  client.send({ type: 'cancel' });
  await canceled;
  complete();
  expect((await client.finish(running)).failed?.message).toContain('cancel');
  expect(ran).toEqual(['begin']);
  client.close();
});
