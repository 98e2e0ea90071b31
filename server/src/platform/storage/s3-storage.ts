import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { refuseMetadata } from '../metadata-address.ts';
import { inParts, PART_BYTES } from './parts.ts';
import { openRange } from './range.ts';
import {
  assertKey,
  isKey,
  type OpenObject,
  type Storage,
  StorageError,
  type StorageProblem,
} from './storage.ts';

/** Address and account of a bucket. */
export interface S3Bucket {
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** `https://host:port`; absent: AWS in the region. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /**
   * True: the bucket is part of the path, as with MinIO and Ceph. False: it is part of the host
   * name.
   */
  readonly pathStyle: boolean;
}

const CONNECT_MILLISECONDS = 5_000;
/** Maximum silence within a response, in milliseconds. */
const SILENT_MILLISECONDS = 30_000;
const TRIES = 2;
/** Maximum time of a read up to its first byte: a user waits for it. */
const READ_MILLISECONDS = 10_000;

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

/**
 * Maps an error of the service. Administrators may see its message: the client never puts a secret
 * into it.
 */
function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { name = '', code = '', message = '', $metadata } = (error ?? {}) as ServiceError;
  const isRefused = $metadata?.httpStatusCode === 401 || $metadata?.httpStatusCode === 403;
  const text =
    message !== '' && message !== 'UnknownError'
      ? `${name}: ${message}`
      : [name, code, $metadata?.httpStatusCode].filter(Boolean).join(' ');
  return new StorageError(PROBLEMS[name] ?? (isRefused ? 'refused' : 'unavailable'), text, error);
}

/** Stores objects in a bucket of an S3 service. Loads the client on first use. */
export function createS3Storage({
  bucket: Bucket,
  accessKey,
  secretKey,
  endpoint,
  region,
  pathStyle,
}: S3Bucket): Storage & { close(): void } {
  let s3Client: Promise<S3Client> | undefined;
  const load = () => import('@aws-sdk/client-s3');
  const client = (): Promise<S3Client> => {
    s3Client ??= load().then(
      ({ S3Client }) =>
        new S3Client({
          region: region || 'us-east-1',
          ...(endpoint && { endpoint }),
          forcePathStyle: pathStyle,
          credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
          maxAttempts: TRIES,
          // Other S3 services lack the newer checksums; we read copied objects back anyway.
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
          requestHandler: {
            connectionTimeout: CONNECT_MILLISECONDS,
            socketTimeout: SILENT_MILLISECONDS,
            requestTimeout: SILENT_MILLISECONDS,
          },
        }),
    );
    return s3Client;
  };
  const request = async <Result>(
    work: (s3: S3Client, sdk: Awaited<ReturnType<typeof load>>) => Promise<Result>,
  ): Promise<Result> => {
    try {
      if (endpoint) await refuseMetadata(new URL(endpoint).hostname);
      return await work(await client(), await load());
    } catch (error) {
      throw asStorageError(error);
    }
  };

  const stat: Storage['stat'] = async (key) => {
    assertKey(key);
    try {
      const head = await request((s3, { HeadObjectCommand }) =>
        s3.send(new HeadObjectCommand({ Bucket, Key: key }), {
          abortSignal: AbortSignal.timeout(READ_MILLISECONDS),
        }),
      );
      return { size: head.ContentLength ?? 0, modifiedAt: head.LastModified ?? new Date(0) };
    } catch (error) {
      if (error instanceof StorageError && error.code === 'missing') return undefined;
      throw error;
    }
  };

  const putParts = (key: string, first: Buffer, rest: AsyncIterator<Buffer>) =>
    request(
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

  const read = async (key: string, Range: string | undefined): Promise<OpenObject> => {
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(), READ_MILLISECONDS);
    try {
      return openedOf(
        await request((s3, { GetObjectCommand }) =>
          s3.send(new GetObjectCommand({ Bucket, Key: key, ...(Range && { Range }) }), {
            abortSignal: slow.signal,
          }),
        ),
      );
    } catch (error) {
      if (!slow.signal.aborted) throw error;
      throw new StorageError('unavailable', `no answer within ${READ_MILLISECONDS / 1000} s`);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async put(key, content) {
      assertKey(key);
      await request(async (s3, { PutObjectCommand }) => {
        const parts = inParts(content);
        const first = (await parts.next()).value ?? Buffer.alloc(0);
        if (first.length < PART_BYTES)
          await s3.send(new PutObjectCommand({ Bucket, Key: key, Body: first }));
        else await putParts(key, first, parts);
      });
    },
    async open(key, range) {
      assertKey(key);
      return openRange({ key, range, stat, read: (header) => read(key, header) });
    },
    stat,
    async delete(key) {
      assertKey(key);
      await request((s3, { DeleteObjectCommand }) =>
        s3.send(new DeleteObjectCommand({ Bucket, Key: key })),
      );
    },
    async *list() {
      for (let StartAfter: string | undefined; ; ) {
        const { Contents = [], IsTruncated } = await request((s3, { ListObjectsV2Command }) =>
          s3.send(new ListObjectsV2Command({ Bucket, ...(StartAfter && { StartAfter }) })),
        );
        for (const { Key = '' } of Contents) if (isKey(Key)) yield Key;
        StartAfter = Contents.at(-1)?.Key;
        if (!IsTruncated || StartAfter === undefined) return;
      }
    },
    // Other servers may be uploading now; a rule of the bucket deletes incomplete uploads.
    removeRemains: async () => undefined,
    isWritable: async () =>
      request((s3, { HeadBucketCommand }) => s3.send(new HeadBucketCommand({ Bucket }))).then(
        () => true,
        () => false,
      ),
    close: () => void s3Client?.then((s3) => s3.destroy()),
  };
}

/** Converts a response. An interrupted download ends the stream with an error. */
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
