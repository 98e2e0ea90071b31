import { TYPES } from '@sallyport/contract/zmodem/frames.ts';
import { asksForAnswer, type FrameLink, type Part } from './frame-link.ts';

/** Full duplex, receives while it writes, checksums of 32 bits. */
const ABILITIES = 0x23;
const READY = (ABILITIES << 24) >>> 0;

/** A file that `sz` offers; the size is null if the program does not say it. */
export interface OfferedFile {
  readonly name: string;
  readonly size: number | null;
  /** Files that follow. */
  readonly more: number;
}

/** The place of a received file. */
export interface FileSink {
  write(content: Uint8Array): Promise<void>;
  close(): Promise<void>;
  /** Drops an incomplete file. */
  abort(): Promise<void>;
}

/**
 * Receives the files of `sz`, which has sent its first header. `offer` returns the place of a file,
 * or null if the user does not want it; `progress` gets the bytes so far.
 */
export async function receiveFiles(
  link: FrameLink,
  first: Part,
  offer: (file: OfferedFile) => Promise<FileSink | null>,
  progress: (bytes: number) => void,
): Promise<void> {
  let sink: FileSink | null = null;
  let offset = 0;
  let data: number | undefined;
  try {
    for (let part = first; ; part = await link.next()) {
      if (part.kind === 'header') {
        const { type, value } = part.header;
        data = type;
        if (type === TYPES.requestInit) link.header(TYPES.init, READY);
        else if (type === TYPES.finish) {
          link.header(TYPES.finish);
          return;
        } else if (type === TYPES.data && value !== offset) {
          data = undefined;
          link.header(TYPES.position, offset);
        } else if (type === TYPES.endOfFile && sink && value === offset) {
          const complete: FileSink = sink;
          sink = null;
          await complete.close();
          link.header(TYPES.init, READY);
        }
      } else if (data === TYPES.file && !sink) {
        // The program may have repeated its offer while the user decided.
        sink = await offer(fileOf(part.content));
        offset = 0;
        if (!sink) return;
        link.header(TYPES.position);
      } else if (data === TYPES.data && sink) {
        await sink.write(part.content);
        offset += part.content.length;
        progress(offset);
        if (asksForAnswer(part.end)) link.header(TYPES.ack, offset);
      }
    }
  } finally {
    await sink?.abort();
  }
}

/** Reads name, size and number of files: "name NUL size time mode serial files bytes". */
function fileOf(content: Uint8Array): OfferedFile {
  const [name = '', facts = ''] = new TextDecoder().decode(content).split('\0');
  const [size, , , , files] = facts.split(' ');
  return {
    name: safeName(name),
    size: size && /^\d+$/.test(size) ? Number(size) : null,
    more: Math.max(0, Number(files ?? 1) - 1) || 0,
  };
}

/** The name without folders, control and bidirectional characters. */
const safeName = (path: string): string =>
  (path.split(/[/\\]/).at(-1) ?? '').replace(
    /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    '_',
  ) || 'file';
