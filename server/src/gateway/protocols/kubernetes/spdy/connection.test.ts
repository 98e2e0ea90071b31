import { duplexPair } from 'node:stream';
import { constants, createDeflate } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SpdyConnection } from './connection.ts';
import { DICTIONARY } from './dictionary.ts';
import { HeaderReader, HeaderWriter } from './headers.ts';

/** Compresses blocks as clients in Go: with the dictionary, each flushed. */
function compressor(): (content: Buffer) => Promise<Buffer> {
  const deflate = createDeflate({ dictionary: DICTIONARY });
  return (content) =>
    new Promise((done) => {
      const chunks: Buffer[] = [];
      const collect = (chunk: Buffer) => chunks.push(chunk);
      deflate.on('data', collect);
      deflate.write(content);
      deflate.flush(constants.Z_SYNC_FLUSH, () => {
        deflate.off('data', collect);
        done(Buffer.concat(chunks));
      });
    });
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}
const text = (word: string) => Buffer.concat([numbers(word.length), Buffer.from(word)]);
const block = (...pairs: [string, string][]) =>
  Buffer.concat([numbers(pairs.length), ...pairs.flat().map(text)]);

describe('headers of streams', () => {
  it('returns each block in order', async () => {
    const writer = new HeaderWriter();
    const reader = new HeaderReader();
    for (const streamtype of ['error', 'stdin', 'é'])
      expect(await reader.read(writer.write({ streamtype }))).toEqual({ streamtype });
    expect(await reader.read(writer.write({}))).toEqual({});
    reader.close();
  });

  it('ends each block with a flush, without which Go waits for the next', () => {
    const writer = new HeaderWriter();
    for (let count = 0; count < 2; count++)
      expect(writer.write({}).subarray(-5)).toEqual(Buffer.from([0, 0, 0, 0xff, 0xff]));
  });

  it('reads headers of a compressor with the dictionary', async () => {
    const reader = new HeaderReader();
    const compress = compressor();
    for (const type of ['error', 'stdout'])
      expect(
        await reader.read(await compress(block(['Streamtype', type], ['content-type', 'a']))),
      ).toEqual({ streamtype: type, 'content-type': 'a' });
    reader.close();
  });

  it.each([
    ['that expand without end', block(['streamtype', 'x'.repeat(1_000_000)])],
    ['of an impossible number', numbers(4_000_000)],
    ['that are cut', Buffer.concat([numbers(1), numbers(400), Buffer.from('a')])],
    ['without a number', Buffer.from([0])],
  ])('refuses headers %s', async (_title, content) => {
    const reader = new HeaderReader();
    await expect(reader.read(await compressor()(content))).rejects.toThrow();
    reader.close();
  });

  it('refuses headers that are not compressed', async () => {
    const reader = new HeaderReader();
    await expect(reader.read(Buffer.from('no zlib at all'))).rejects.toThrow();
    await expect(reader.read(new HeaderWriter().write({}))).rejects.toThrow();
  });
});

describe('a connection', () => {
  const head = (type: number, length: number, flags = 0) =>
    numbers(0x8003_0000 + type, flags * 0x100_0000 + length);
  const open = async (compress: (content: Buffer) => Promise<Buffer>, id: number) => {
    const content = Buffer.concat([numbers(id, 0), Buffer.alloc(2), await compress(block())]);
    return Buffer.concat([head(1, content.length), content]);
  };

  /** Sends bytes to a server. Returns the bytes of its answers once it ends the connection. */
  async function answersTo(...frames: Buffer[]): Promise<{ answers: Buffer; streams: number[] }> {
    const [near, far] = duplexPair();
    const streams: number[] = [];
    const closed = Promise.withResolvers<void>();
    new SpdyConnection(near, Buffer.alloc(0), false, {
      onStream: (id) => streams.push(id) < 6,
      onReply: () => undefined,
      onData: () => undefined,
      onFinish: () => undefined,
      onDrain: () => undefined,
      onClose: () => closed.resolve(),
    });
    const chunks: Buffer[] = [];
    far.on('data', (chunk: Buffer) => chunks.push(chunk));
    far.on('error', () => undefined);
    for (const frame of frames) far.write(frame);
    far.end();
    await closed.promise;
    return { answers: Buffer.concat(chunks), streams };
  }

  it('answers a ping of the client, and not its own', async () => {
    const ping = (id: number) => Buffer.concat([head(6, 4), numbers(id)]);
    const { answers } = await answersTo(ping(1), ping(2), ping(3));
    expect(answers).toEqual(Buffer.concat([ping(1), ping(3)]));
  });

  it('keeps few answers to pings for a client that does not read', async () => {
    const [near, far] = duplexPair();
    const isRead = Promise.withResolvers<void>();
    const connection = new SpdyConnection(near, Buffer.alloc(0), false, {
      onStream: () => false,
      onReply: () => undefined,
      onData: () => isRead.resolve(),
      onFinish: () => undefined,
      onDrain: () => undefined,
      onClose: () => undefined,
    });
    const pings = Array.from({ length: 20_000 }, (_, index) =>
      Buffer.concat([head(6, 4), numbers(2 * index + 1)]),
    );
    far.write(Buffer.concat([...pings, numbers(1, 1), Buffer.from('x')]));
    await isRead.promise;
    expect(connection.unsent).toBeLessThan(70_000);
    connection.destroy();
  });

  it('skips frames that it does not need', async () => {
    const settings = Buffer.concat([head(4, 12), numbers(1, 4, 100)]);
    const window = Buffer.concat([head(9, 8), numbers(1, 1000)]);
    const stray = Buffer.concat([numbers(77, 3), Buffer.from('abc')]);
    const opened = await open(compressor(), 1);
    const { streams } = await answersTo(settings, window, stray, opened);
    expect(streams).toEqual([1]);
  });

  it.each([
    ['a frame that is too large', () => [head(0, 0xff_ffff)]],
    ['another version', () => [numbers(0x8002_0001, 0)]],
    ['HTTP', () => [Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')]],
    ['a stream without headers', () => [head(1, 0)]],
    ['a frame that is cut', () => [head(1, 100), Buffer.alloc(5)]],
  ])('ends after %s', async (_title, frames) => {
    const after = await open(compressor(), 1);
    expect((await answersTo(...frames(), after)).streams).toEqual([]);
  });

  it('ends when a client opens streams without end', async () => {
    const compress = compressor();
    const frames: Buffer[] = [];
    for (let id = 1; id < 60; id += 2) frames.push(await open(compress, id));
    expect((await answersTo(...frames)).streams).toHaveLength(8);
  });
});
