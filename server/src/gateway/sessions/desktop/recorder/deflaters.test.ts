import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { Deflaters } from './deflaters.ts';

it('compresses blocks of every size to independent streams, more at once than it has compressors', async () => {
  const deflaters = new Deflaters();
  const blocks = [0, 1, 9, 1000, 64 * 1024, 256 * 1024, 4 * 1024 * 1024].flatMap((bytes) => [
    randomBytes(bytes),
    Buffer.alloc(bytes, 'text of a terminal '),
  ]);
  for (let turn = 0; turn < 3; turn++) {
    const contents = await Promise.all(blocks.map((block) => deflaters.deflate(block)));
    for (const [index, content] of contents.entries())
      expect(inflateRawSync(content).equals(blocks[index] ?? Buffer.alloc(0)), `${index}`).toBe(
        true,
      );
  }
});
