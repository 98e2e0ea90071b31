import { expect, it } from 'vitest';
import { changedPreferences } from './preferences.ts';

it('changes the columns of one list and keeps those of other lists', () => {
  const old = { theme: 'dark', columns: { user: ['name'], asset: ['ip'] } } as const;
  expect(changedPreferences(old, { columns: { user: ['name', 'email'] } })).toEqual({
    theme: 'dark',
    columns: { user: ['name', 'email'], asset: ['ip'] },
  });
  expect(changedPreferences(old, { columns: { user: null } })).toEqual({
    theme: 'dark',
    columns: { asset: ['ip'] },
  });
  expect(changedPreferences(old, { density: 'compact' })).toEqual({ ...old, density: 'compact' });
  expect(changedPreferences(undefined, { columns: { user: ['name'] } })).toEqual({
    columns: { user: ['name'] },
  });
});
