import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { removeFolder } from '../remove-folder.ts';

/** An S3 service with one empty bucket. */
export interface S3Server {
  readonly endpoint: string;
  readonly port: number;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  stop(): Promise<void>;
}

const BUCKET = 'recordings';

/** Starts s3rver on a free port, or on the port of a stopped server. */
export async function startS3(port = 0): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-s3-'));
  const server = new S3rver({
    port,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  const address = await server.run();
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    port: address.port,
    bucket: BUCKET,
    accessKey: 'S3RVER',
    secretKey: 'S3RVER',
    async stop() {
      await server.close();
      await removeFolder(directory);
    },
  };
}
