import { gateway } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { factsOf } from './ObjectDialog.tsx';

const title = { en: 'x', zh: 'x' };

it('returns the fields of a form without secrets', () => {
  const groups = [
    { title, fields: ['name', 'ip'] },
    { title, fields: ['username', 'password', 'private_key'] },
  ];
  expect(factsOf(gateway, groups)).toEqual(['name', 'ip', 'username']);
});
