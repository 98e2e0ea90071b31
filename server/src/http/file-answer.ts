import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { Unavailable } from '../platform/errors.ts';
import type { PublicContext } from './context.ts';

/** A file that is open for an answer. */
export interface FileAnswer {
  readonly size: number;
  readonly stream: Readable;
}

/**
 * Opens a file for an answer and passes it through a transformation, if one is given. The descriptor is closed when the answer ends, also when the client
 * breaks it off before its first byte. Undefined when there is no such file. @throws AppError when the request was answered in the meantime
 */
export async function openForAnswer({ reply }: Pick<PublicContext, 'reply'>, path: string, transform?: () => Transform): Promise<FileAnswer | undefined> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const found = await handle.stat();
    if (reply.sent || reply.raw.destroyed) throw new Unavailable('timeout');
    return { size: found.size, stream: streamOf(handle, reply, transform) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function streamOf(handle: FileHandle, reply: PublicContext['reply'], transform: (() => Transform) | undefined): Readable {
  const file = handle.createReadStream();
  // `pipe` alone would leave the file open when its reader goes away, and an error of the file without anybody to handle it.
  const stream = transform ? pipeline(file, transform(), () => undefined) : file;
  // The framework handles errors only once it reads; one that comes before must not end the process.
  stream.on('error', () => undefined);
  reply.raw.once('close', () => stream.destroy());
  return stream;
}
