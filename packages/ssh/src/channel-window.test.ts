import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { outgoingOf } from './channel-internals.ts';
import { guardWindow, limitWindow, UNREAD_OUTPUT } from './guard-window.ts';

import type { ClientChannel, ServerChannel } from './ssh2.ts';
import { connectPair, type Pair } from './testing/connect-pair.ts';

const WINDOW = 256 * 1024;

let pair: Pair | undefined;
afterEach(() => pair?.close());

/** Opens a shell with a limited window on a server that sends `output` immediately. */
async function shellThatSends(
  output: Buffer,
): Promise<{ readonly channel: ClientChannel; readonly target: ServerChannel }> {
  pair = await connectPair((channel) => channel.end(output));
  const { client } = pair;
  const takeWindow = limitWindow(client, WINDOW, () => WINDOW);
  const channel = await new Promise<ClientChannel>((done, failed) =>
    client.shell((error, shell) => {
      if (error) return failed(error);
      shell.pause();
      takeWindow(shell);
      done(shell);
    }),
  );
  return { channel, target: await pair.shell };
}

it('limits unread output to the buffer and one window', async () => {
  const output = Buffer.alloc(4 * (WINDOW + UNREAD_OUTPUT), 'a');
  const { channel, target } = await shellThatSends(output);
  guardWindow(channel, WINDOW, () => expect.unreachable());
  await expect.poll(() => outgoingOf(target).window).toBe(0);
  expect(channel.readableLength).toBeLessThanOrEqual(UNREAD_OUTPUT + WINDOW);
});

it('delivers output of any size complete and in order', async () => {
  const output = Buffer.from(Array.from({ length: 20 * WINDOW }, (_, at) => at % 251));
  const { channel } = await shellThatSends(output);
  const pieces: Buffer[] = [];
  channel.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = once(channel, 'close');
  channel.resume();
  await ended;
  expect(Buffer.concat(pieces).equals(output)).toBe(true);
});

it('holds less output of a reader that pauses, and delivers all of it', async () => {
  const unread = WINDOW / 16;
  const output = Buffer.from(Array.from({ length: 20 * WINDOW }, (_, at) => at % 251));
  const { channel, target } = await shellThatSends(output);
  guardWindow(
    channel,
    WINDOW,
    () => expect.unreachable(),
    () => unread,
  );
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isSlow = true;
  channel.on('data', (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    if (!isSlow) return;
    channel.pause();
    if (bytes < 4 * WINDOW) setImmediate(() => channel.resume());
  });
  const ended = once(channel, 'close');
  channel.resume();
  await expect.poll(() => bytes >= 4 * WINDOW && outgoingOf(target).window === 0).toBe(true);
  expect(channel.readableLength).toBeLessThanOrEqual(unread + WINDOW / 4);
  isSlow = false;
  channel.resume();
  await ended;
  expect(Buffer.concat(pieces).equals(output)).toBe(true);
});
