import { describe, expect, it } from 'vitest';
import type { SearchRecord } from '../../base/navigation.tsx';
import {
  changed,
  EMPTY_STATE,
  isNarrowed,
  nextOrder,
  pagerPages,
  pagesOf,
  queryOf,
  readState,
  rowsAtFirst,
  sizesOf,
  writeState,
} from './list-state.ts';

describe('the state of a list', () => {
  it('survives a round trip through the address', () => {
    const state = {
      ...EMPTY_STATE,
      page: 3,
      size: 50,
      order: '-ip',
      search: 'web 01',
      filters: { is_active: 'true' },
      dateFrom: '2026-01-01T00:00:01.000Z',
      dateTo: '2026-01-08T23:59:59.000Z',
    };
    const address = Object.fromEntries(
      Object.entries(writeState(state, {})).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
    expect(readState(address)).toEqual(state);
  });

  it('leaves the address empty for the default state', () => {
    expect(
      Object.values(writeState(EMPTY_STATE, {})).filter((value) => value !== undefined),
    ).toEqual([]);
  });

  it('keeps parameters of the page in the address', () => {
    const address = { activeTab: 'OfflineList', node: 'n', other: 'x' };
    const written = writeState(EMPTY_STATE, address, undefined, ['node']);
    expect(written).toMatchObject({ activeTab: 'OfflineList', node: 'n' });
    expect(written.other).toBeUndefined();
    expect(readState(address, undefined, ['node']).filters).toEqual({ other: 'x' });
  });

  it('filters by fields that other pages use as parameters', () => {
    const state = { ...EMPTY_STATE, filters: { domain: 'd', asset: 'a' } };
    expect(readState(writeState(state, {}) as SearchRecord).filters).toEqual(state.filters);
  });

  it.each<SearchRecord>([
    { page: '-1' },
    { page: 'x' },
    { size: '7' },
    { size: '1e9' },
    { date_from: 'yesterday', date_to: 'today' },
    { date_from: '2026-01-01' },
  ])('ignores the invalid values of %j', (address: SearchRecord) => {
    expect(readState(address)).toEqual(EMPTY_STATE);
  });

  it('returns to the first page when the search, filters or size change', () => {
    const state = { ...EMPTY_STATE, page: 4 };
    expect(changed(state, { search: 'a' }).page).toBe(1);
    expect(changed(state, { size: 100 }).page).toBe(1);
    expect(changed(state, { page: 5 }).page).toBe(5);
  });

  it('requests a page by offset', () => {
    expect(queryOf({ ...EMPTY_STATE, page: 3, size: 30 }, { node_id: 'n' })).toMatchObject({
      limit: 30,
      offset: 60,
      node_id: 'n',
    });
  });

  it('starts with the page size from the settings, and offers it among the others', () => {
    expect(['all', 'auto', '10', '50'].map(rowsAtFirst)).toEqual([999, 15, 10, 50]);
    expect(sizesOf(25)).toEqual([15, 25, 30, 50, 100]);
    expect(sizesOf(50)).toEqual([15, 30, 50, 100]);
    expect(readState({}, 10).size).toBe(10);
    expect(readState({ size: '30' }, 10).size).toBe(30);
    expect(readState({ size: '10' }).size).toBe(15);
    const state = { ...EMPTY_STATE, size: 10 };
    expect([writeState(state, {}, 10).size, writeState(state, {}).size]).toEqual([undefined, '10']);
  });

  it('cycles the order through ascending, descending and none', () => {
    expect([
      nextOrder('', 'ip'),
      nextOrder('ip', 'ip'),
      nextOrder('-ip', 'ip'),
      nextOrder('name', 'ip'),
    ]).toEqual(['ip', '-ip', '', 'ip']);
  });

  it('reports whether the user narrowed the list', () => {
    expect(isNarrowed(EMPTY_STATE)).toBe(false);
    expect(isNarrowed({ ...EMPTY_STATE, filters: { ip: '1' } })).toBe(true);
  });

  it('offers at most five pages: the first, the last, and those around the current one', () => {
    expect(pagerPages(1, 9)).toEqual([1, 2, 3, 4, 9]);
    expect(pagerPages(3, 9)).toEqual([1, 2, 3, 4, 9]);
    expect(pagerPages(4, 9)).toEqual([1, 3, 4, 5, 9]);
    expect(pagerPages(5, 9)).toEqual([1, 4, 5, 6, 9]);
    expect(pagerPages(8, 9)).toEqual([1, 6, 7, 8, 9]);
    expect(pagerPages(9, 9)).toEqual([1, 6, 7, 8, 9]);
    expect(pagerPages(1, 6)).toEqual([1, 2, 3, 4, 6]);
    expect(pagerPages(3, 5)).toEqual([1, 2, 3, 4, 5]);
    expect(pagerPages(1, 1)).toEqual([1]);
    expect(pagerPages(1, 2)).toEqual([1, 2]);
    for (const pages of [7, 40, 680])
      for (let page = 1; page <= pages; page++) {
        const numbers = pagerPages(page, pages);
        expect(numbers).toHaveLength(5);
        expect(new Set(numbers).size).toBe(5);
        expect(numbers).toEqual(expect.arrayContaining([1, page, pages]));
      }
    expect([pagesOf(0, 15), pagesOf(15, 15), pagesOf(16, 15)]).toEqual([1, 1, 2]);
  });
});
