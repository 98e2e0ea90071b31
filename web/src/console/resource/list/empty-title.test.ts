import { expect, it } from 'vitest';
import { plural } from './empty-title.ts';

it.each([
  ['FTP log', 'FTP logs'],
  ['Sync instance', 'Sync instances'],
  ['Push of a system user', 'Pushes of a system user'],
  ['Host of an execution', 'Hosts of an execution'],
])(
  'an empty list without a page in the menu names its objects in the plural: %s',
  (title, several) => {
    expect(plural(title)).toBe(several);
  },
);
