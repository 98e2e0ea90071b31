import { mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../config.ts';
import type { MasterKey } from '../../platform/crypto/master-key.ts';
import { createS3Storage } from '../../platform/storage/s3-storage.ts';
import { inFile, inStorage, openSealedBackup, type SealedSource } from './sealed-backup.ts';

/** Free bytes that a decrypted backup leaves on its disk. */
const SPARE_BYTES = 67_108_864;
const BUCKET = /^s3:\/\/([^/]+)\/(.+)$/;

/** The folder for temporary files has too little space. */
export class NoRoom extends StartError {}

/** Calls `work` with the decrypted files in a temporary folder, and deletes it. @throws NoRoom */
export async function withUnpacked<T>(
  source: SealedSource,
  masters: readonly MasterKey[],
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const [needed, { bavail, bsize }] = [await source.size(), await statfs(tmpdir())];
  const mib = (bytes: number) => Math.ceil(bytes / 1_048_576);
  if (needed + SPARE_BYTES > bavail * bsize)
    throw new NoRoom(
      `The backup needs ${mib(needed + SPARE_BYTES)} MiB in ${tmpdir()}, which has ${mib(bavail * bsize)}. Name another folder: TMPDIR='/var/tmp'`,
    );
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-backup-'));
  try {
    await openSealedBackup(source, masters, folder);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the encrypted backup that an operator names: a file, or `s3://bucket/key` with the
 * variables of AWS clients. Undefined for a folder. @throws StartError
 */
export async function namedSource(
  name: string,
  environment: NodeJS.ProcessEnv,
): Promise<SealedSource | undefined> {
  const [, bucket, key] = BUCKET.exec(name) ?? [];
  if (bucket === undefined || key === undefined) {
    const facts = await stat(name).catch(() => undefined);
    return facts?.isFile() ? inFile(name) : undefined;
  }
  const { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey } = environment;
  if (!accessKey || !secretKey)
    throw new StartError(
      'The account of the bucket is missing. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_ENDPOINT_URL where the bucket is not at Amazon.',
    );
  const endpoint = environment.AWS_ENDPOINT_URL;
  // Only Amazon, and OSS, need the bucket in the host name.
  const pathStyle = endpoint !== undefined && !endpoint.includes('aliyuncs.com');
  return inStorage(
    createS3Storage({
      bucket,
      accessKey,
      secretKey,
      endpoint,
      region: environment.AWS_REGION,
      pathStyle,
    }),
    key,
  );
}
