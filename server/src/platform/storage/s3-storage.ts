import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { refuseMetadata } from '../address-policy.ts';
import { DatingAgent } from '../certificate-dates.ts';
import { inParts, openRange, PART_BYTES } from './parts.ts';
import { asStorageError } from './s3-problems.ts';
import {
  assertKey,
  type ByteRange,
  isKey,
  type KeptContent,
  type ObjectFacts,
  type OpenObject,
  type Storage,
  StorageError,
} from './storage.ts';
import {
  abortAfter,
  STORAGE_TIMEOUTS,
  type StorageTimeouts,
  withLeastRate,
} from './time-limits.ts';

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

const load = () => import('@aws-sdk/client-s3');
type Sdk = Awaited<ReturnType<typeof load>>;

async function clientOf({
  accessKey,
  secretKey,
  endpoint,
  region,
  pathStyle,
}: S3Bucket): Promise<S3Client> {
  const { S3Client } = await load();
  return new S3Client({
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
      httpsAgent: new DatingAgent({ keepAlive: true, maxSockets: 50 }),
    },
  });
}

/** Stores objects in a bucket of an S3 service. Loads the client on first use. */
class S3Storage implements Storage {
  readonly #target: S3Bucket;
  readonly #timeouts: StorageTimeouts;
  /** As the commands of the client call the name of the bucket. */
  readonly #Bucket: string;
  #client: Promise<S3Client> | undefined;

  constructor(target: S3Bucket, timeouts: StorageTimeouts) {
    this.#target = target;
    this.#timeouts = timeouts;
    this.#Bucket = target.bucket;
  }

  async put(key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    assertKey(key);
    await this.#request(async (s3, sdk) => {
      const parts = inParts(content);
      const first = (await parts.next()).value ?? Buffer.alloc(0);
      if (first.length < PART_BYTES)
        await s3.send(
          new sdk.PutObjectCommand({ Bucket: this.#Bucket, Key: key, ...bodyOf(first) }),
        );
      else await this.#putParts(s3, sdk, key, { first, rest: parts });
    });
  }

  async open(key: string, range?: ByteRange): Promise<OpenObject> {
    assertKey(key);
    return openRange({
      key,
      range,
      stat: (one) => this.stat(one),
      read: (header) => this.#read(key, header),
    });
  }

