import { afterEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../../../kit/api.ts';
import { readLog } from './cluster-api.ts';

afterEach(() => vi.unstubAllGlobals());

const WISH = { namespace: 'a', pod: 'web', container: 'main', lines: 200 } as const;
const MEBIBYTE = 1024 * 1024;

/** Reads a log of chunks. Returns its last text. */
async function read(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>): Promise<string> {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  vi.stubGlobal('document', { cookie: '' });
  vi.stubGlobal('fetch', async () => new Response(body));
  let text = '';
  await readLog(
    'v-1',
    { ...WISH, previous: false, follow: true },
    (part) => {
      text = part;
    },
    new AbortController().signal,
  );
  return text;
}

const bytes = (text: string) => new TextEncoder().encode(text);

it('keeps the end of a log that never begins another line', async () => {
  async function* flood() {
    for (let count = 0; count < 3; count++) yield bytes('x'.repeat(MEBIBYTE));
    yield bytes('end');
  }
  const text = await read(flood());
  expect(text).toHaveLength(1_000_000);
  expect(text.endsWith('xend')).toBe(true);
});

it('keeps whole lines of a long log', async () => {
  async function* lines() {
    yield bytes(`first ${'x'.repeat(999_990)}\n`);
    yield bytes('second line\n');
  }
  expect(await read(lines())).toBe('second line\n');
});

it('says that the server is unreachable when the connection breaks within a log', async () => {
  async function* broken() {
    yield bytes('first\n');
    throw new Error('terminated');
  }
  await expect(read(broken())).rejects.toEqual(new ApiError(0, 'unreachable', ''));
});
