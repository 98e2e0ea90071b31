import { asset, user, userGroup } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { ApiError } from '../../../kit/api.ts';
import { takenNames } from './restore.ts';

const rejected = (...names: readonly string[]) =>
  new ApiError(400, 'invalid', '', {
    fields: Object.fromEntries(names.map((name) => [name, ['Wrong']])),
  });

it('names unique fields only, which another name can replace', () => {
  expect(takenNames(rejected('hostname'), asset)).toEqual(['hostname']);
  expect(takenNames(rejected('username', 'email'), user)).toEqual(['username', 'email']);
  // A platform that no longer exists, and a member that is an auditor now.
  expect(takenNames(rejected('platform'), asset)).toEqual([]);
  expect(takenNames(rejected('users', 'non_field_errors'), userGroup)).toEqual([]);
  expect(takenNames(new ApiError(409, 'restore_needs', 'Needs'), asset)).toEqual([]);
  expect(takenNames(new Error('broken'), asset)).toEqual([]);
});
