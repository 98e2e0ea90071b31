import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { guardWindow, UNREAD_OUTPUT, WAITING_BLOCK } from './guard-window.ts';

const WINDOW = 256 * 1024;

/** A channel like that of the SSH library: packets push data, and reads request none. */
function channelOf(onExceeded: () => void): Readable {
  const channel = new Readable({ read: () => undefined, highWaterMark: 2 * 1024 * 1024 });
  guardWindow(channel, WINDOW, onExceeded);
  return channel;
}

it('merges single bytes while they wait, and keeps their order', async () => {
  const channel = channelOf(() => expect.unreachable());
  const pieces: Buffer[] = [];
  channel.on('data', (piece: Buffer) => pieces.push(piece));
  channel.pause();
  const sent = Buffer.from(Array.from({ length: UNREAD_OUTPUT }, (_, at) => at % 251));
  for (const [at] of sent.entries()) {
    channel.push(sent.subarray(at, at + 1));
    // The library may touch the stream between pushes.
    if (at % 5000 === 0) await new Promise((done) => setImmediate(done));
  }
  channel.push(Buffer.from('a large piece'.repeat(1000)));
  channel.push(null);
  const ended = once(channel, 'end');
  channel.resume();
  await ended;
  expect(
    Buffer.concat(pieces).equals(Buffer.concat([sent, Buffer.from('a large piece'.repeat(1000))])),
  ).toBe(true);
  expect(pieces.length).toBeLessThan(2 * (UNREAD_OUTPUT / WAITING_BLOCK));
});

it('reports single bytes beyond every window', () => {
  let isExceeded = false;
  const channel = channelOf(() => {
    isExceeded = true;
  });
  channel.pause();
  const byte = Buffer.from('a');
  for (let sent = 0; sent < 4 * 1024 * 1024 && !isExceeded; sent++) channel.push(byte);
  expect(isExceeded).toBe(true);
});
