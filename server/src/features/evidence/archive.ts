import { createHash } from 'node:crypto';
import type { ChainedLog } from '@sallyport/contract';
import type { Sm2Key } from '../../platform/crypto/sm2.ts';
import { TAR_END, tarHeader, tarPadding } from '../../platform/tar.ts';

/** Without declarations a file stays in format 1, which older verifiers know. */
const [FORMAT, FORMAT_WITH_DECLARATIONS] = ['sallyport evidence 1', 'sallyport evidence 2'];

export interface Part {
  readonly log: ChainedLog;
  /**
   * First exported row, last row of the range, and last exported row. Those of a period lie between
   * two tokens, which prove that no row of the period lacks.
   */
  readonly first: number;
  readonly last: number;
  readonly end: number;
}

interface ArchivedFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly sm3?: string;
}

/** Packs evidence into a tar archive, piece by piece. */
export class Archive {
  readonly #files: ArchivedFile[] = [];
  readonly #key: Sm2Key | undefined;

  constructor(key: Sm2Key | undefined) {
    this.#key = key;
  }

  #digests() {
    const sha256 = createHash('sha256');
    const sm3 = this.#key && createHash('sm3');
    return {
      update(bytes: Buffer) {
        sha256.update(bytes);
        sm3?.update(bytes);
      },
      end: () => ({ sha256: sha256.digest('hex'), ...(sm3 && { sm3: sm3.digest('hex') }) }),
    };
  }

  *add(name: string, content: string | Buffer): Generator<Buffer> {
    const bytes = Buffer.from(content);
    const digests = this.#digests();
    digests.update(bytes);
    this.#files.push({ name, size: bytes.length, ...digests.end() });
    yield tarHeader(name, bytes.length);
    yield bytes;
    yield tarPadding(bytes.length);
  }

  async *stream(name: string, size: number, content: AsyncIterable<Buffer>) {
    const digests = this.#digests();
    let bytes = 0;
    yield tarHeader(name, size);
    for await (const chunk of content) {
      bytes += chunk.length;
      digests.update(chunk);
      yield chunk;
    }
    if (bytes !== size) throw new Error(`${name} changed during the export`);
    this.#files.push({ name, size, ...digests.end() });
    yield tarPadding(size);
  }

  *end({ range, parts }: { readonly range: object; readonly parts: readonly Part[] }) {
    const lines = this.#files.map(({ name, size, sm3 }) => `${sm3} ${size} ${name}\n`);
    const isDeclaring = this.#files.some(({ name }) => name.endsWith('/declared.json'));
    const format = isDeclaring ? FORMAT_WITH_DECLARATIONS : FORMAT;
    const text = () => `${format}\n${JSON.stringify(range)}\n${lines.join('')}`;
    const key = this.#key;
    const sm2 = key && {
      public_key: key.publicKey.toString('hex'),
      signature: key.sign(text()),
    };
    const manifest = { format, range, parts, files: this.#files, ...(sm2 && { sm2 }) };
    yield* this.add('manifest.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
    yield TAR_END;
  }
}
