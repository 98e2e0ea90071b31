import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SharedTurns } from '../../../platform/fair-turns.ts';
import { TargetOutput } from './target-output.ts';

const TURN_MS = 4;
const PIECE = Buffer.alloc(8 * 1024, 'x');

/** Sessions whose output takes a millisecond per part, or as told, on a clock of the test. */
function world(count: number, costOf: (bytes: number) => number = () => 1) {
  let clock = 0;
  const turns = new SharedTurns({ turnMs: TURN_MS, now: () => clock }).lane();
  const sessions = Array.from({ length: count }, (_, number) => {
    const session = { passed: '', parts: [] as number[], held: false };
    const output = new TargetOutput((bytes) => {
      clock += costOf(bytes.length);
      session.parts.push(bytes.length);
      session.passed += bytes.length < PIECE.length ? bytes.toString() : `[${number}]`;
    }, turns);
    output.onHold = (on) => {
      session.held = on;
    };
    return { session, output };
  });
  return { sessions, time: () => clock };
}

/** Lets all output pass. */
async function manyTurns(): Promise<void> {
  for (let turns = 0; turns < 1000; turns++) await turn();
}

it('gives the event loop a turn after a few milliseconds of output of all sessions', async () => {
  const { sessions, time } = world(50);
  for (const { output } of sessions) output.push(PIECE);
  const longest = [time()];
  for (let at = time(); at < 50; at = time()) {
    await turn();
    longest.push(time() - at);
  }
  expect(Math.max(...longest)).toBe(TURN_MS);
  expect(sessions.map(({ session }) => session.passed)).toEqual(
    sessions.map((_, number) => `[${number}]`),
  );
});

it('passes on output at once while no session waits', () => {
  const { sessions } = world(1);
  for (let more = 0; more < 4; more++) sessions[0]?.output.push(PIECE);
  expect(sessions[0]?.session.passed).toBe('[0]');
});

it('passes the echo of a key at once while other sessions wait', () => {
  const { sessions } = world(20);
  const [quiet, ...floods] = sessions;
  for (const { output } of floods) output.push(PIECE);
  quiet?.output.push(Buffer.from('k'));
  expect(quiet?.session.passed).toBe('k');
});

it('passes the answer of a quiet session before the next parts of floods', async () => {
  const { sessions } = world(40);
  const [quiet, ...floods] = sessions;
  for (const { output } of floods) for (let more = 0; more < 4; more++) output.push(PIECE);
  await turn();
  const answer = 'an answer '.repeat(400);
  quiet?.output.push(Buffer.from(answer));
  // The first turn gathers the answer.
  await turn();
  await turn();
  expect(quiet?.session.passed).toBe(answer);
  expect(floods.some(({ session }) => session.passed === '')).toBe(true);
});

it('keeps the order of a session, whose echo follows its waiting output', async () => {
  const { sessions } = world(20);
  for (const { output } of sessions) output.push(PIECE);
  await turn();
  const last = sessions.at(-1);
  expect(last?.session.passed).toBe('');
  last?.output.push(Buffer.from('k'));
  last?.output.flush();
  expect(last?.session.passed).toBe('[19]k');
});

it('pauses a target whose output waits for its turn, and resumes it afterwards', async () => {
  const { sessions } = world(20);
  for (const { output } of sessions) for (let more = 0; more < 8; more++) output.push(PIECE);
  const last = sessions.at(-1);
  expect(last?.session.held).toBe(true);
  await manyTurns();
  expect(last?.session).toMatchObject({ held: false });
  expect(last?.session.parts.reduce((sum, part) => sum + part, 0)).toBe(8 * PIECE.length);
});

it('passes output that takes long to read in smaller parts, and other output in larger ones', async () => {
  const slow = world(1, (bytes) => bytes / 1024);
  const fast = world(1, () => 0.1);
  for (const { sessions } of [slow, fast]) {
    for (let more = 0; more < 40; more++) sessions[0]?.output.push(PIECE);
    await manyTurns();
  }
  expect(slow.sessions[0]?.session.parts.at(-2)).toBeLessThanOrEqual(2048);
  expect(slow.sessions[0]?.session.parts.reduce((sum, part) => sum + part, 0)).toBe(40 * 8192);
  expect(Math.max(...(fast.sessions[0]?.session.parts ?? []))).toBe(32 * 1024);
});

it('ends after the output that waits for its turn, at once when none waits', async () => {
  const { sessions } = world(20);
  const order: string[] = [];
  for (const { output } of sessions) output.push(PIECE);
  const [first, last] = [sessions[0], sessions.at(-1)];
  await turn();
  last?.output.after(() => order.push(`last after ${last.session.passed}`));
  first?.output.after(() => order.push('first'));
  await manyTurns();
  expect(order).toEqual(['first', 'last after [19]']);
});

it('passes one more batch at an end for another reason, and drops the rest', async () => {
  const { sessions } = world(2);
  const last = sessions.at(-1);
  let ended = 0;
  for (const { output } of sessions) for (let more = 0; more < 12; more++) output.push(PIECE);
  last?.output.after(() => ended++);
  last?.output.end();
  const passed = last?.session.parts.length;
  await manyTurns();
  expect(last?.session.parts).toHaveLength(passed ?? 0);
  expect(last?.session.parts.reduce((sum, part) => sum + part, 0)).toBeLessThan(8 * PIECE.length);
  expect(ended).toBe(0);
  expect(sessions[0]?.session.parts.reduce((sum, part) => sum + part, 0)).toBe(12 * PIECE.length);
});

it('passes the rest of a session, and other sessions, after a part has failed', async () => {
  const turns = new SharedTurns({ turnMs: TURN_MS, now: () => 0 }).lane();
  let fails = true;
  let passed = 0;
  const failing = new TargetOutput((bytes) => {
    if (fails) {
      fails = false;
      throw new Error('a failing consumer');
    }
    passed += bytes.length;
  }, turns);
  const flood = () => {
    for (let more = 0; more < 4; more++) failing.push(PIECE);
  };
  expect(flood).toThrow('a failing consumer');
  await manyTurns();
  expect(passed).toBe(3 * PIECE.length);
});
