import { type AzureContainer, createAzureStorage } from './azure-storage.ts';
import { createS3Storage, type S3Bucket } from './s3-storage.ts';
import type { Storage } from './storage.ts';

/** A bucket of an object storage service, to which recordings are moved. */
export type Bucket = (
  | ({ readonly service: 's3' } & S3Bucket)
  | ({ readonly service: 'azure' } & AzureContainer)
) & {
  /** A bucket that gets the same objects. */
  readonly second?: Bucket;
};

/** Opens a bucket of any service, without its second one. Connects on first use. */
export function openBucket(bucket: Bucket): Storage {
  return bucket.service === 'azure' ? createAzureStorage(bucket) : createS3Storage(bucket);
}
