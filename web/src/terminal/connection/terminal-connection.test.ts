import { once } from 'node:events';
import { ACKNOWLEDGE_EVERY, OUTPUT_WINDOW, TERMINAL_SOCKET_PATH } from '@sallyport/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket as PeerSocket, type RawData, WebSocketServer } from 'ws';
import { TerminalConnection } from './terminal-connection.ts';
import type { TransferLine } from './transfer-line.ts';

const DESTINATION = { asset: 'asset-1', systemUser: 'user-1', protocol: 'ssh' as const };
const SIZE = { cols: 100, rows: 30 };

let server: WebSocketServer;
let connection: TerminalConnection;

beforeEach(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: TERMINAL_SOCKET_PATH });
  await once(server, 'listening');
  const address = server.address();
  if (typeof address === 'string' || address === null) throw new Error('no port');
  connection = new TerminalConnection(
    () => `ws://127.0.0.1:${address.port}${TERMINAL_SOCKET_PATH}`,
  );
});

afterEach(async () => {
  connection.hangUp();
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
});

/** Everything the peer hears, in order: messages as objects, keystrokes as text. */
function ears(peer: PeerSocket): { next: () => Promise<unknown> } {
  const heard: unknown[] = [];
  const waiting: ((value: unknown) => void)[] = [];
  peer.on('message', (data: RawData, binary: boolean) => {
    const text = Buffer.isBuffer(data) ? data.toString() : '';
    const value: unknown = binary ? text : JSON.parse(text);
    const waiter = waiting.shift();
    if (waiter) waiter(value);
    else heard.push(value);
  });
  return {
    next: () =>
      heard.length > 0
        ? Promise.resolve(heard.shift())
        : new Promise((resolve) => waiting.push(resolve)),
  };
}

async function dialled() {
  const arrival = once(server, 'connection');
  connection.dial(DESTINATION, SIZE);
  const [peer] = (await arrival) as [PeerSocket];
  return { peer, ears: ears(peer), say: (message: unknown) => peer.send(JSON.stringify(message)) };
}

function untilPhase(phase: string): Promise<void> {
  return new Promise((resolve) => {
    const off = connection.on('state', (state) => {
      if (state.phase !== phase) return;
      off();
      resolve();
    });
  });
}

