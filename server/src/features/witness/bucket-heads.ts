import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import {
  type Bucket,
  createBuckets,
  one,
  openBucket,
  type Storage,
  StorageError,
} from '../../platform/storage/recordings.ts';
import { within } from '../../platform/within.ts';
import type { OutsideHeads, OutsidePlace, SeenHeads } from '../audits/index.ts';
import { bucketsToTry } from '../storages/index.ts';

const FOLDER = 'audit-heads';
const FORMAT = 'sallyport audit heads of a server 1';
const SIGNED = 'audit_heads';
/** An object of this size is none of ours. */
const MAX_BYTES = 64 * 1024;
/** Objects of former servers that are read. */
const MOST_OBJECTS = 1_000;
/** Maximum time for reading a bucket. */
const BUCKET_MILLISECONDS = 20_000;

interface Kept extends SeenHeads {
  readonly format: typeof FORMAT;
  readonly server: string;
  readonly date: string;
}

/** The rows of a place in a bucket, and where it is. */
export interface BucketHeads extends OutsideHeads {
  readonly key: string;
  readonly storage: Storage;
}

const keyOf = (server: string) =>
  `${FOLDER}/${createHash('sha256').update(server).digest('hex').slice(0, 32)}.json`;

const { open } = createBuckets(openBucket);

/** Writes the newest rows that a server has seen into a bucket, signed by this installation. */
export async function putHeads(
  vault: Vault,
  bucket: Bucket,
  {
    server,
    seen,
    date,
  }: { readonly server: string; readonly seen: SeenHeads; readonly date: Date },
): Promise<void> {
  const kept: Kept = { format: FORMAT, server, date: date.toISOString(), ...seen };
  const text = JSON.stringify(kept);
  const content = JSON.stringify({ text, signature: vault.sign(text, SIGNED) });
  await open(bucket).put(keyOf(server), one(Buffer.from(content)));
}

async function readObject(vault: Vault, storage: Storage, key: string): Promise<Kept | string> {
  const { size, stream } = await storage.open(key);
  if (size > MAX_BYTES) {
    stream.destroy();
    return `${key} is too long`;
  }
  const content = (await buffer(stream)).toString();
  try {
    const { text, signature } = JSON.parse(content) as { text: string; signature: string };
    if (!vault.isSignature(signature, text, SIGNED))
      return `${key} was not signed by this installation`;
    return JSON.parse(text) as Kept;
  } catch {
    return `${key} is not readable`;
  }
}

/** Returns undefined for an object that was deleted after the list named it. */
async function readPlace(
  {
    vault,
    name,
    storage,
  }: { readonly vault: Vault; readonly name: string; readonly storage: Storage },
  key: string,
): Promise<BucketHeads | OutsidePlace | undefined> {
  try {
    const kept = await readObject(vault, storage, key);
    if (typeof kept === 'string') return { place: 'bucket', name, state: 'other', problem: kept };
    const { server, epoch, instance, heads, date } = kept;
    const seen = { server, epoch, instance };
    return { place: 'bucket', name, heads, date: new Date(date), seen, key, storage };
  } catch (error) {
    if (error instanceof StorageError && error.code === 'missing') return undefined;
    throw error;
  }
}

async function readBucket(
  bucket: Parameters<typeof readPlace>[0],
): Promise<readonly (BucketHeads | OutsidePlace)[]> {
  const read: (BucketHeads | OutsidePlace)[] = [];
  for await (const key of bucket.storage.list(FOLDER)) {
    const place = await readPlace(bucket, key);
    if (place) read.push(place);
    if (read.length === MOST_OBJECTS) break;
  }
  return read;
}

const tooSlow = (): never => {
  throw new StorageError('unavailable', 'the storage does not answer in time');
};

/** Reads the rows that servers have written into the buckets. */
export async function readBucketHeads(
  db: Db,
  vault: Vault,
): Promise<readonly (BucketHeads | OutsidePlace)[]> {
  const places: (BucketHeads | OutsidePlace)[] = [];
  for (const { name, bucket } of await bucketsToTry(db, vault)) {
    try {
      const reading = readBucket({ vault, name, storage: open(bucket()) });
      places.push(...(await within(reading, BUCKET_MILLISECONDS, tooSlow)));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      places.push({ place: 'bucket', name, state: 'unread', problem });
    }
  }
  return places;
}
