import { open } from 'node:fs/promises';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { Unavailable } from '../platform/errors.ts';
import type { PublicContext } from './context.ts';

export interface Opened {
  readonly size: number;
  readonly stream: Readable;
}

/**
 * Opens a stream for an answer and pipes it through `transform`, if given. The stream closes with
 * the answer, even if the client disconnects before the first byte. Returns undefined if `open`
 * does. @throws AppError if the request was answered while the stream opened
 */
export async function openForAnswer(
  { reply }: Pick<PublicContext, 'reply'>,
  open: () => Promise<Opened | undefined>,
  transform?: () => Transform,
): Promise<Opened | undefined> {
  const opened = await open();
  if (!opened) return undefined;
  const { size, stream: source } = opened;
  // `pipe` would leave the source open when the reader disconnects, and leave its errors unhandled.
  const stream = transform ? pipeline(source, transform(), () => undefined) : source;
  // Fastify handles errors only once it reads. An earlier error must not crash the process.
  stream.on('error', () => undefined);
  if (reply.sent || reply.raw.destroyed) {
    stream.destroy();
    throw new Unavailable('timeout');
  }
  reply.raw.once('close', () => stream.destroy());
  return { size, stream };
}

/** Opens a file for an answer. Returns undefined if it does not exist. */
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
