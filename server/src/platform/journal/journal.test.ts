import { appendFileSync } from 'node:fs';
import { appendFile, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../testing/poll.ts';
import { createLog } from '../log.ts';
import { type Destination, type Journal, openJournal } from './journal.ts';
import { type CreateSegment, writeRecord } from './writer.ts';

class Refused extends Error {}

/** A destination in memory that remembers positions and fails on demand. */
class Memory implements Destination<string> {
  readonly taken: string[] = [];
  readonly positions = new Map<string, number>();
  deliveries = 0;
  isAway = false;
  losesAnswers = 0;

  async take(
    segment: string,
    entries: readonly { readonly entry: string; readonly end: number }[],
  ): Promise<void> {
    if (this.isAway) throw new Error('away');
    if (entries.some(({ entry }) => entry.startsWith('refused'))) throw new Refused();
    this.deliveries++;
    const position = this.positions.get(segment) ?? 0;
    this.taken.push(...entries.filter(({ end }) => end > position).map(({ entry }) => entry));
    this.positions.set(segment, Math.max(position, entries.at(-1)?.end ?? 0));
    if (this.losesAnswers-- > 0) throw new Error('the answer was lost');
  }

  async forget(existing: readonly string[]): Promise<void> {
    for (const segment of this.positions.keys())
      if (!existing.includes(segment)) this.positions.delete(segment);
  }

  isFinal(error: unknown): boolean {
    return error instanceof Refused;
  }
}

let folder: string;
let memory: Memory;
let journals: Journal<string>[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-journal-'));
  memory = new Memory();
  journals = [];
});
afterEach(async () => {
  memory.isAway = false;
  for (const journal of journals) await journal.close(10_000);
  await rm(folder, { recursive: true });
});

const begin = async (
  options: { create?: CreateSegment; mostUndrained?: number } = {},
): Promise<Journal<string>> => {
  const journal = await openJournal<string>({
    folder,
    destination: memory,
    log: createLog('silent'),
    ...options,
  });
  journals.push(journal);
  return journal;
};
const arrive = (count: number) =>
  until(() => memory.taken.length >= count, `${count} entries at the destination`);
const segments = async () => (await readdir(folder)).filter((name) => name !== 'refused').sort();

it('delivers entries in order and removes the drained file', async () => {
  const journal = await begin();
  await Promise.all(['one', 'two', 'three'].map((entry) => journal.append(entry)));
  expect(await journal.settled()).toBe(true);
  expect(memory.taken).toEqual(['one', 'two', 'three']);
  await journal.close(1000);
  await begin();
  await until(async () => (await segments()).length === 0, 'the segment was removed');
  await until(() => memory.positions.size === 0, 'the position was forgotten');
});

it('delivers the entries of patient callers together', async () => {
  const journal = await begin();
  await journal.append('first');
  await arrive(1);
  const deliveries = memory.deliveries;
  const settle = async (entry: string) => {
    await journal.append(entry);
    return journal.settled(true);
  };
  // Each append is complete before the next one begins.
  const settled: Promise<boolean>[] = [];
  for (const entry of ['second', 'third', 'fourth']) {
    await journal.append(entry);
    settled.push(journal.settled(true));
  }
  expect(await Promise.all(settled)).toEqual([true, true, true]);
  expect(memory.deliveries).toBe(deliveries + 1);
  memory.isAway = true;
  expect(await settle('fifth')).toBe(false);
});

it('accepts entries while the destination is down and delivers them afterwards', async () => {
  const journal = await begin();
  memory.isAway = true;
  await journal.append('one');
  expect(await journal.settled()).toBe(false);
  await journal.append('two');
  memory.isAway = false;
  await arrive(2);
  expect(memory.taken).toEqual(['one', 'two']);
});

it("delivers nothing twice when the destination's response is lost", async () => {
  const journal = await begin();
  memory.losesAnswers = 1;
  await journal.append('one');
  await journal.append('two');
  await until(() => journal.settled(), 'all has arrived');
  expect(memory.taken).toEqual(['one', 'two']);
});

it('delivers entries of a killed process, truncates a torn record, and continues after it', async () => {
  memory.isAway = true;
  const killed = await begin();
  await killed.append('one');
  await killed.append('two');
  await killed.close(10);
  const [name = ''] = await segments();
  await appendFile(join(folder, name), writeRecord('three').subarray(0, -4));
  memory.isAway = false;
  const next = await begin();
  await next.append('four');
  await arrive(3);
  expect(memory.taken).toEqual(['one', 'two', 'four']);
});

it('skips a record that the disk has damaged and delivers the others', async () => {
  memory.isAway = true;
  const killed = await begin();
  for (const entry of ['one', 'two', 'three']) await killed.append(entry);
  await killed.close(10);
  const [name = ''] = await segments();
  const bytes = await readFile(join(folder, name));
  const file = await open(join(folder, name), 'r+');
  await file.write('X', bytes.indexOf('two'));
  await file.close();
  memory.isAway = false;
  await begin();
  await arrive(2);
  expect(memory.taken).toEqual(['one', 'three']);
});

