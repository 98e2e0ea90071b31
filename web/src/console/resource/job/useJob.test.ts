import type { JobLine } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { afterMessage, isOver, type Job } from './useJob.ts';

const NOTHING = { job: undefined, lines: [], problem: '' };
const line = (number: number): JobLine => ({
  line: number,
  date: '2026-01-31 08:30:00 +0800',
  text: `line ${number}`,
});
const numbers = (lines: readonly JobLine[]) => lines.map(({ line: number }) => number);

it('appends each log line once, even after a reconnect', () => {
  const first = afterMessage(NOTHING, { type: 'log', lines: [line(1), line(2)] });
  const second = afterMessage(first, { type: 'log', lines: [line(1), line(2), line(3)] });
  expect(numbers(second.lines)).toEqual([1, 2, 3]);
});

it('keeps only the newest lines', () => {
  const many = afterMessage(NOTHING, {
    type: 'log',
    lines: Array.from({ length: 1_500 }, (_, index) => line(index + 1)),
  });
  expect([many.lines.length, many.lines[0]?.line]).toEqual([1_000, 501]);
});

it('reports the last message of the server as the problem', () => {
  expect(
    afterMessage(NOTHING, { type: 'closed', code: 'not_found', message: 'Not found.' }).problem,
  ).toBe('Not found.');
});

it.each([
  ['queued', false],
  ['running', false],
  ['succeeded', true],
  ['failed', true],
  ['canceled', true],
])('returns for a job that is %s that it has ended: %s', (state, over) => {
  expect(isOver({ state } as Pick<Job, 'state'>)).toBe(over);
  expect(isOver(undefined)).toBe(false);
});
