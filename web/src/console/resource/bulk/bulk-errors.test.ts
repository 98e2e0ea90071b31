import { describe, expect, it } from 'vitest';
import { bulkBody, bulkErrors } from './bulk-errors.ts';

const ROWS = [
  { id: '1', name: 'web-1' },
  { id: '2', name: 'web-2' },
];

describe('a refused bulk update', () => {
  it('says once what concerns all rows, and names the rows otherwise', () => {
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

  it('loses nothing that belongs to no field of the dialog', () => {
    expect(
      bulkErrors([{}, { id: ['gone'], non_field_errors: ['no'], empty: [] }], ROWS, ['platform']),
    ).toEqual({
      under: {},
      rest: ['id: web-2: gone', 'web-2: no'],
    });
  });
});

it('sends the ticked fields once for each row, with its id', () => {
  expect(bulkBody(ROWS, { platform: 'Linux', id: 'other' })).toEqual([
    { platform: 'Linux', id: '1' },
    { platform: 'Linux', id: '2' },
  ]);
});
