import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { FrameJoiner, joinFrames } from './join-frames.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => void (await Promise.all(stops.splice(0).map((stop) => stop()))));

interface Sent {
  readonly isBinary: boolean;
  readonly isWhole: boolean;
  readonly data: Buffer;
}

/** Encodes a client's message in one or two frames. */
function frameOf({ data, isBinary, isWhole }: Sent, mask: Buffer): Buffer {
  const pieces = isWhole || data.length === 0 ? [data] : [data.subarray(0, 1), data.subarray(1)];
  return Buffer.concat(
    pieces.map((piece, index) => {
      const kind = index > 0 ? 0 : isBinary ? 2 : 1;
      const length =
        piece.length < 126
          ? Buffer.from([0x80 | piece.length])
          : Buffer.from([0x80 | 126, piece.length >> 8, piece.length & 255]);
      return Buffer.concat([
        Buffer.from([(index === pieces.length - 1 ? 0x80 : 0) | kind]),
        length,
        mask,
        piece.map((byte, at) => byte ^ (mask[at % 4] ?? 0)),
      ]);
    }),
  );
}

/** Returns the content of messages, with consecutive binary messages joined. */
function streamOf(
  messages: readonly { readonly isBinary: boolean; readonly data: Buffer }[],
): string[] {
  const content: { isBinary: boolean; hex: string }[] = [];
  for (const { isBinary, data } of messages) {
    const last = content.at(-1);
    if (isBinary && last?.isBinary) last.hex += data.toString('hex');
    else content.push({ isBinary, hex: data.toString('hex') });
  }
  return content
    .filter(({ isBinary, hex }) => !isBinary || hex !== '')
    .map(({ isBinary, hex }) => `${isBinary ? 'bytes' : 'text'} ${hex}`);
}

/** Starts a server with or without joining, and records what it receives. */
async function serve(joins = true) {
  const messages: { isBinary: boolean; data: Buffer }[] = [];
  const codes: number[] = [];
  const http = createServer();
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: 64 * 1024,
  });
  let accepted: Duplex | undefined;
  http.on('upgrade', (request, stream, head) => {
    accepted = stream;
    if (joins) joinFrames(stream, head);
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => undefined);
      socket.on('close', (code) => codes.push(code));
      socket.on('message', (data, isBinary) =>
        messages.push({ isBinary, data: Buffer.isBuffer(data) ? data : Buffer.alloc(0) }),
      );
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const client = new WebSocket(
    `ws://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    { perMessageDeflate: false },
  );
  client.on('error', () => undefined);
  await once(client, 'open');
  stops.push(async () => {
    client.terminate();
    http.closeAllConnections();
    await new Promise((done) => http.close(done));
  });
  return {
    messages,
    codes,
    client,
    /** Pushes bytes into the socket as if they had just been read. */
    read: (bytes: Buffer) => accepted?.push(bytes),
    closed: async () => {
      while (codes.length === 0) await new Promise((done) => setImmediate(done));
      return codes[0];
    },
  };
}

const sent = fc.record({
  isBinary: fc.boolean(),
  isWhole: fc.boolean(),
  data: fc
    .oneof(
      { weight: 8, arbitrary: fc.nat(3) },
      { weight: 1, arbitrary: fc.integer({ min: 120, max: 132 }) },
      { weight: 1, arbitrary: fc.nat(5000) },
    )
    .map((length) => Buffer.alloc(length, 'key')),
});

it('delivers binary and text messages in order, however the frames are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { maxLength: 60 }),
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 200 })),
      async (all, mask, cuts) => {
        const wire = Buffer.concat(all.map((one) => frameOf(one, Buffer.from(mask))));
        const { messages, read, codes } = await serve();
        for (let at = 0, turn = 0; at < wire.length; turn++) {
          const size = cuts.length === 0 ? wire.length : (cuts[turn % cuts.length] ?? 1);
          read(wire.subarray(at, at + size));
          at += size;
        }
        // A stream delivers its data in later turns of the event loop.
        read(
          frameOf({ isBinary: false, isWhole: true, data: Buffer.from('end') }, Buffer.from(mask)),
        );
        while (messages.at(-1)?.data.toString() !== 'end')
          await new Promise((done) => setImmediate(done));
        expect(streamOf(messages.slice(0, -1))).toEqual(streamOf(all));
        expect(codes).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

it('joins thousands of one-byte frames into a few messages', async () => {
  const { messages, read } = await serve();
  const keys = Buffer.from(Array.from({ length: 20_000 }, (_, at) => at % 251));
  const wire = Buffer.concat(
    [...keys].map((key, at) =>
      frameOf(
        { isBinary: true, isWhole: true, data: Buffer.from([key]) },
        Buffer.from([at % 256, 7, 8, 9]),
      ),
    ),
  );
  for (let at = 0; at < wire.length; at += 64 * 1024) read(wire.subarray(at, at + 64 * 1024));
  const got = () => messages.reduce((sum, { data }) => sum + data.length, 0);
  while (got() < keys.length) await new Promise((done) => setImmediate(done));
  expect(messages.length).toBeLessThan(20);
  expect(Buffer.concat(messages.map(({ data }) => data)).equals(keys)).toBe(true);
});

it('passes a single small frame without copying it', () => {
  const frame = frameOf(
    { isBinary: true, isWhole: true, data: Buffer.from('a') },
    Buffer.from('mask'),
  );
  const passed = new FrameJoiner().next(frame);
  expect([passed.buffer, passed.byteOffset, passed.length]).toEqual([
    frame.buffer,
    frame.byteOffset,
    frame.length,
  ]);
});

it.each([
  ['a frame without a mask', Buffer.from([0x82, 0x01, 0x61]), 1002],
  ['a reserved bit', Buffer.from([0xc2, 0x81, 0, 0, 0, 0, 0x61]), 1002],
  [
    'a small frame in the middle of a message',
    Buffer.from([
      0x02, 0x81, 0, 0, 0, 0, 0x61, 0x82, 0x81, 0, 0, 0, 0, 0x61, 0x82, 0x81, 0, 0, 0, 0, 0x61,
    ]),
    1002,
  ],
  ['a frame beyond the limit', Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]), 1009],
  [
    'a length beyond all numbers',
    Buffer.from([0x82, 0xff, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]),
    1009,
  ],
])('rejects %s with the same code as without joining', async (_name, wrong, code) => {
  const key = frameOf(
    { isBinary: true, isWhole: true, data: Buffer.from('a') },
    Buffer.from('mask'),
  );
  for (const joins of [true, false]) {
    const { read, client } = await serve(joins);
    const closed = once(client, 'close');
    read(Buffer.concat([key, key, wrong, key, key]));
    expect((await closed)[0]).toBe(code);
  }
});
