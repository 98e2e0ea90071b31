import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Sealer } from '../../crypto/vault.ts';
import { asStorageError } from '../files.ts';
import { nameOf } from '../recording-names.ts';
import { type Storage, StorageError } from '../storage.ts';

/**
 * A part is a range of the file of a running recording, as a separate object:
 *
 *     u16 length | sealed text | bytes of the file
 *
 * The text has the position and the digest of the bytes. Its seal is valid for the name of the
 * recording and the number of the part alone, so a changed, moved or exchanged part is found. The
 * bytes are sealed already if the recording is.
 */
const LENGTH_BYTES = 2;
const NAME = /^(\S+)\.parts\/(?:\d{8}|whole(?:\.gz|\.z))$/;
const DIGITS = 8;

/** Maximum bytes of a part, which each reader and writer holds in memory. */
export const MAX_PART = 4 * 1024 * 1024;

/** Returns the key of a part of a running recording. Numbers start at 0. */
export const partKey = (running: string, number: number): string =>
  `${running}.parts/${String(number).padStart(DIGITS, '0')}`;

/** Returns the key of the recording that another server has made of the parts. */
export const restoredKey = (running: string): string =>
  `${running}.parts/whole${nameOf(running)?.kind === 'desktop' ? '.z' : '.gz'}`;

/** Parses the key of a part, or of a restored recording. Undefined for other keys. */
export function copyNameOf(
  key: string,
): { readonly day: string; readonly sessionId: string } | undefined {
  const name = nameOf(NAME.exec(key)?.[1] ?? '');
  return name && !name.isFinished ? name : undefined;
}

/** The place of a part. */
interface Place {
  readonly running: string;
  readonly number: number;
  /** Position of its first byte in the file. */
  readonly from: number;
}

const contextOf = ({ running, number }: Place) => `recording-part.${number}.${running}`;
const textOf = ({ from }: Place, bytes: Uint8Array) =>
  JSON.stringify([from, createHash('sha256').update(bytes).digest('hex')]);

/** Returns the object of a part. */
export function sealPart(files: Sealer, place: Place, bytes: Uint8Array): Buffer {
  const text = Buffer.from(files.seal(textOf(place, bytes), contextOf(place)));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16LE(text.length);
  return Buffer.concat([length, text, bytes]);
}

/**
 * Opens a part of a recording and returns its bytes.
 * @throws StorageError `missing`, `damaged` if it is not the part of this place
 */
export async function openPart(
  from: Pick<Storage, 'open'>,
  files: Sealer,
  place: Place,
): Promise<Buffer> {
  const key = partKey(place.running, place.number);
  const object = await from.open(key, { start: 0, length: 2 * MAX_PART });
  const content = await buffer(object.stream).catch((error: unknown) => {
    throw asStorageError(error);
  });
  const end = content.length < LENGTH_BYTES ? 0 : LENGTH_BYTES + content.readUInt16LE();
  const bytes = content.subarray(end);
  const damaged = (cause?: unknown) =>
    new StorageError('damaged', `${key} was changed, moved or cut off`, cause);
  let text: string;
  try {
    text = files.open(content.toString('latin1', LENGTH_BYTES, end), contextOf(place));
  } catch (cause) {
    throw damaged(cause);
  }
  if (text !== textOf(place, bytes)) throw damaged();
  return bytes;
}
