import { saveBlob } from '../../kit/download.ts';
import type { FileSink } from './receive-files.ts';

/** Maximum size of a file that a browser without a file system keeps until it is complete. */
export const MAX_IN_MEMORY = 256 * 1024 * 1024;

/** Bytes that are written at once; a subpacket is shorter. */
const BLOCK = 256 * 1024;

/** The File System Access API, which some browsers have. */
interface FilePicker {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
}

const picker = (): FilePicker => window as FilePicker;

/** True if the browser writes a file while it arrives, so that any size fits. */
export const writesToDisk = (): boolean => picker().showSaveFilePicker !== undefined;

/** A file is larger than the browser can keep. */
export class FileTooLarge extends Error {}

/** Asks the user for a place where the browser has files, and otherwise keeps the file. */
export async function openSink(name: string): Promise<FileSink> {
  const handle = await picker().showSaveFilePicker?.({ suggestedName: name });
  if (!handle) return inBlocks(memorySink(name));
  const writable = await handle.createWritable();
  return inBlocks({
    write: (content) => writable.write(content),
    close: () => writable.close(),
    abort: () => writable.abort().catch(() => undefined),
  });
}

type BlockSink = Omit<FileSink, 'write'> & {
  write(content: Uint8Array<ArrayBuffer>): Promise<void>;
};

/** Joins subpackets, of which each would cost a round trip to the disk. */
function inBlocks(sink: BlockSink): FileSink {
  const block = new Uint8Array(BLOCK);
  let length = 0;
  const flush = async () => {
    const content = block.slice(0, length);
    length = 0;
    if (content.length > 0) await sink.write(content);
  };
  return {
    async write(content) {
      if (length + content.length > BLOCK) await flush();
      block.set(content, length);
      length += content.length;
    },
    async close() {
      await flush();
      await sink.close();
    },
    abort: () => sink.abort(),
  };
}

function memorySink(name: string): BlockSink {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  return {
    async write(content) {
      size += content.length;
      if (size > MAX_IN_MEMORY) throw new FileTooLarge();
      parts.push(content);
    },
    async close() {
      saveBlob(name, new Blob(parts));
    },
    async abort() {
      parts.length = 0;
    },
  };
}