it('keeps a rejected entry in a file and delivers the others', async () => {
  const journal = await begin();
  memory.isAway = true;
  await Promise.all(['one', 'refused 1', 'two'].map((entry) => journal.append(entry)));
  memory.isAway = false;
  await arrive(2);
  expect(memory.taken).toEqual(['one', 'two']);
  expect(await readFile(join(folder, 'refused'), 'utf8')).toContain('refused 1');
});

describe('with a file that a test controls', () => {
  let failure: Error | undefined;
  let gate: Promise<void> | undefined;
  let syncs = 0;
  const create: CreateSegment = async (path) => {
    const file = await open(path, 'ax');
    return {
      append: async (bytes) => {
        if (failure) throw failure;
        await file.appendFile(bytes);
        syncs++;
        await gate;
      },
      close: () => file.close(),
    };
  };
  beforeEach(() => {
    failure = undefined;
    gate = undefined;
    syncs = 0;
  });

  it('acknowledges an entry only after the sync, and syncs waiting entries together', async () => {
    const journal = await begin({ create });
    let release = () => {};
    gate = new Promise((done) => {
      release = done;
    });
    const acknowledged: string[] = [];
    const append = (entry: string) => journal.append(entry).then(() => acknowledged.push(entry));
    const first = append('one');
    await until(() => syncs === 1, 'the first sync');
    const others = ['two', 'three', 'four'].map(append);
    await new Promise((done) => setTimeout(done, 50));
    expect(acknowledged).toEqual([]);
    expect(memory.taken).toEqual([]);
    release();
    await Promise.all([first, ...others]);
    expect(syncs).toBe(2);
    expect(acknowledged).toEqual(['one', 'two', 'three', 'four']);
  });

  it('rejects an entry that cannot be written, and writes the next one to a new file', async () => {
    const journal = await begin({ create });
    await journal.append('one');
    failure = new Error('ENOSPC');
    await expect(journal.append('two')).rejects.toThrow('ENOSPC');
    failure = undefined;
    await journal.append('three');
    await arrive(2);
    expect(memory.taken).toEqual(['one', 'three']);
  });

  it('delays entries while too much data waits for the destination, and rejects them when memory is full', async () => {
    const journal = await begin({ create, mostUndrained: 10 });
    memory.isAway = true;
    await journal.append('one');
    let isWritten = false;
    const held = journal.append('two').then(() => {
      isWritten = true;
    });
    const long = 'x'.repeat(400_000);
    const many = Array.from({ length: 50 }, () =>
      journal.append(long).then(
        () => 'written',
        () => 'refused',
      ),
    );
    expect(await Promise.race(many)).toBe('refused');
    expect(isWritten).toBe(false);
    memory.isAway = false;
    await held;
    expect(
      (await Promise.all(many)).filter((result) => result === 'written').length,
    ).toBeGreaterThan(10);
  });
});

describe('with a quick disk', () => {
  let failure: Error | undefined;
  let takes = 0;
  let elsewhere = 0;
  let onMain = 0;
  const create: CreateSegment = async (path) => {
    const file = await open(path, 'ax');
    return {
      append: async (bytes) => {
        appendFileSync(path, bytes);
        elsewhere++;
      },
      appendNow: (bytes) => {
        if (failure) throw failure;
        appendFileSync(path, bytes);
        onMain++;
        for (const end = performance.now() + takes; performance.now() < end; );
      },
      close: () => file.close(),
    };
  };
  /** Appends entries until one is written on the main thread; returns them. */
  const warm = async (journal: Journal<string>) => {
    const entries: string[] = [];
    while (onMain === 0 && entries.length < 10_000) {
      entries.push(`entry ${entries.length}`);
      await journal.append(entries.at(-1) ?? '');
    }
    return entries;
  };
  beforeEach(() => {
    failure = undefined;
    takes = 0;
    elsewhere = 0;
    onMain = 0;
  });

  it('writes on the main thread, and on another thread after a slow write', async () => {
    const journal = await begin({ create });
    const entries = await warm(journal);
    expect(onMain).toBe(1);
    const [name = ''] = await segments();
    expect(await readFile(join(folder, name), 'utf8')).toContain(entries.at(-1));
    takes = 3;
    for (let slow = 0; slow === 0; ) {
      slow -= onMain;
      entries.push('slow');
      await journal.append('slow');
      slow += onMain;
    }
    const before = elsewhere;
    entries.push('last');
    await journal.append('last');
    expect(elsewhere).toBe(before + 1);
    await arrive(entries.length);
    expect(memory.taken).toEqual(entries);
  });

  it('rejects an entry that the main thread cannot write, and continues in a new file', async () => {
    const journal = await begin({ create });
    memory.isAway = true;
    await warm(journal);
    failure = new Error('ENOSPC');
    let rejected = '';
    while (rejected === '')
      await journal.append('lost').catch((error: Error) => {
        rejected = error.message;
      });
    expect(rejected).toBe('ENOSPC');
    failure = undefined;
    await journal.append('next');
    expect(await segments()).toHaveLength(2);
    memory.isAway = false;
    await until(() => memory.taken.at(-1) === 'next', 'the next entry');
  });
});
