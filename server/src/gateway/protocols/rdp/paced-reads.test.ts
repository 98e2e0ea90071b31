import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { DESKTOP_READ_MS } from '../../limits.ts';
import { PacedReads } from './paced-reads.ts';

/** Reads messages that take longer than the time of a turn. */
function slowReads() {
  const calls: string[] = [];
  const reads = new PacedReads(
    {
      pause: () => calls.push('pause') as never,
      resume: () => calls.push('resume') as never,
    },
    (message) => {
      calls.push(message.toString());
      const until = performance.now() + DESKTOP_READ_MS + 1;
      while (performance.now() < until);
    },
  );
  return { reads, calls };
}
const messages = (text: string) => [...text].map((letter) => Buffer.from(letter));

it('reads one slow message in a turn, in order, and resumes the stream after the last', async () => {
  const { reads, calls } = slowReads();
  reads.push(messages('abc'));
  expect(calls).toEqual(['a', 'pause']);
  reads.push(messages('d'));
  while (!calls.includes('resume')) await turn();
  expect(calls.filter((call) => call !== 'pause')).toEqual(['a', 'b', 'c', 'd', 'resume']);
});

it('leaves a stream paused that its user has paused', async () => {
  const { reads, calls } = slowReads();
  reads.push(messages('ab'));
  reads.pause();
  while (!calls.includes('b')) await turn();
  expect(calls).not.toContain('resume');
  reads.resume();
  expect(calls.at(-1)).toBe('resume');
});
