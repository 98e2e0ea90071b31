import { expect, it } from 'vitest';
import { CHANGE_DATA } from './app-permission.ts';
import { actionNames } from './asset-permission.ts';

it('maps the bit for changing data to no action', () => {
  expect(actionNames(CHANGE_DATA)).toEqual([]);
});
