import type { CommandHost } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { groupByOutput } from './EqualOutputs.tsx';

const host = (hostname: string, stdout: string, rc = 0) =>
  ({ id: hostname, hostname, state: rc === 0 ? 'succeeded' : 'failed', rc, stdout }) as CommandHost;

it('groups hosts with equal output and status, the most hosts first', () => {
  const groups = groupByOutput([
    host('a', 'no'),
    host('b', 'ok'),
    host('c', 'ok'),
    host('d', 'ok', 1),
  ]);
  expect(groups.map((group) => group.map(({ hostname }) => hostname))).toEqual([
    ['b', 'c'],
    ['a'],
    ['d'],
  ]);
});
