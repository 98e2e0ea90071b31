import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { startHostileServer } from '../testing/hostile/hostile-server.ts';
import { createElastic } from './elastic/client.ts';
import { sendMail } from './mail/mail.ts';
import { createAzureStorage } from './storage/azure-storage.ts';
import { createS3Storage } from './storage/s3-storage.ts';
import type { Storage } from './storage/storage.ts';
import { withLeastRate } from './storage/time-limits.ts';

const EVERY_MILLISECONDS = 10;
/** Shorter than every limit of silence, which a slow server never reaches. */
const WHOLE_MILLISECONDS = 300;
const TIMEOUTS = {
  read: WHOLE_MILLISECONDS,
  whole: WHOLE_MILLISECONDS,
  content: WHOLE_MILLISECONDS,
};

/** Sends a byte now and then, without an end. */
function trickle(socket: Socket): void {
  const timer = setInterval(() => socket.write('a'), EVERY_MILLISECONDS);
  socket.once('close', () => clearInterval(timer));
}

const after = (beginning: string) => (socket: Socket) =>
  void socket.once('data', () => {
    socket.write(beginning);
    trickle(socket);
  });
const IN_HEADERS = after('HTTP/1.1 200 OK\r\nx-slow: ');
const IN_CONTENT = after('HTTP/1.1 200 OK\r\ncontent-type: application/xml\r\n\r\n<');

/** Runs work against a server that never finishes, and returns its error. */
async function failureAt(
  serve: (socket: Socket) => void,
  work: (port: number) => Promise<unknown>,
): Promise<string> {
  const server = await startHostileServer(serve);
  try {
    return String(await work(server.port).catch((error: unknown) => error));
  } finally {
    await server.stop();
  }
}

const s3 = (port: number) =>
  createS3Storage(
    {
      bucket: 'recordings',
      accessKey: 'a',
      secretKey: 'b',
      endpoint: `http://127.0.0.1:${port}`,
      pathStyle: true,
    },
    TIMEOUTS,
  );
const azure = (port: number) =>
  createAzureStorage(
    {
      container: 'recordings',
      account: 'a',
      key: 'Yg==',
      suffix: 'core.windows.net',
      endpoint: `http://127.0.0.1:${port}/a`,
    },
    TIMEOUTS,
  );

async function* content(size: number): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(size);
}

const REQUESTS: readonly (readonly [string, (storage: Storage) => Promise<unknown>])[] = [
  ['a small upload', (storage) => storage.put('day/x', content(1))],
  ['a large upload', (storage) => storage.put('day/x', content(9 * 1024 * 1024))],
  ['a read', (storage) => storage.open('day/x')],
  ['facts', (storage) => storage.stat('day/x')],
  ['a removal', (storage) => storage.delete('day/x')],
  ['a list', (storage) => storage.list()[Symbol.asyncIterator]().next()],
];
const STORAGES = [
  ['S3', s3],
  ['Azure', azure],
] as const;

it.each(
  STORAGES.flatMap(([name, open]) =>
    REQUESTS.map(([request, send]) => ({ name, open, request, send })),
  ),
)('ends $request at a slow $name service with a sentence', async ({ open, send }) => {
  const failure = await failureAt(IN_HEADERS, async (port) => {
    const storage = open(port);
    await send(storage).finally(() => storage.close());
  });
  expect(failure).toContain('storage: unavailable: no answer within 0.3 s');
});

it.each(STORAGES)('ends a list that a slow %s service begins', async (_, open) => {
  const failure = await failureAt(IN_CONTENT, async (port) => {
    const storage = open(port);
    const names = storage.list()[Symbol.asyncIterator]();
    await names.next().finally(() => storage.close());
  });
  expect(failure).toContain('storage: unavailable: no answer within 0.3 s');
});

it.each(STORAGES)(
  'ends the content of an object that a slow %s service begins',
  async (_, open) => {
    const sent = after('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
    const failure = await failureAt(sent, async (port) => {
      const storage = open(port);
      const read = async () => buffer((await storage.open('day/x')).stream);
      await read().finally(() => storage.close());
    });
    expect(failure).toBe(
      'StorageError: storage: unavailable: less than 1024 bytes per second arrive',
    );
  },
);

it('keeps content whole for a reader that is slower than the least rate', async () => {
  const parts = Array.from({ length: 20 }, (_, part) => Buffer.alloc(10, part));
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const seen: Buffer[] = [];
  try {
    for await (const part of withLeastRate(Readable.from(parts, { objectMode: false }), 1)) {
      seen.push(part);
      // The next part arrives before the reader takes its time.
      await new Promise((done) => setImmediate(done));
      now += 60_000;
    }
  } finally {
    clock.mockRestore();
  }
  expect(Buffer.concat(seen).equals(Buffer.concat(parts))).toBe(true);
});

it('ends the source of content when its reader stops early', async () => {
  const source = new PassThrough();
  const content = withLeastRate(source, WHOLE_MILLISECONDS);
  content.read();
  content.destroy();
  await once(content, 'close');
  expect(source.destroyed).toBe(true);
});

it.each([
  ['headers', IN_HEADERS],
  ['content', IN_CONTENT],
])('ends a request to a cluster that sends its %s slowly', async (_, serve) => {
  const failure = await failureAt(serve, (port) =>
    createElastic(
      { hosts: [`http://127.0.0.1:${port}`], username: '', password: '', certificate: '' },
      1,
      { silent: 30_000, whole: WHOLE_MILLISECONDS },
    ).send('GET', '/'),
  );
  expect(failure).toMatch(/^ElasticError: 127\.0\.0\.1:\d+: no complete answer within 0\.3 s$/);
});

it('ends a mail to a slow server, and closes the connection', async () => {
  const closed = Promise.withResolvers<void>();
  const failure = await failureAt(
    (socket) => {
      socket.once('close', () => closed.resolve());
      socket.write('220 mail.example.com ESMTP\r\n');
      after('250-mail.example.com ')(socket);
    },
    async (port) => {
      const account = { user: '', password: '', from: 'a@b.c', ssl: false, startTls: false };
      const mail = { to: 'd@e.f', subject: 'Test', text: 'Test' };
      await sendMail({ ...account, host: '127.0.0.1', port }, mail, {
        step: 15_000,
        whole: WHOLE_MILLISECONDS,
      }).finally(() => closed.promise);
    },
  );
  expect(failure).toBe('MailError: The mail server took longer than 0.3 s');
});
