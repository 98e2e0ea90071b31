import { expect, it } from 'vitest';
import { CHANGE_DATA } from './app-permission.ts';
import { actionNames } from './asset-permission.ts';

it('the bit of changing data is the bit of no action', () => {
  expect(actionNames(CHANGE_DATA)).toEqual([]);
});
