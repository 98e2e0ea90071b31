import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { assertKey, isKey } from './keys.ts';
import { inParts, PART_BYTES } from './parts.ts';
import { openRange } from './range.ts';
import type { OpenObject, Storage } from './storage.ts';
import { StorageError, type StorageProblem } from './storage-error.ts';

/** Where a bucket is and the account that may use it. */
export interface S3Bucket {
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** `https://host:port`; absent: that of Amazon in the region. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** The bucket in the path of the address, as MinIO and Ceph have it; otherwise in front of the host's name. */
  readonly pathStyle: boolean;
}

const CONNECT_MILLISECONDS = 5_000;
/** Between two bytes of an answer. */
const SILENT_MILLISECONDS = 30_000;
const TRIES = 2;

const PROBLEMS: Readonly<Record<string, StorageProblem>> = {
  NoSuchKey: 'missing',
  NotFound: 'missing',
  InvalidRange: 'range',
  AccessDenied: 'refused',
  InvalidAccessKeyId: 'refused',
  SignatureDoesNotMatch: 'refused',
  QuotaExceeded: 'full',
};

interface ServiceError {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** What an error of the service means. Its words may go to administrators: the client never puts a secret into them. */
function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { name = '', code = '', message = '', $metadata } = (error ?? {}) as ServiceError;
  const isRefused = $metadata?.httpStatusCode === 401 || $metadata?.httpStatusCode === 403;
  const said =
    message !== '' && message !== 'UnknownError'
      ? `${name}: ${message}`
      : [name, code, $metadata?.httpStatusCode].filter(Boolean).join(' ');
  return new StorageError(PROBLEMS[name] ?? (isRefused ? 'refused' : 'unavailable'), said, error);
}

/** Keeps objects in a bucket of a service that speaks S3. The client is loaded when it is used for the first time. */
export function createS3Storage({
  bucket: Bucket,
  accessKey,
  secretKey,
  endpoint,
  region,
  pathStyle,
}: S3Bucket): Storage & { close(): void } {
  let opened: Promise<S3Client> | undefined;
  const load = () => import('@aws-sdk/client-s3');
  const client = (): Promise<S3Client> => {
    opened ??= load().then(
      ({ S3Client }) =>
        new S3Client({
          region: region || 'us-east-1',
          ...(endpoint && { endpoint }),
          forcePathStyle: pathStyle,
          credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
          maxAttempts: TRIES,
          // Services other than Amazon's do not know the newer checksums; what was put is read back anyway.
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
          requestHandler: {
            connectionTimeout: CONNECT_MILLISECONDS,
            socketTimeout: SILENT_MILLISECONDS,
            requestTimeout: SILENT_MILLISECONDS,
          },
        }),
    );
    return opened;
  };
  const asking = async <Result>(
    work: (s3: S3Client, sdk: Awaited<ReturnType<typeof load>>) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await work(await client(), await load());
    } catch (error) {
      throw asStorageError(error);
    }
  };

  const stat: Storage['stat'] = async (key) => {
    assertKey(key);
    try {
      const found = await asking((s3, { HeadObjectCommand }) =>
        s3.send(new HeadObjectCommand({ Bucket, Key: key })),
      );
      return { size: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date(0) };
    } catch (error) {
      if (error instanceof StorageError && error.code === 'missing') return undefined;
      throw error;
    }
  };

  const putParts = (key: string, first: Buffer, rest: AsyncIterator<Buffer>) =>
    asking(
      async (
        s3,
        {
          CreateMultipartUploadCommand,
          UploadPartCommand,
          CompleteMultipartUploadCommand,
          AbortMultipartUploadCommand,
        },
      ) => {
        const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: key }));
        const upload = { Bucket, Key: key, UploadId };
        try {
          const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
          for (let part: Buffer | undefined = first; part !== undefined; ) {
            const PartNumber = Parts.length + 1;
            const { ETag } = await s3.send(
              new UploadPartCommand({ ...upload, PartNumber, Body: part }),
            );
            Parts.push({ PartNumber, ETag });
            const next: IteratorResult<Buffer> = await rest.next();
            part = next.done ? undefined : next.value;
          }
          await s3.send(
            new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
          );
        } catch (error) {
          await s3.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
          throw error;
        }
      },
    );

  const read = async (key: string, Range: string | undefined): Promise<OpenObject> =>
    openedOf(
      await asking((s3, { GetObjectCommand }) =>
        s3.send(new GetObjectCommand({ Bucket, Key: key, ...(Range && { Range }) })),
      ),
    );

  return {
    async put(key, content) {
      assertKey(key);
      await asking(async (s3, { PutObjectCommand }) => {
        const parts = inParts(content);
        const first = (await parts.next()).value ?? Buffer.alloc(0);
        if (first.length < PART_BYTES)
          await s3.send(new PutObjectCommand({ Bucket, Key: key, Body: first }));
        else await putParts(key, first, parts);
      });
    },
    async open(key, range) {
      assertKey(key);
      return openRange({ key, range, stat, read: (wanted) => read(key, wanted) });
    },
    stat,
    async delete(key) {
      assertKey(key);
      await asking((s3, { DeleteObjectCommand }) =>
        s3.send(new DeleteObjectCommand({ Bucket, Key: key })),
      );
    },
    async *list() {
      for (let StartAfter: string | undefined; ; ) {
        const { Contents = [], IsTruncated } = await asking((s3, { ListObjectsV2Command }) =>
          s3.send(new ListObjectsV2Command({ Bucket, ...(StartAfter && { StartAfter }) })),
        );
        for (const { Key = '' } of Contents) if (isKey(Key)) yield Key;
        StartAfter = Contents.at(-1)?.Key;
        if (!IsTruncated || StartAfter === undefined) return;
      }
    },
    // Other servers may be putting at this moment; a rule of the bucket removes uploads that were never completed.
    removeRemains: async () => undefined,
    isWritable: async () =>
      asking((s3, { HeadBucketCommand }) => s3.send(new HeadBucketCommand({ Bucket }))).then(
        () => true,
        () => false,
      ),
    close: () => void opened?.then((s3) => s3.destroy()),
  };
}

/** An answer with its object. What breaks off ends the stream with an error. */
function openedOf({
  Body,
  ContentRange,
  ContentLength,
  LastModified,
}: GetObjectCommandOutput): OpenObject {
  if (!(Body instanceof Readable))
    throw new StorageError('unavailable', 'the answer has no content');
  const whole = Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1] ?? ContentLength ?? 0);
  return { size: whole, modifiedAt: LastModified ?? new Date(0), stream: Body };
}
