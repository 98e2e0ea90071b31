import { describe, expect, it } from 'vitest';
import type { Playable } from '../../kit/recording/playable.ts';
import type { Recording, RecordingEvent } from '../../kit/recording/recording.ts';
import { ReplayEngine } from './replay-engine.ts';
import type { ReplayScreen } from './replay-state.ts';

const output = (text: string): RecordingEvent => ({ kind: 'output', text });

function recordingOf(...list: (readonly [number, RecordingEvent])[]): Recording {
  return {
    cols: 80,
    rows: 24,
    times: list.map(([time]) => time),
    lengths: list.map(([, event]) => (event.kind === 'output' ? event.text.length : 0)),
    events: list.map(([, event]) => event),
    typists: [],
    keyFrames: [],
    isComplete: true,
    duration: list.at(-1)?.[0] ?? 0,
  };
}

/** A screen that records its output, and delays its answers while `slow` is set. */
class Paper implements ReplayScreen<string> {
  text = '';
  size = '';
  slow = false;
  readonly #pending: (() => void)[] = [];

  reset(cols: number, rows: number): void {
    this.text = '';
    this.size = `${cols}x${rows}`;
  }

  resize(cols: number, rows: number): void {
    this.size = `${cols}x${rows}`;
    this.text += `<${this.size}>`;
  }

  write(pieces: readonly string[], done: () => void): void {
    this.text += pieces.join('');
    if (this.slow) this.#pending.push(done);
    else done();
  }

