import { describe, expect, it } from 'vitest';
import { bulkBody, bulkErrors } from './useBulkUpdate.ts';

const ROWS = [
  { id: '1', name: 'web-1' },
  { id: '2', name: 'web-2' },
];

describe('a refused bulk update', () => {
  it('reports an error of all rows once, and names the rows of other errors', () => {
    expect(
      bulkErrors(
        [{ platform: ['unknown'], comment: ['too long', 'odd'] }, { platform: ['unknown'] }],
        ROWS,
        ['platform', 'comment'],
      ),
    ).toEqual({
      under: { platform: 'unknown', comment: 'web-1: too long; odd' },
      rest: [],
    });
  });

  it('keeps errors of fields outside the dialog', () => {
    expect(
      bulkErrors([{}, { id: ['gone'], non_field_errors: ['no'], empty: [] }], ROWS, ['platform']),
    ).toEqual({
      under: {},
      rest: ['id: web-2: gone', 'web-2: no'],
    });
  });
});

it('sends the ticked fields once per row, with the row id', () => {
  expect(bulkBody(ROWS, { platform: 'Linux', id: 'other' })).toEqual([
    { platform: 'Linux', id: '1' },
    { platform: 'Linux', id: '2' },
  ]);
});
