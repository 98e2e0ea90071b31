import { appendFileSync } from 'node:fs';
import { appendFile, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../testing/poll.ts';
import { createLog } from '../log.ts';
import { openJournal } from './journal.ts';
import type { Delivery, Destination, Journal, JournalOptions, Positions } from './journal-types.ts';
import { writeRecord } from './records.ts';
import type { CreateSegment } from './segment-file.ts';

class Refused extends Error {}

/** A destination in memory that remembers positions and fails on demand. */
class Memory implements Destination<string> {
  readonly taken: string[] = [];
  readonly positions = new Map<string, number>();
  deliveries = 0;
  isAway = false;
  losesAnswers = 0;
  epoch = '';
  /** Bytes that it acknowledged and lost. */
  lost = 0;
  /** Entries of deliveries that may repeat earlier ones. */
  readonly again: string[] = [];

  async take({ segment, from, to, entries, isAgain }: Delivery<string>): Promise<void> {
    if (this.isAway) throw new Error('away');
    if (entries.some(({ entry }) => entry.startsWith('refused'))) throw new Refused();
    const position = this.positions.get(segment) ?? 0;
    if (position < from) throw new Error('the position is older');
    this.deliveries++;
    this.taken.push(...entries.filter(({ end }) => end > position).map(({ entry }) => entry));
    if (isAgain) this.again.push(...entries.map(({ entry }) => entry));
    this.positions.set(segment, Math.max(position, to));
    if (this.losesAnswers-- > 0) throw new Error('the answer was lost');
  }

  async stored() {
    if (this.isAway) throw new Error('away');
    return { positions: new Map(this.positions), epoch: this.epoch };
  }
  async adopt(positions: Positions) {
    for (const [segment, position] of positions) this.positions.set(segment, position);
  }
  wentBack(bytes: number) {
    this.lost += bytes;
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

const begin = async (options: Partial<JournalOptions<string>> = {}): Promise<Journal<string>> => {
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
const segments = async () => (await readdir(folder)).filter((name) => /^\d/.test(name)).sort();

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

describe('with a destination that goes back in time', () => {
  /** Replaces the state of the destination by an earlier one. */
  const goBack = (to: { taken: string[]; positions: Map<string, number> }) => {
    memory.taken.splice(0, memory.taken.length, ...to.taken);
    memory.positions.clear();
    for (const [segment, position] of to.positions) memory.positions.set(segment, position);
  };
  const state = () => ({ taken: [...memory.taken], positions: new Map(memory.positions) });
  const keep = () => 60_000;
  const deliver = async (journal: Journal<string>, ...entries: string[]) => {
    for (const entry of entries) await journal.append(entry);
    await until(() => journal.settled(), 'all is delivered');
  };

  it('delivers again what the destination has lost, once and in order', async () => {
    const journal = await begin({ keep });
    await deliver(journal, 'one', 'two');
    const earlier = state();
    await deliver(journal, 'three', 'four');
    goBack(earlier);
    await deliver(journal, 'five');
    expect(await journal.recheck()).toBe(true);
    expect(memory.taken).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(memory.lost).toBeGreaterThan(0);
    expect(memory.again).toContain('three');
    const { lost } = memory;
    expect(await journal.recheck()).toBe(true);
    expect(memory.taken).toHaveLength(5);
    expect(memory.lost).toBe(lost);
  });

  it('delivers again after an outage without a new entry', async () => {
    const journal = await begin({ keep });
    const earlier = state();
    await deliver(journal, 'one');
    memory.isAway = true;
    expect(await journal.recheck()).toBe(false);
    goBack(earlier);
    memory.isAway = false;
    await arrive(1);
    expect(memory.taken).toEqual(['one']);
  });

  it('delivers again the entries of several segments after its own restart', async () => {
    const first = await begin({ keep });
    await deliver(first, 'one');
    const earlier = state();
    await deliver(first, 'two');
    await first.close(1000);
    const second = await begin({ keep });
    await deliver(second, 'three');
    await second.close(1000);
    goBack(earlier);
    const third = await begin({ keep });
    await until(() => third.settled(), 'all is delivered');
    expect(memory.taken).toEqual(['one', 'two', 'three']);
    expect(memory.lost).toBeGreaterThan(0);
  });

  it('delivers nothing again across a declared restore, and continues after it', async () => {
    const journal = await begin({ keep });
    await deliver(journal, 'one');
    const earlier = state();
    await deliver(journal, 'two');
    goBack(earlier);
    memory.epoch = 'restored';
    expect(await journal.recheck()).toBe(true);
    await deliver(journal, 'three');
    expect(memory.taken).toEqual(['one', 'three']);
    await journal.close(1000);
    memory.positions.clear();
    memory.epoch = 'restored again';
    const next = await begin({ keep });
    await deliver(next, 'four');
    expect(memory.taken).toEqual(['one', 'three', 'four']);
    expect(memory.lost).toBe(0);
  });

  it('keeps delivered segments over a restart up to a bound, and deletes the oldest beyond it', async () => {
    for (const entry of ['one', 'two', 'three']) {
      const journal = await begin({ keep });
      await deliver(journal, entry);
      await journal.close(1000);
    }
    expect(await segments()).toHaveLength(3);
    const bounded = await begin({ keep, mostKept: 20 });
    expect(await bounded.recheck()).toBe(true);
    expect(await segments()).toHaveLength(1);
    expect(bounded.keepsAll()).toBe(false);
    await bounded.close(1000);
    expect(memory.positions.size).toBe(1);
    const unbounded = await begin({ keep: () => 0 });
    expect(await unbounded.recheck()).toBe(true);
    expect(await segments()).toEqual([]);
    expect(unbounded.keepsAll()).toBe(true);
  });

  it('deletes a segment that was kept long enough, also while nothing is written', async () => {
    const journal = await begin({ keep: () => 30 });
    await deliver(journal, 'one');
    await until(async () => {
      await journal.recheck();
      return (await segments()).length === 0;
    }, 'the segment is deleted');
    await deliver(journal, 'two');
    expect(memory.taken).toEqual(['one', 'two']);
  });

  it('keeps entries that the destination does not have', async () => {
    const journal = await begin({ keep: () => 30, mostKept: 1 });
    const earlier = state();
    await deliver(journal, 'one');
    memory.isAway = true;
    await journal.recheck();
    await new Promise((done) => setTimeout(done, 60));
    goBack(earlier);
    expect(await segments()).toHaveLength(1);
    memory.isAway = false;
    await arrive(1);
    expect(memory.taken).toEqual(['one']);
  });
});

describe('with sealed recordings', () => {
  const sealerOf = (isOn: boolean) => ({
    isOn: () => isOn,
    seal: (plain: string, context: string) =>
      Buffer.from(`${context} ${plain}`).toString('base64url'),
    open: (sealed: string, context: string) => {
      const [name, plain = ''] = Buffer.from(sealed, 'base64url').toString().split(' ');
      if (name !== context) throw new Error('another context');
      return plain;
    },
  });
  const contents = async () => {
    const all = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    );
    return all.join('\n');
  };

  it('seals kept and rejected entries on disk, and reads sealed and plain ones', async () => {
    const journal = await begin({ keep: () => 60_000, sealer: sealerOf(true) });
    memory.isAway = true;
    await journal.append('secret');
    await journal.append('refused');
    await journal.close(10);
    memory.isAway = false;
    const plain = await begin({ keep: () => 60_000, sealer: sealerOf(false) });
    await plain.append('plain');
    await arrive(2);
    expect(memory.taken).toEqual(['secret', 'plain']);
    await plain.close(1000);
    const sealed = await begin({ keep: () => 60_000, sealer: sealerOf(true) });
    await sealed.append('refused too');
    await until(async () => (await segments()).length === 3, 'the third segment');
    await until(() => sealed.settled(), 'all is delivered');
    expect(await contents()).toContain('plain');
    expect(await contents()).not.toContain('secret');
    expect(await contents()).not.toContain('refused too');
  });

  it('leaves out an entry of an unknown key and delivers the others', async () => {
    const journal = await begin({ sealer: sealerOf(true) });
    memory.isAway = true;
    await journal.append('sealed');
    await journal.close(10);
    memory.isAway = false;
    const next = await begin();
    await next.append('next');
    await arrive(1);
    expect(memory.taken).toEqual(['next']);
  });
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
