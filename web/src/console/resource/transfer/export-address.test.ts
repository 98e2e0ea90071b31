import { describe, expect, it } from 'vitest';
import { exportQuery, possibleRanges } from './export-address.ts';

const FILE = { format: 'csv', references: 'names' };
const LIST = {
  base: { is_finished: 0 },
  query: { search: 'web', order: '-ip', ip: '', date_from: undefined },
  selected: [],
};

describe('an export', () => {
  it('ignores the current search when exporting all rows', () => {
    expect(exportQuery(LIST, 'all')).toEqual({ is_finished: 0, ...FILE });
  });

  it('includes the search without the page when exporting filtered rows', () => {
    expect(exportQuery(LIST, 'filtered')).toEqual({
      is_finished: 0,
      search: 'web',
      order: '-ip',
      ...FILE,
    });
  });

  it('names the set when exporting selected rows', () => {
    expect(exportQuery(LIST, 'selected', 'set')).toEqual({ is_finished: 0, spm: 'set', ...FILE });
  });

  it('offers selected rows only with a selection, and filtered rows only with a query', () => {
    expect(possibleRanges(LIST)).toEqual({ all: true, selected: false, filtered: true });
    expect(possibleRanges({ query: { search: '' }, selected: ['a'] })).toEqual({
      all: true,
      selected: true,
      filtered: false,
    });
  });
});
