import { describe, expect, it } from 'vitest';
import { isTree, placeRows } from './tree-rows.ts';

interface Branch {
  readonly id: string;
  readonly parentId?: string;
  readonly children?: readonly Branch[];
}

const seen = (rows: readonly Branch[], ...open: string[]) => placeRows(rows, new Set(open)).map(({ row, depth, parent }) => [row.id, depth, parent]);

const NESTED = [
  { id: 'a', children: [{ id: 'b', children: [{ id: 'c' }] }] },
  { id: 'd', children: [] },
];
const NAMED = [{ id: 'a' }, { id: 'b', parentId: 'a' }, { id: 'c', parentId: 'b' }, { id: 'd', parentId: 'elsewhere' }];

describe('rows that are a tree', () => {
  it.each([
    ['carry their children', NESTED],
    ['name their parent', NAMED],
  ])('%s, and unfold one by one', (_, rows) => {
    expect(isTree(rows)).toBe(true);
    expect(seen(rows)).toEqual([
      ['a', 0, true],
      ['d', 0, false],
    ]);
    expect(seen(rows, 'a', 'b')).toEqual([
      ['a', 0, true],
      ['b', 1, true],
      ['c', 2, false],
      ['d', 0, false],
    ]);
    // What is below a closed one stays unseen, open or not.
    expect(seen(rows, 'b')).toEqual([
      ['a', 0, true],
      ['d', 0, false],
    ]);
  });

  it('are told from rows that are none', () => {
    expect(
      isTree([
        { id: 'a', children: [] },
        { id: 'b', parentId: null },
      ]),
    ).toBe(false);
  });

  it('end, even when a row is below itself', () => {
    expect(seen([{ id: 'r' }, { id: 'a', parentId: 'r', children: [{ id: 'r' }] }], 'r', 'a')).toEqual([
      ['r', 0, true],
      ['a', 1, true],
    ]);
  });
});
