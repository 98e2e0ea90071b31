import { open } from 'node:fs/promises';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { Unavailable } from '../platform/errors.ts';
import type { PublicContext } from './context.ts';

/** Something that is open to be read, and how large it is. */
export interface Opened {
  readonly size: number;
  readonly stream: Readable;
}

/**
 * Opens something for an answer and passes it through a transformation, if one is given. It is closed when the answer ends, also when the client
 * breaks it off before its first byte. Undefined when there is nothing to open. @throws AppError when the request was answered in the meantime
 */
export async function openForAnswer(
  { reply }: Pick<PublicContext, 'reply'>,
  open: () => Promise<Opened | undefined>,
  transform?: () => Transform,
): Promise<Opened | undefined> {
  const opened = await open();
  if (!opened) return undefined;
  const { size, stream: source } = opened;
  // `pipe` alone would leave the source open when its reader goes away, and an error of the source without anybody to handle it.
  const stream = transform ? pipeline(source, transform(), () => undefined) : source;
  // The framework handles errors only once it reads; one that comes before must not end the process.
  stream.on('error', () => undefined);
  if (reply.sent || reply.raw.destroyed) {
    stream.destroy();
    throw new Unavailable('timeout');
  }
  reply.raw.once('close', () => stream.destroy());
  return { size, stream };
}

/** Opens a file for an answer; undefined when there is none. */
export async function openFile(path: string): Promise<Opened | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    return { size: (await file.stat()).size, stream: file.createReadStream() };
  } catch (error) {
    await file.close();
    throw error;
  }
}
