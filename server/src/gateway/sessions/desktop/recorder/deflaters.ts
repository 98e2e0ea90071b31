import { constants, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { MAX_BLOCK_BYTES } from '@sallyport/contract';

/** Pictures are mostly compressed already; a higher level costs time and saves little. */
const LEVEL = 3;
/** Node compresses in four threads. */
const MOST = 4;
const CHUNK_BYTES = 256 * 1024;

/**
 * Compressors that all recordings share. A new one for each block would take 300 KiB that only a
 * full garbage collection returns.
 */
export class Deflaters {
  readonly #idle: DeflateRaw[] = [];
  readonly #waiting: ((deflater: DeflateRaw) => void)[] = [];
  #count = 0;

  /** Compresses bytes to one complete raw DEFLATE stream. */
  async deflate(plain: Buffer): Promise<Buffer> {
    const deflater = await this.#take();
    try {
      const content = await finished(deflater, plain);
      deflater.reset();
      this.#pass(deflater);
      return content;
    } catch (error) {
      deflater.destroy();
      this.#pass(opened());
      throw error;
    }
  }

  #take(): DeflateRaw | Promise<DeflateRaw> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#count === MOST) return new Promise((done) => this.#waiting.push(done));
    this.#count++;
    return opened();
  }

  #pass(deflater: DeflateRaw): void {
    const next = this.#waiting.shift();
    if (next) next(deflater);
    else this.#idle.push(deflater);
  }
}

function opened(): DeflateRaw {
  // Each write ends a stream. Its output waits for one read.
  const options = { level: LEVEL, chunkSize: CHUNK_BYTES, flush: constants.Z_FINISH };
  const deflater = createDeflateRaw({
    ...options,
    ...{ readableHighWaterMark: 2 * MAX_BLOCK_BYTES },
  });
  deflater.on('error', () => undefined);
  return deflater;
}

function finished(deflater: DeflateRaw, plain: Buffer): Promise<Buffer> {
  return new Promise((done, failed) => {
    deflater.write(plain, (error) => {
      if (error) failed(error);
      else done((deflater.read() as Buffer | null) ?? Buffer.alloc(0));
    });
  });
}
