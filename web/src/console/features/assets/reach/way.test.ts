import { expect, it } from 'vitest';
import { conditionsOf } from './way.ts';

const rules = (...names: readonly (string | null)[]) =>
  names.map((name) => ({ condition_display: name }));

it('names each condition once, and tells of permissions without one', () => {
  expect(conditionsOf(rules('Night', 'Day', 'Night'))).toEqual({
    names: ['Day', 'Night'],
    hasWithout: false,
  });
  expect(conditionsOf(rules('Day', null, ''))).toEqual({ names: ['Day'], hasWithout: true });
  expect(conditionsOf([])).toEqual({ names: [], hasWithout: false });
});
