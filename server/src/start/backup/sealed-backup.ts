import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../../config.ts';
import {
  type DataKeys,
  openDataKey,
  type WrappedDataKey,
} from '../../platform/crypto/data-keys.ts';
import type { MasterKey } from '../../platform/crypto/master-key.ts';
import { createVault, type DataKey } from '../../platform/crypto/vault.ts';
import { ChunkOpener, sealFile } from '../../platform/storage/sealed/chunks.ts';
import {
  chunksOf,
  type FileSealer,
  MAX_HEADER,
  readHeader,
} from '../../platform/storage/sealed/format.ts';
import { type Storage, StorageError } from '../../platform/storage/storage.ts';
import { packBackup, unpackBackup } from './archive.ts';

/**
 * The format of an encrypted backup:
 *
 *     magic | u32 length | {"name", "key"} | sealed file
 *
 * `key` is the data key that seals the key of the file, wrapped by the master key. So a new machine
 * needs this file and the master key only. The sealed file has the format of recordings
 * (`platform/storage/sealed`) and contains the stream of `archive.ts`.
 */
const MAGIC = Buffer.from('SPBACKUP1\n');
const FIXED = MAGIC.length + 4;
const MAX_PREFIX = 4096;
/** Ending of the file name. */
export const SEALED_ENDING = '.spbackup';

interface Prefix {
  readonly name: string;
  readonly key: WrappedDataKey;
}

/** Seals files with one data key, whatever the key ring of the installation has by then. */
function sealerOf(key: DataKey): FileSealer {
  const { files } = createVault({
    active: () => key,
    find: (_purpose, id) => (id === key.id ? key.bytes : undefined),
  });
  return { seal: files.seal, open: files.open, isOn: () => true };
}

/** Yields the encrypted file of a complete backup folder. */
export async function* sealBackup(
  folder: string,
  keys: DataKeys,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const active = keys.active('recordings');
  const row = keys.stored().find(({ purpose, id }) => purpose === 'recordings' && id === active.id);
  if (!row) throw new Error('the data key of recordings is not stored');
  const { id, purpose, master_id, wrapped } = row;
  const prefix: Prefix = { name: basename(folder), key: { id, purpose, master_id, wrapped } };
  const text = Buffer.from(JSON.stringify(prefix));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  yield Buffer.concat([MAGIC, length, text]);
  yield* sealFile(packBackup(folder, signal), prefix.name, sealerOf(active));
}

/** An encrypted backup in a storage or in a file. */
export interface SealedSource {
  /** Name for messages. */
  readonly name: string;
  size(): Promise<number>;
  /** @throws StorageError or an error of the file system */
  read(start: number, length?: number): Promise<Readable>;
}

/** The encrypted backup in a storage. */
export function inStorage(storage: Storage, key: string): SealedSource {
  return {
    name: key,
    async size() {
      const facts = await storage.stat(key);
      if (!facts) throw new StorageError('missing', key);
      return facts.size;
    },
    read: async (start, length) =>
      (await storage.open(key, { start, ...(length !== undefined && { length }) })).stream,
  };
}

/** The encrypted backup in a file, such as one downloaded from a bucket. */
export function inFile(path: string): SealedSource {
  return {
    name: path,
    size: async () => (await stat(path)).size,
    async read(start, length) {
      const file = await open(path, 'r');
      return file.createReadStream({
        start,
        ...(length !== undefined && { end: start + length - 1 }),
      });
    },
  };
}

/** Another master key sealed the backup. */
export class WrongKey extends StartError {}

const notOne = (name: string) => new StartError(`${name} is not an encrypted backup.`);

/** Reads the readable beginning. @throws StartError for another file */
async function readPrefix(
  source: SealedSource,
): Promise<{ readonly prefix: Prefix; readonly end: number; readonly header: Buffer }> {
  const beginning = await buffer(await source.read(0, FIXED + MAX_PREFIX + MAX_HEADER));
  const isBackup = beginning.length > FIXED && beginning.subarray(0, MAGIC.length).equals(MAGIC);
  const end = isBackup ? FIXED + beginning.readUInt32LE(MAGIC.length) : 0;
  if (end === 0 || end > Math.min(FIXED + MAX_PREFIX, beginning.length)) throw notOne(source.name);
  try {
    const prefix = JSON.parse(beginning.toString('utf8', FIXED, end)) as Prefix;
    if (typeof prefix.name === 'string' && typeof prefix.key?.id === 'string')
      return { prefix, end, header: beginning.subarray(end, end + MAX_HEADER) };
  } catch {
    // The same as another file.
  }
  throw notOne(source.name);
}

/**
 * Decrypts a backup into an empty folder.
 * @throws StartError if another master key sealed it, or the file was changed or cut off;
 *   StorageError or an error of the file system if it cannot be read
 */
export async function openSealedBackup(
  source: SealedSource,
  masters: readonly MasterKey[],
  folder: string,
): Promise<void> {
  const size = await source.size();
  const { prefix, end, header: text } = await readPrefix(source);
  const bytes = await openDataKey(masters, prefix.key);
  if (!bytes)
    throw new WrongKey(
      `${source.name} was sealed with another key: it belongs to another installation, or to the time before a rotation. Name the key of that time.`,
    );
  try {
    const sealer = sealerOf({ id: prefix.key.id, bytes });
    const header = readHeader(sealer, prefix.name, text);
    const { last, size: take } = chunksOf(header, size - end, prefix.name);
    const opener = new ChunkOpener({ header, name: prefix.name, first: 0, last, skip: 0, take });
    await pipeline(await source.read(end + header.length), opener, (plain: AsyncIterable<Buffer>) =>
      unpackBackup(plain, folder),
    );
  } catch (error) {
    if (error instanceof StorageError && (error.code === 'damaged' || error.code === 'locked'))
      throw new StartError(`${source.name} is not whole: ${error.message}`);
    throw error;
  }
}
