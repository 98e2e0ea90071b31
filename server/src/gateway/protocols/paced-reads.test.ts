import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SharedTurns } from '../../platform/fair-turns.ts';
import { DESKTOP_READ_MS } from '../limits.ts';
import { PacedReads } from './paced-reads.ts';

/** Reads messages that take longer than the time of a turn. */
function slowReads(lane = new SharedTurns().lane(), calls: string[] = []) {
  const reads = new PacedReads(
    {
      pause: () => calls.push('pause') as never,
      resume: () => calls.push('resume') as never,
    },
    {
      read: (message) => {
        calls.push(message.toString());
        const until = performance.now() + DESKTOP_READ_MS + 1;
        while (performance.now() < until);
      },
      onTurn: () => calls.push('turn'),
    },
    lane,
  );
  return { reads, calls };
}
const messages = (text: string) => [...text].map((letter) => Buffer.from(letter));

it('reads one slow message in a turn, in order, and resumes the stream after the last', async () => {
  const { reads, calls } = slowReads();
  reads.push(messages('abc'));
  expect(calls).toEqual(['a', 'turn', 'pause']);
  reads.push(messages('d'));
  while (!calls.includes('resume')) await turn();
  expect(calls.filter((call) => call !== 'pause')).toEqual([
    'a',
    'turn',
    'b',
    'turn',
    'c',
    'turn',
    'd',
    'turn',
    'resume',
  ]);
});

it('reads nothing more while its user has paused, and the rest afterwards', async () => {
  const { reads, calls } = slowReads();
  reads.push(messages('ab'));
  reads.pause();
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(calls).not.toContain('b');
  reads.resume();
  while (!calls.includes('resume')) await turn();
  expect(calls.filter((call) => call !== 'pause')).toEqual(['a', 'turn', 'b', 'turn', 'resume']);
});

it('reads slow messages of two streams in turn, those of the rested one first', async () => {
  const [lane, calls] = [new SharedTurns().lane(), [] as string[]];
  slowReads(lane, calls).reads.push(messages('abc'));
  slowReads(lane, calls).reads.push(messages('xyz'));
  while (!calls.includes('z')) await turn();
  expect(calls.filter((call) => call.length === 1).join('')).toBe('axbycz');
});

it('drops the messages of an ended stream', async () => {
  const { reads, calls } = slowReads();
  reads.push(messages('ab'));
  reads.end();
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(calls).toEqual(['a', 'turn', 'pause']);
});

it('calls back after the messages that wait, or at once while paused', async () => {
  const { reads, calls } = slowReads();
  reads.push(messages('ab'));
  reads.after(() => calls.push('over'));
  while (!calls.includes('over')) await turn();
  expect(calls.filter((call) => call !== 'pause')).toEqual([
    'a',
    'turn',
    'b',
    'turn',
    'over',
    'resume',
  ]);
  const other = slowReads();
  other.reads.push(messages('ab'));
  other.reads.pause();
  other.reads.after(() => other.calls.push('over'));
  expect(other.calls).toContain('over');
  expect(other.calls).not.toContain('b');
});