describe('a terminal connection over a real socket', () => {
  it('says where it wants to go, answers for credentials and types only when open', async () => {
    const { ears, say } = await dialled();
    expect(await ears.next()).toEqual({
      type: 'connect',
      asset: 'asset-1',
      system_user: 'user-1',
      protocol: 'ssh',
      cols: 100,
      rows: 30,
    });
    connection.type('lost before it is open');
    const question = untilPhase('credentials');
    say({ type: 'need_credentials', username: 'ops', reason: 'manual' });
    await question;
    connection.answer('ops', 'hunter 2');
    expect(await ears.next()).toEqual({
      type: 'credentials',
      username: 'ops',
      password: 'hunter 2',
    });
    const open = untilPhase('open');
    say({ type: 'open', session: 's1', asset: 'web', account: 'ops', keeps: 300, old: '' });
    await open;
    connection.type('ls 你好\r');
    expect(await ears.next()).toBe('ls 你好\r');
    connection.resize(SIZE);
    const fromScreen = { cols: 120, rows: 40, colsChanged: true };
    connection.resize(fromScreen);
    expect(await ears.next()).toEqual({ type: 'resize', cols: 120, rows: 40 });
  });

  it('cuts a long paste into frames and loses nothing of it', async () => {
    const { ears, say } = await dialled();
    await ears.next();
    const open = untilPhase('open');
    say({ type: 'open', session: 's1', asset: 'web', account: 'ops', keeps: 300, old: '' });
    await open;
    const pasted = 'x'.repeat(100_000);
    connection.type(pasted);
    let heard = '';
    while (heard.length < pasted.length) {
      const piece = await ears.next();
      expect(typeof piece).toBe('string');
      expect(String(piece).length).toBeLessThanOrEqual(32 * 1024);
      heard += String(piece);
    }
    expect(heard).toBe(pasted);
  });

  it('acknowledges what was drawn, not what arrived', async () => {
    const { peer, ears, say } = await dialled();
    await ears.next();
    say({ type: 'open', session: 's1', asset: 'web', account: 'ops', keeps: 300, old: '' });
    const undrawn: (() => void)[] = [];
    let arrived = 0;
    const all = new Promise<void>((resolve) => {
      connection.on('output', ({ bytes, drawn }) => {
        arrived += bytes.byteLength;
        undrawn.push(drawn);
        if (arrived === OUTPUT_WINDOW) resolve();
      });
    });
    for (let sent = 0; sent < OUTPUT_WINDOW; sent += 1024) peer.send(Buffer.alloc(1024, 0x61));
    await all;
    const silence = await Promise.race([
      ears.next(),
      new Promise((resolve) => setTimeout(resolve, 100, 'nothing')),
    ]);
    expect(silence).toBe('nothing');
  });

  it('acknowledges every portion in sum', async () => {
    const { peer, ears, say } = await dialled();
    await ears.next();
    say({ type: 'open', session: 's1', asset: 'web', account: 'ops', keeps: 300, old: '' });
    connection.on('output', ({ drawn }) => drawn());
    for (let sent = 0; sent < OUTPUT_WINDOW; sent += 1024) peer.send(Buffer.alloc(1024, 0x61));
    let sum = 0;
    while (sum < OUTPUT_WINDOW) {
      const message = (await ears.next()) as { type: string; bytes: number };
      expect(message.type).toBe('ack');
      expect(message.bytes).toBeGreaterThanOrEqual(ACKNOWLEDGE_EVERY);
      sum += message.bytes;
    }
    expect(sum).toBe(OUTPUT_WINDOW);
  });

  it('keeps the frames of a transfer apart from keys and output, and forgets them when the connection is lost', async () => {
    const { peer, ears: heard, say } = await dialled();
    await heard.next();
    say({ type: 'open', session: 's1', asset: 'web', account: 'ops', keeps: 300, old: '' });
    const output: string[] = [];
    connection.on('output', ({ bytes }) => output.push(new TextDecoder().decode(bytes)));
    const offer = new Promise<TransferLine>((begin) => connection.on('transfer', begin));
    peer.send(Buffer.from('12345'));
    say({ type: 'transfer', on: true });
    peer.send(Buffer.from('frames'));
    const line = await offer;
    const frames = await line.next();
    expect(new TextDecoder().decode(frames?.bytes)).toBe('frames');
    connection.type('k');
    line.send(new TextEncoder().encode('answer'));
    connection.type('lost');
    expect([await heard.next(), await heard.next(), await heard.next()]).toEqual([
      'k',
      { type: 'transfer', on: true },
      'answer',
    ]);
    const arrival = once(server, 'connection');
    peer.terminate();
    expect(await line.next()).toBeUndefined();
    const [second] = (await arrival) as [PeerSocket];
    const heardLater = ears(second);
    expect(await heardLater.next()).toMatchObject({ type: 'resume', received: 5 });
    const resumed = { session: 's1', asset: 'web', account: 'ops', keeps: 300, old: '' };
    const missed = { typed: 1, screen: false, position: 5, age: 9 };
    const open = untilPhase('open');
    second.send(JSON.stringify({ type: 'resumed', ...resumed, ...missed }));
    await open;
    connection.type('next');
    expect(await heardLater.next()).toBe('next');
    expect(output).toEqual(['12345']);
  });

  it("shows the server's last word and not that the line then fell", async () => {
    const { peer, say } = await dialled();
    const closed = untilPhase('closed');
    say({
      type: 'closed',
      code: 'connect_host_key',
      message: 'The host key has changed.',
      retry: false,
    });
    peer.close();
    await closed;
    expect(connection.state).toMatchObject({
      phase: 'closed',
      code: 'connect_host_key',
      message: 'The host key has changed.',
      retry: false,
    });
  });

  it('comes back to a shell whose connection was lost: says what arrived, sends again what did not, and draws what it missed', async () => {
    const first = await dialled();
    await first.ears.next();
    const drawnTexts: string[] = [];
    connection.on('output', ({ bytes, drawn }) => {
      drawnTexts.push(new TextDecoder().decode(bytes));
      drawn();
    });
    first.say({ type: 'open', session: 's1', asset: 'web', account: 'ops', keeps: 300, old: '' });
    first.peer.send(Buffer.from('12345'));
    await untilPhase('open');
    connection.type('ls\r');
    connection.type('pwd\r');
    expect(await first.ears.next()).toBe('ls\r');
    await expect.poll(() => drawnTexts.join('')).toBe('12345');
    const arrival = once(server, 'connection');
    first.peer.terminate();
    const [peer] = (await arrival) as [PeerSocket];
    const heard = ears(peer);
    expect(connection.state).toMatchObject({ phase: 'away', session: 's1' });
    connection.type('not while nobody is there');
    expect(await heard.next()).toEqual({
      type: 'resume',
      session: 's1',
      received: 5,
      cols: 100,
      rows: 30,
    });
    peer.send(
      JSON.stringify({
        type: 'resumed',
        session: 's1',
        asset: 'web',
        account: 'ops',
        keeps: 300,
        old: '',
        typed: 3,
        screen: false,
        position: 8,
        age: 9,
      }),
    );
    peer.send(Buffer.from('678'));
    expect(await heard.next()).toBe('pwd\r');
    await expect.poll(() => drawnTexts.join('')).toBe('12345678');
    connection.type('id\r');
    expect(await heard.next()).toBe('id\r');
    const again = once(server, 'connection');
    peer.terminate();
    const [third] = (await again) as [PeerSocket];
    const heardLast = ears(third);
    expect(await heardLast.next()).toMatchObject({ type: 'resume', received: 8 });
    third.send(
      JSON.stringify({
        type: 'resumed',
        session: 's1',
        asset: 'web',
        account: 'ops',
        keeps: 300,
        old: '',
        typed: 10,
        screen: true,
        position: 500,
        age: 9,
      }),
    );
    third.send(Buffer.from('a whole screen'));
    third.send(Buffer.from('more'));
    await expect.poll(() => drawnTexts.join('')).toBe('12345678a whole screenmore');
    third.send(
      JSON.stringify({
        type: 'closed',
        code: 'session_terminated',
        message: 'Ended.',
        retry: true,
      }),
    );
    await untilPhase('closed');
    expect(connection.state).toMatchObject({ code: 'session_terminated', session: 's1' });
  });

  it('resumes after a reload, and reports when the session has ended', async () => {
    const arrival = once(server, 'connection');
    connection.resume('s9', SIZE);
    const [peer] = (await arrival) as [PeerSocket];
    expect(await ears(peer).next()).toEqual({ type: 'resume', session: 's9', cols: 100, rows: 30 });
    peer.send(
      JSON.stringify({ type: 'closed', code: 'session_gone', message: 'Gone.', retry: true }),
    );
    await untilPhase('closed');
    expect(connection.state).toMatchObject({ code: 'session_gone', session: 's9' });
  });

  it('notices a lost line, ignores frames that are no messages, and can be dialled again', async () => {
    const first = await dialled();
    first.peer.send('{"type":"stage"}');
    first.peer.send('no json');
    first.say({ type: 'stage', stage: 'connecting', host: 'web-1' });
    await untilPhase('connecting');
    expect(connection.state).toMatchObject({ stage: 'connecting', host: 'web-1' });
    const lost = untilPhase('closed');
    first.peer.terminate();
    await lost;
    expect(connection.state).toMatchObject({ code: 'line_lost', retry: true });
    const second = await dialled();
    expect(await second.ears.next()).toMatchObject({ type: 'connect' });
  });
});
