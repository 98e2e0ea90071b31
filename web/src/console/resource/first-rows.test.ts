import { expect, it } from 'vitest';
import { FIRST_QUERY } from './first-rows.ts';
import { EMPTY_STATE, queryOf } from './list/list-state.ts';

it('sends the query that a list sends when it opens', () => {
  expect(queryOf(EMPTY_STATE)).toEqual(FIRST_QUERY);
});
