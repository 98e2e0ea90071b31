import { describe, expect, it } from 'vitest';
import { exportQuery, possibleRanges } from './export-address.ts';

const FILE = { format: 'csv', references: 'names' };
const LIST = {
  base: { is_finished: 0 },
  query: { search: 'web', order: '-ip', ip: '', date_from: undefined },
  selected: [],
};

describe('an export', () => {
  it('of all has nothing of what is searched at the moment', () => {
    expect(exportQuery(LIST, 'all')).toEqual({ is_finished: 0, ...FILE });
  });

  it('of what was found has all of it, but no page', () => {
    expect(exportQuery(LIST, 'filtered')).toEqual({
      is_finished: 0,
      search: 'web',
      order: '-ip',
      ...FILE,
    });
  });

  it('of the selected rows means their set', () => {
    expect(exportQuery(LIST, 'selected', 'set')).toEqual({ is_finished: 0, spm: 'set', ...FILE });
  });

  it('of the selected needs a selection, of the found a query', () => {
    expect(possibleRanges(LIST)).toEqual({ all: true, selected: false, filtered: true });
    expect(possibleRanges({ query: { search: '' }, selected: ['a'] })).toEqual({
      all: true,
      selected: true,
      filtered: false,
    });
  });
});
