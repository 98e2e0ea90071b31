import { setImmediate as turn } from 'node:timers/promises';
import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SharedTurns } from './fair-turns.ts';

const TURN_MS = 4;

/** Turns on a clock of the test, which only work moves. */
function world() {
  let clock = 0;
  const turns = new SharedTurns({ turnMs: TURN_MS, now: () => clock });
  const done: string[] = [];
  const work = (name: string, ms = 1) => {
    return () => {
      clock += ms;
      done.push(name);
    };
  };
  return { turns, done, work, time: () => clock };
}

it('limits the work of all lanes together in one turn of the event loop', async () => {
  const { turns, work, time, done } = world();
  const lanes = [turns.lane(), turns.lane(), turns.lane()];
  for (const [number, lane] of lanes.entries())
    for (let count = 0; count < 20; count++) lane.request(work(`${number}`));
  const steps: number[] = [];
  while (done.length < 60) {
    const before = time();
    await turn();
    steps.push(time() - before);
  }
  expect(Math.max(...steps)).toBe(TURN_MS);
});

it('works for each lane in rotation, and in the order of the lane', async () => {
  const { turns, work, done } = world();
  const [reads, output] = [turns.lane(), turns.lane()];
  for (const name of ['r1', 'r2', 'r3', 'r4']) reads.request(work(name));
  for (const name of ['o1', 'o2']) output.request(work(name));
  await turn();
  expect(done).toEqual(['r1', 'o1', 'r2', 'o2']);
  await turn();
  expect(done.slice(4)).toEqual(['r3', 'r4']);
});

it('does work at once while the turn has time, and counts it for the other lanes', async () => {
  const { turns, work, done } = world();
  const [reads, output] = [turns.lane(), turns.lane()];
  reads.run(work('read', TURN_MS));
  expect(done).toEqual(['read']);
  output.run(work('output'));
  expect(done).toEqual(['read']);
  await turn();
  expect(done).toEqual(['read', 'output']);
});

it('does urgent work before other work that waits', async () => {
  const { turns, work, done } = world();
  const lane = turns.lane();
  for (let count = 0; count < 20; count++) lane.request(work('flood'));
  await turn();
  lane.run(work('answer'), true);
  await turn();
  expect(done).toEqual([...Array(4).fill('flood'), 'answer', ...Array(3).fill('flood')]);
});

it('leaves work that is requested meanwhile to the next turn', async () => {
  const { turns, work, done } = world();
  const lane = turns.lane();
  const again = (): void => {
    work('again', 0.1)();
    if (done.length < 3) lane.request(again);
  };
  lane.request(again);
  await turn();
  expect(done).toHaveLength(1);
  await turn();
  expect(done).toHaveLength(2);
});

it('holds back a lane that asks for a delay, and works for the others', async () => {
  const { turns, work, done } = world();
  let isFull = true;
  const held = turns.lane({ onTurn: (isWaiting) => (isWaiting && isFull ? 1 : 0) });
  const other = turns.lane();
  held.request(work('held'));
  other.request(work('other'));
  await turn();
  expect(done).toEqual(['other']);
  held.run(work('after held'));
  expect(done).toEqual(['other']);
  isFull = false;
  while (done.length < 3) await turn();
  expect(done).toEqual(['other', 'held', 'after held']);
});

it('lets a crowd rest between its turns, and does urgent work and that of others meanwhile', async () => {
  const { turns, work, done } = world();
  const lane = turns.lane({ crowd: { above: 8, restMs: 600_000 } });
  const other = turns.lane();
  for (let count = 0; count < 20; count++) lane.request(work('flood'));
  await turn();
  const flood = Array(TURN_MS).fill('flood');
  expect(done).toEqual(flood);
  lane.request(work('answer'), true);
  lane.request(work('flood'));
  other.request(work('other'));
  for (let count = 0; count < TURN_MS; count++) lane.request(work('answer'), true);
  for (let count = 0; count < 5; count++) await turn();
  const answers = Array(TURN_MS + 1).fill('answer');
  expect(done.toSorted()).toEqual([...answers, ...flood, 'other']);
});

it('continues with a crowd after each rest', async () => {
  const { turns, work, done } = world();
  const lane = turns.lane({ crowd: { above: 2, restMs: 1 } });
  for (let count = 0; count < 20; count++) lane.request(work(`${count}`));
  while (done.length < 20) await turn();
  expect(done).toEqual(Array.from({ length: 20 }, (_, count) => `${count}`));
});

it('works without a rest while few wait', async () => {
  const { turns, work, done } = world();
  const lane = turns.lane({ crowd: { above: 8, restMs: 60_000 } });
  for (let count = 0; count < 8 + TURN_MS; count++) lane.request(work('output'));
  for (let count = 0; count < 3; count++) await turn();
  expect(done).toHaveLength(8 + TURN_MS);
});

/** Work that earlier work requests, at once or from a timer; without a parent, the test does. */
const plan = fc.record({
  lane: fc.nat({ max: 3 }),
  ms: fc.constantFrom(0, 0.1, 1, TURN_MS, 3 * TURN_MS),
  how: fc.constantFrom('request', 'run', 'timer'),
  isUrgent: fc.boolean(),
  parent: fc.option(fc.nat({ max: 30 }), { nil: undefined }),
});

it('does all work once, whichever work requests it and however lanes are delayed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { maxLength: 60 }), async (plans) => {
      let clock = 0;
      let holds = 3;
      const turns = new SharedTurns({ turnMs: TURN_MS, now: () => clock });
      const lanes = [
        turns.lane(),
        turns.lane(),
        turns.lane({ startMs: 1, crowd: { above: 2, restMs: 1 } }),
        turns.lane({ onTurn: () => (holds-- > 0 ? 1 : 0) }),
      ];
      const done: number[] = [];
      const parents = plans.map(({ parent }, at) =>
        parent === undefined || parent >= at ? undefined : parent,
      );
      const start = (at: number): void => {
        const { lane = 0, ms = 0, how, isUrgent } = plans[at] ?? {};
        const work = () => {
          clock += ms;
          done.push(at);
          startAll(at);
        };
        if (how === 'timer') setTimeout(() => lanes[lane]?.run(work, isUrgent), 0);
        else lanes[lane]?.[how === 'run' ? 'run' : 'request'](work, isUrgent);
      };
      const startAll = (parent: number | undefined) => {
        for (const [at, other] of parents.entries()) if (other === parent) start(at);
      };
      startAll(undefined);
      // Lost work would wait for ever, and the test with it.
      while (done.length < plans.length) await turn();
      for (let more = 0; more < 5; more++) await turn();
      expect(done.toSorted((one, other) => one - other)).toEqual([...plans.keys()]);
    }),
    runs(100),
  );
});
