import { pipeline } from 'node:stream';
import type { Spool } from '../spool.ts';
import { StorageError } from '../storage.ts';
import { type FileSealer, isSealed, MAX_HEADER, readHeader } from './format.ts';
import { FrameOpener, FrameSealer, Frames } from './frames.ts';

/**
 * Seals growing files while the sealer is on: each append is durable by itself and never written
 * in plain. Opens sealed and plain files, whose sizes are those of the plain content.
 */
export function sealedSpool(spool: Spool, sealer: FileSealer): Spool {
  /** The frames that were read last: recovery reads one file after the other. */
  let latest: { readonly key: string; readonly size: number; readonly frames: Frames } | undefined;

  /** Returns the frames of a file; undefined for a plain one. @throws StorageError */
  const framesOf = async (key: string): Promise<Frames | undefined> => {
    const { size } = await spool.stat(key);
    if (latest?.key === key && latest.size === size) return latest.frames;
    const beginning = await spool.readPart(key, 0, MAX_HEADER);
    if (!isSealed(beginning)) return undefined;
    const header = readHeader(sealer, key, beginning);
    const frames = await Frames.find(
      (from, bytes) => spool.readPart(key, from, bytes),
      header,
      key,
      size,
    );
    latest = { key, size, frames };
    return frames;
  };

  return {
    ...spool,
    async create(key, beginning) {
      if (!sealer.isOn()) return spool.create(key, beginning);
      const frames = new FrameSealer(sealer, key);
      const file = await spool.create(
        key,
        Buffer.concat([frames.header, frames.seal(Buffer.from(beginning))]),
      );
      let failure: unknown;
      return {
        ...file,
        async append(block, length) {
          // A failed append may have left a part of a frame, which only the end of a file may have.
          if (failure) throw failure;
          const sealed = frames.seal(block.subarray(0, length));
          await file.append(sealed, sealed.length).catch((error: unknown) => {
            failure = error;
            throw error;
          });
        },
      };
    },
    async stat(key) {
      const facts = await spool.stat(key);
      const frames = await framesOf(key).catch((error: unknown) => {
        // A file that does not open must not hide the others. Its content gives the reason.
        if (error instanceof StorageError) return undefined;
        throw error;
      });
      return frames ? { ...facts, size: frames.size } : facts;
    },
    read: (key, length) =>
      pipeline(spool.read(key), new FrameOpener(sealer, key, length), () => undefined),
    async tail(key, bytes) {
      const frames = await framesOf(key);
      if (!frames) return spool.tail(key, bytes);
      const from = Math.max(0, frames.size - bytes);
      return frames.read(from, frames.size - from);
    },
    async readPart(key, from, bytes) {
      const frames = await framesOf(key);
      return frames ? frames.read(from, bytes) : spool.readPart(key, from, bytes);
    },
    async delete(key, isUsed) {
      latest = undefined;
      await spool.delete(key, isUsed);
    },
  };
}
