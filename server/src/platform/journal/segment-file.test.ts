import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../testing/poll.ts';
import { openJournal } from './journal.ts';
import type { Destination } from './journal-types.ts';
import { writeRecord } from './records.ts';
import { createSegment, recordedLength } from './segment-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-segment-'));
});
afterEach(() => rm(folder, { recursive: true }));

const NAME = '0000000001-0a1b2c3d';

/** Starts a journal on a segment that a killed process left, and returns what it delivers. */
async function replayed(content: Buffer): Promise<{ taken: string[]; messages: string[] }> {
  await writeFile(join(folder, NAME), content);
  const taken: string[] = [];
  const messages: string[] = [];
  const write = (...words: readonly unknown[]) => void messages.push(String(words.at(-1)));
  const destination: Destination<string> = {
    take: async ({ entries }) => void taken.push(...entries.map(({ entry }) => entry)),
    stored: async () => ({ positions: new Map(), epoch: '' }),
    adopt: async () => undefined,
    forget: async () => undefined,
    isFinal: () => false,
  };
  const journal = await openJournal<string>({
    folder,
    destination,
    log: { info: write, warn: write, error: write },
  });
  await until(() => journal.settled(), 'the segment was delivered');
  await journal.close(10_000);
  return { taken, messages };
}

const records = (...entries: readonly string[]) =>
  Buffer.concat(entries.map((entry) => writeRecord(entry)));

it('grows by steps that are filled with zeros, and ends after the records when closed', async () => {
  const path = join(folder, NAME);
  const segment = await createSegment(path);
  const steps: number[] = [];
  let at = 0;
  const append = async (bytes: Buffer, isNow: boolean) => {
    if (isNow) segment.appendNow?.(bytes, at);
    else await segment.append(bytes, at);
    at += bytes.length;
    steps.push((await stat(path)).size);
    expect(await recordedLength(path)).toBe(at);
  };
  for (const isNow of [false, segment.appendNow !== undefined]) {
    await append(Buffer.from('first\n'), isNow);
    await append(Buffer.from('second\n'), isNow);
    await append(Buffer.alloc(steps[0] ?? 0, 'x'), isNow);
  }
  const [first = 0, second, third = 0] = steps;
  expect(second).toBe(first);
  expect(third).toBe(2 * first);
  await segment.close(at);
  expect((await readFile(path)).subarray(0, 13).toString()).toBe('first\nsecond\n');
  expect((await stat(path)).size).toBe(at);
});

it('delivers the records before the zeros of a killed process, and reports nothing', async () => {
  const zeros = Buffer.alloc(150_000);
  expect(await replayed(Buffer.concat([records('one', 'two'), zeros]))).toEqual({
    taken: ['one', 'two'],
    messages: [],
  });
});

it.each([
  ['only zeros', Buffer.alloc(65_536)],
  ['nothing', Buffer.alloc(0)],
])('delivers nothing from a segment with %s', async (_what, content) => {
  expect(await replayed(content)).toEqual({ taken: [], messages: [] });
});

it('leaves out a torn record before the zeros', async () => {
  const torn = records('never acknowledged').subarray(0, 20);
  const { taken, messages } = await replayed(
    Buffer.concat([records('whole'), torn, Buffer.alloc(70_000)]),
  );
  expect(taken).toEqual(['whole']);
  expect(messages).toEqual([expect.stringContaining('in the middle of a record')]);
});

it('leaves out records of a write whose first blocks are missing, and delivers the next', async () => {
  const group = records('missing', 'torn', 'after');
  group.fill(0, 0, records('missing').length + 12);
  const { taken, messages } = await replayed(
    Buffer.concat([records('before'), group, Buffer.alloc(4096)]),
  );
  expect(taken).toEqual(['before', 'after']);
  expect(messages).toEqual([expect.stringContaining('damaged')]);
});

it('reads a segment of the version that wrote no zeros', async () => {
  const former = 'fc9768cc "select 1"\nd7ba3b0f "select 2"\n3f9d0c11 "sel';
  const { taken, messages } = await replayed(Buffer.from(former));
  expect(taken).toEqual(['select 1', 'select 2']);
  expect(messages).toEqual([expect.stringContaining('in the middle of a record')]);
});
