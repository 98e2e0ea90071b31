import { expect, it } from 'vitest';
import { plural } from './empty-title.ts';

it.each([
  ['FTP log', 'FTP logs'],
  ['Sync instance', 'Sync instances'],
  ['Push of a system user', 'Pushes of a system user'],
  ['Host of an execution', 'Hosts of an execution'],
])('returns the plural of %s', (title, several) => {
  expect(plural(title)).toBe(several);
});
