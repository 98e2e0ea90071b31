import { isUuid } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { newId } from './new-id.ts';

it('creates random UUIDs', () => {
  const ids = Array.from({ length: 200 }, newId);
  expect(ids.filter((id) => !isUuid(id) || !/^.{14}4.{4}[89ab]/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(200);
});
