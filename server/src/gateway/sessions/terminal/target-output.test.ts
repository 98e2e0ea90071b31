import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairTurns } from '../fair-turns.ts';
import { TargetOutput } from './target-output.ts';

const TURN_MS = 4;
const PIECE = Buffer.alloc(32 * 1024, 'x');

/** Sessions whose output takes a millisecond per piece, on a clock of the test. */
function world(count: number) {
  let clock = 0;
  const turns = new FairTurns({ turnMs: TURN_MS, now: () => clock });
  const sessions = Array.from({ length: count }, (_, number) => {
    const session = { passed: '', held: false };
    const output = new TargetOutput((bytes) => {
      clock += 1;
      session.passed += bytes.length < PIECE.length ? bytes.toString() : `[${number}]`;
    }, turns);
    output.onHold = (on) => {
      session.held = on;
    };
    return { session, output };
  });
  return { sessions, time: () => clock };
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
  sessions[0]?.output.push(PIECE);
  expect(sessions[0]?.session.passed).toBe('[0]');
});

it('passes the echo of a key at once while other sessions wait', () => {
  const { sessions } = world(20);
  const [quiet, ...floods] = sessions;
  for (const { output } of floods) output.push(PIECE);
  quiet?.output.push(Buffer.from('k'));
  expect(quiet?.session.passed).toBe('k');
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
  for (const { output } of sessions) for (let more = 0; more < 4; more++) output.push(PIECE);
  const last = sessions.at(-1);
  expect(last?.session.held).toBe(true);
  for (let turns = 0; turns < 100; turns++) await turn();
  expect(last?.session).toMatchObject({ held: false, passed: '[19]'.repeat(4) });
});