  async stat(key: string): Promise<ObjectFacts | undefined> {
    assertKey(key);
    try {
      const head = await this.#request(
        (s3, { HeadObjectCommand }) =>
          s3.send(new HeadObjectCommand({ Bucket: this.#Bucket, Key: key })),
        this.#timeouts.read,
      );
      return { size: head.ContentLength ?? 0, modifiedAt: head.LastModified ?? new Date(0) };
    } catch (error) {
      if (error instanceof StorageError && error.code === 'missing') return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    await this.#request((s3, { DeleteObjectCommand }) =>
      s3.send(new DeleteObjectCommand({ Bucket: this.#Bucket, Key: key })),
    );
  }

  async *list(folder?: string): AsyncGenerator<string> {
    for (let StartAfter: string | undefined; ; ) {
      const { Contents = [], IsTruncated } = await this.#request((s3, { ListObjectsV2Command }) =>
        s3.send(
          new ListObjectsV2Command({
            Bucket: this.#Bucket,
            ...(folder && { Prefix: `${folder}/` }),
            ...(StartAfter && { StartAfter }),
          }),
        ),
      );
      for (const { Key = '' } of Contents) if (isKey(Key)) yield Key;
      StartAfter = Contents.at(-1)?.Key;
      if (!IsTruncated || StartAfter === undefined) return;
    }
  }

  /** Other servers may be uploading now; a rule of the bucket deletes incomplete uploads. */
  async removeRemains(): Promise<void> {}

  async isWritable(): Promise<boolean> {
    return this.#request((s3, { HeadBucketCommand }) =>
      s3.send(new HeadBucketCommand({ Bucket: this.#Bucket })),
    ).then(
      () => true,
      () => false,
    );
  }

  async keptContent(): Promise<KeptContent> {
    const Bucket = this.#Bucket;
    const [versions, lock] = await Promise.all([
      this.#optional((s3, sdk) => s3.send(new sdk.GetBucketVersioningCommand({ Bucket }))),
      this.#optional((s3, sdk) => s3.send(new sdk.GetObjectLockConfigurationCommand({ Bucket }))),
    ]);
    const { Mode, Days, Years } = lock?.ObjectLockConfiguration?.Rule?.DefaultRetention ?? {};
    return {
      keepsVersions: versions?.Status === 'Enabled',
      lock: Mode ? `${Mode}, ${Days ? `${Days} days` : `${Years} years`}` : '',
    };
  }

  /** Runs a request that a service may not know, or an account may not send. */
  #optional<Result>(work: (s3: Sender, sdk: Sdk) => Promise<Result>): Promise<Result | undefined> {
    return this.#request(work, this.#timeouts.read).catch(() => undefined);
  }

  close(): void {
    void this.#client?.then((s3) => s3.destroy());
  }

  /** Runs requests, each within a limit. */
  async #request<Result>(
    work: (s3: Sender, sdk: Sdk) => Promise<Result>,
    milliseconds = this.#timeouts.whole,
  ): Promise<Result> {
    const { endpoint } = this.#target;
    try {
      if (endpoint) await refuseMetadata(new URL(endpoint).hostname);
      this.#client ??= clientOf(this.#target);
      return await work(limited(await this.#client, milliseconds), await load());
    } catch (error) {
      throw asStorageError(error);
    }
  }

  async #putParts(
    s3: Sender,
    sdk: Sdk,
    key: string,
    { first, rest }: { readonly first: Buffer; readonly rest: AsyncIterator<Buffer> },
  ): Promise<void> {
    const object = { Bucket: this.#Bucket, Key: key };
    const { UploadId } = await s3.send(new sdk.CreateMultipartUploadCommand(object));
    const upload = { ...object, UploadId };
    try {
      const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
      for (let part: Buffer | undefined = first; part !== undefined; ) {
        const PartNumber = Parts.length + 1;
        const { ETag } = await s3.send(
          new sdk.UploadPartCommand({ ...upload, PartNumber, ...bodyOf(part) }),
        );
        Parts.push({ PartNumber, ETag });
        const next: IteratorResult<Buffer> = await rest.next();
        part = next.done ? undefined : next.value;
      }
      await s3.send(
        new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
      );
    } catch (error) {
      await s3.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => undefined);
      throw error;
    }
  }

  async #read(key: string, Range: string | undefined): Promise<OpenObject> {
    const object = { Bucket: this.#Bucket, Key: key, ...(Range && { Range }) };
    const { read, content } = this.#timeouts;
    const answer = await this.#request(
      (s3, { GetObjectCommand }) => s3.send(new GetObjectCommand(object)),
      read,
    );
    return openedOf(answer, content);
  }
}

type Sender = Pick<S3Client, 'send'>;

/** Sends each request with a limit up to its answer. Only the content of an object may follow. */
function limited(s3: S3Client, milliseconds: number): Sender {
  const send = (command: Parameters<S3Client['send']>[0]) =>
    abortAfter(milliseconds, (abortSignal) => s3.send(command, { abortSignal }));
  return { send: send as S3Client['send'] };
}

/** A bucket with retention locks accepts no content without a digest. All services know MD5. */
const bodyOf = (content: Buffer) => ({
  Body: content,
  ContentMD5: createHash('md5').update(content).digest('base64'),
});

/** Opens a bucket. Connects on first use. */
export const createS3Storage = (
  bucket: S3Bucket,
  timeouts = STORAGE_TIMEOUTS,
): Storage & { close(): void } => new S3Storage(bucket, timeouts);

/** Converts a response. An interrupted download ends the stream with an error. */
function openedOf(
  { Body, ContentRange, ContentLength, LastModified }: GetObjectCommandOutput,
  milliseconds: number,
): OpenObject {
  if (!(Body instanceof Readable))
    throw new StorageError('unavailable', 'the answer has no content');
  const whole = Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1] ?? ContentLength ?? 0);
  const stream = withLeastRate(Body, milliseconds);
  return { size: whole, modifiedAt: LastModified ?? new Date(0), stream };
}
