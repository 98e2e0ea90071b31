import { basename } from 'node:path';
import { BackupFailure } from '../../features/backups/index.ts';
import { bucketOf, storageById } from '../../features/storages/index.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { openBucket } from '../../platform/storage/bucket.ts';
import { createBuckets } from '../../platform/storage/buckets.ts';
import { PART_BYTES } from '../../platform/storage/parts.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { SEALED_ENDING } from './sealed-backup.ts';

/** S3 accepts this many parts of an object. */
const MAX_S3_BYTES = 10_000 * PART_BYTES;

const buckets = createBuckets(openBucket);

/** Returns the key of the encrypted copy of a folder. */
export const storedKey = (folder: string): string =>
  `sallyport-backups/${basename(folder)}${SEALED_ENDING}`;

/** A storage of backups with its limit. */
export interface BackupStorage {
  readonly storage: Storage;
  readonly maxBytes: number;
}

/** Opens the storage of a row. @throws BackupFailure if it does not exist or is no bucket */
export async function backupStorage(db: Db, vault: Vault, id: string): Promise<BackupStorage> {
  const row = await storageById(db, id);
  const bucket = row && bucketOf(row, vault);
  if (!bucket) throw new BackupFailure('no_storage', 'Choose another storage in the settings.');
  return {
    storage: buckets.open(bucket),
    maxBytes: bucket.service === 's3' ? MAX_S3_BYTES : Number.POSITIVE_INFINITY,
  };
}