  settle(): void {
    for (let done = this.#pending.shift(); done; done = this.#pending.shift()) done();
  }
}

function setUp(recording: Playable<string>) {
  const paper = new Paper();
  const frames: ((now: number) => void)[] = [];
  const engine = new ReplayEngine(recording, paper, (callback) => void frames.push(callback));
  let now = 0;
  const pass = (seconds: number) => {
    now += seconds * 1000;
    for (const frame of frames.splice(0)) frame(now);
  };
  return { engine, paper, pass };
}

const SOME = recordingOf(
  [1, output('a')],
  [2, output('b')],
  [2, { kind: 'resize', cols: 100, rows: 30 }],
  [3, output('c')],
  [63, output('d')],
);

describe('the replay engine', () => {
  it('shows the first picture of a flood before it draws on', () => {
    const events = Array.from({ length: 4 }, () => [1, output('x'.repeat(8 * 1024))] as const);
    const { engine, paper, pass } = setUp(recordingOf(...events));
    engine.play();
    pass(0);
    pass(2);
    expect(paper.text).toHaveLength(8 * 1024);
    pass(0);
    expect(paper.text).toHaveLength(32 * 1024);
  });

  it('plays by the clock at the chosen speed, and stops at the end', () => {
    const { engine, paper, pass } = setUp(SOME);
    engine.play();
    pass(0);
    pass(1);
    expect(paper.text).toBe('a');
    engine.setSpeed(2);
    pass(0.5);
    expect(paper.text).toBe('ab<100x30>');
    pass(1.5);
    expect(paper.text).toBe('ab<100x30>cd');
    expect(engine.snapshot()).toMatchObject({ playing: false, position: 5, duration: 5 });
  });

  it('restarts when played at the end', () => {
    const { engine, paper, pass } = setUp(SOME);
    engine.seek(5);
    expect(paper.text).toBe('ab<100x30>cd');
    engine.play();
    expect(paper.text).toBe('');
    expect(paper.size).toBe('80x24');
    pass(0);
    pass(1);
    expect(paper.text).toBe('a');
  });

  it('restores the exact screen when it seeks back and forth', () => {
    const { engine, paper } = setUp(SOME);
    engine.seek(3);
    expect(paper.text).toBe('ab<100x30>c');
    engine.seek(1.5);
    expect(paper.text).toBe('a');
    expect(paper.size).toBe('80x24');
    engine.seek(99);
    expect(paper.text).toBe('ab<100x30>cd');
    expect(engine.snapshot().seeking).toBe(false);
  });

  it('stops the clock for a slow screen and loses no output', () => {
    const { engine, paper, pass } = setUp(SOME);
    paper.slow = true;
    engine.play();
    pass(0);
    pass(1);
    pass(10);
    expect(paper.text).toBe('a');
    expect(engine.snapshot().position).toBe(1);
    paper.settle();
    pass(1);
    expect(paper.text).toBe('ab');
    paper.settle();
    expect(paper.text).toBe('ab<100x30>');
  });

  it('draws only the last of many seeks requested while the screen was busy', () => {
    const { engine, paper } = setUp(SOME);
    paper.slow = true;
    engine.seek(1);
    engine.seek(5);
    engine.seek(0.5);
    engine.seek(2);
    expect(engine.snapshot()).toMatchObject({ seeking: true, position: 2 });
    paper.settle();
    expect(paper.text).toBe('ab<100x30>');
    expect(engine.snapshot().seeking).toBe(false);
  });

  it('keeps the moment of the session when pauses are no longer skipped', () => {
    const { engine } = setUp(SOME);
    engine.seek(4);
    expect(engine.timeline.toReal(4)).toBe(33);
    engine.setSkipIdle(false);
    expect(engine.snapshot()).toMatchObject({ position: 33, duration: 63, skipIdle: false });
  });

  it('draws a long stretch in batches and in order', () => {
    const many = recordingOf(
      ...Array.from(
        { length: 20 },
        (_, index) => [index, output(String(index % 10).repeat(50_000))] as const,
      ),
    );
    const { engine, paper } = setUp(many);
    engine.setSkipIdle(false);
    paper.slow = true;
    engine.seek(19);
    expect(paper.text.length).toBe(300_000);
    paper.settle();
    expect(paper.text.length).toBe(1_000_000);
    expect(paper.text.replace(/(.)\1+/g, '$1')).toBe('01234567890123456789');
  });

  it('seeks by the shortcut of the recording, and plays from there', () => {
    const list = Array.from(
      { length: 10 },
      (_, index) => [index + 1, output(String(index))] as const,
    );
    const requests: number[] = [];
    const shortcut = (until: number) => {
      requests.push(until);
      return [0, until - 1];
    };
    const { engine, paper, pass } = setUp({ ...recordingOf(...list), shortcut });
    engine.seek(9);
    expect([paper.text, requests]).toEqual(['012345678', []]);
    engine.seek(5);
    expect([paper.text, requests]).toEqual(['04', [5]]);
    paper.slow = true;
    engine.seek(3);
    engine.seek(4);
    paper.settle();
    expect([paper.text, requests, engine.snapshot().seeking]).toEqual(['03', [5, 3, 4], false]);
    paper.slow = false;
    engine.play();
    pass(0);
    pass(1);
    expect(paper.text).toBe('034');
  });

  it('seeks from the current picture if possible, and finishes before the next seek', () => {
    const list = Array.from(
      { length: 10 },
      (_, index) => [index + 1, output(String(index))] as const,
    );
    const across = (from: number, until: number) =>
      until > 1 ? [until - 1, from > until ? 0 : 1] : undefined;
    const { engine, paper, pass } = setUp({ ...recordingOf(...list), shortcut: () => [9], across });
    engine.seek(9);
    engine.seek(5);
    expect(paper.text).toBe('01234567840');
    paper.slow = true;
    engine.seek(4);
    engine.seek(3);
    paper.settle();
    expect([paper.text, engine.snapshot().seeking]).toEqual(['012345678403020', false]);
    engine.seek(1);
    paper.settle();
    expect(paper.text).toBe('9');
    paper.slow = false;
    engine.play();
    pass(0);
    pass(1);
    expect(paper.text).toBe('91');
  });

  it('skips output painted over within a step, and lengthens steps for a slow screen', () => {
    const list = Array.from(
      { length: 10 },
      (_, index) => [(index + 1) / 10, output(String(index))] as const,
    );
    const { engine, paper, pass } = setUp({
      ...recordingOf(...list),
      between: (from, until) => (until === 10 ? [] : [from, until - 1]),
    });
    engine.play();
    pass(0);
    paper.slow = true;
    pass(0.31);
    expect(paper.text).toBe('02');
    pass(0.02);
    pass(0.02);
    expect(engine.snapshot().position).toBeCloseTo(0.31);
    paper.settle();
    pass(0.16);
    expect([paper.text, engine.snapshot().position]).toEqual(['0234', expect.closeTo(0.51)]);
    // A screen slower than the longest step delays the clock.
    pass(5);
    paper.settle();
    pass(0.1);
    expect([paper.text, engine.snapshot().position]).toEqual(['023457', expect.closeTo(0.81)]);
    // A seek starts after the current step has been drawn.
    engine.seek(0.9);
    expect(paper.text).toBe('023457');
    paper.settle();
    paper.settle();
    expect([paper.text, engine.snapshot()]).toEqual([
      '0234578',
      expect.objectContaining({ seeking: false, position: 0.9 }),
    ]);
    // A step without visible output writes nothing.
    pass(0.2);
    expect([paper.text, engine.snapshot().playing]).toEqual(['0234578', false]);
  });

  it('writes an empty batch when it seeks before the first picture', () => {
    const { engine, paper } = setUp({
      ...recordingOf([1, output('a')], [2, output('b')]),
      shortcut: () => [],
    });
    const written: number[] = [];
    const write = paper.write.bind(paper);
    paper.write = (pieces, done) => {
      written.push(pieces.length);
      write(pieces, done);
    };
    engine.seek(2);
    engine.seek(0);
    expect([written, paper.text, engine.snapshot().seeking]).toEqual([[2, 0], '', false]);
  });

  it('seeks from the key frame before its target', () => {
    const keyFrame = { cols: 100, rows: 30, piece: 'screen', next: 3 };
    const { engine, paper } = setUp({
      ...SOME,
      keyFrame: (until) => (until >= keyFrame.next ? keyFrame : undefined),
    });
    engine.seek(99);
    expect(paper.text).toBe('ab<100x30>cd');
    engine.seek(3);
    expect(paper.text).toBe('screenc');
    expect(paper.size).toBe('100x30');
    engine.seek(1.5);
    expect(paper.text).toBe('a');
  });

  it('waits for events that are not in memory', async () => {
    const events: (RecordingEvent | undefined)[] = SOME.events.map((event, index) =>
      index < 3 ? event : undefined,
    );
    const read = (index: number) => {
      if (events[index]) return undefined;
      return Promise.resolve().then(() => {
        events[index] = SOME.events[index];
      });
    };
    const { engine, paper } = setUp({ ...SOME, events, read });
    engine.seek(99);
    expect(paper.text).toBe('ab<100x30>');
    expect(engine.snapshot().seeking).toBe(true);
    await expect.poll(() => engine.snapshot().seeking).toBe(false);
    expect(paper.text).toBe('ab<100x30>cd');
  });

  it('plays while the rest loads, and seeks to a second as soon as it has loaded', () => {
    let known = 2;
    const firstOf = <Value>(list: readonly Value[]) => list.slice(0, known);
    const { engine, paper, pass } = setUp({
      ...SOME,
      get times() {
        return firstOf(SOME.times);
      },
      get duration() {
        return SOME.times[known - 1] ?? 0;
      },
      get isComplete() {
        return known === SOME.times.length;
      },
    });
    engine.play();
    pass(0);
    pass(10);
    expect(paper.text).toBe('ab');
    expect(engine.snapshot()).toMatchObject({ playing: true, position: 2, loading: true });
    engine.seekToSecond(60);
    expect(engine.snapshot()).toMatchObject({ seeking: true, position: 2 });
    known = 4;
    engine.grow();
    expect(engine.snapshot()).toMatchObject({ seeking: true, duration: 3 });
    known = 5;
    engine.grow();
    expect(paper.text).toBe('ab<100x30>c');
    expect(engine.snapshot()).toMatchObject({ seeking: false, loading: false, duration: 5 });
    expect(engine.timeline.toReal(engine.snapshot().position)).toBeCloseTo(60);
  });
});
