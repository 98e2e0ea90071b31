import { describe, expect, it } from 'vitest';
import {
  canShowBeside,
  NO_TABS,
  nextTabs,
  shownTabs,
  type TabsEvent,
  type TabsState,
} from './tabs-state.ts';

const asset = (hostname: string) => ({ id: `id-${hostname}`, hostname, ip: '10.0.0.1' });
const run = (events: readonly TabsEvent[], from: TabsState = NO_TABS) =>
  events.reduce(nextTabs, from);
const three = run([
  { type: 'open', id: 'a', asset: asset('web') },
  { type: 'open', id: 'b', asset: asset('db') },
  { type: 'open', id: 'c', asset: asset('web') },
]);
const ids = (state: TabsState) => state.tabs.map(({ id }) => id);

describe('the row of tabs', () => {
  it('names a second tab of the same host apart and puts it in front', () => {
    expect(three.tabs.map(({ title }) => title)).toEqual(['web', 'db', 'web (2)']);
    expect(three.active).toBe('c');
  });

  it('opens a duplicate next to its origin', () => {
    expect(ids(run([{ type: 'open', id: 'd', asset: asset('web'), after: 'a' }], three))).toEqual([
      'a',
      'd',
      'b',
      'c',
    ]);
  });

  it('goes back to the tab used before when the one in front closes', () => {
    const state = run(
      [
        { type: 'activate', id: 'a' },
        { type: 'close', ids: ['a'] },
      ],
      three,
    );
    expect(state.active).toBe('c');
    expect(run([{ type: 'close', ids: ['b', 'c'] }], state)).toEqual(NO_TABS);
  });

  it('leaves the tab in front alone when another closes', () => {
    expect(run([{ type: 'close', ids: ['a'] }], three)).toMatchObject({
      active: 'c',
      used: ['c', 'b'],
    });
  });

  it('steps around the ends and jumps by number, and a number without a tab does nothing', () => {
    expect(run([{ type: 'step', by: 1 }], three).active).toBe('a');
    expect(
      run(
        [
          { type: 'step', by: 1 },
          { type: 'step', by: -1 },
        ],
        three,
      ).active,
    ).toBe('c');
    expect(run([{ type: 'number', number: 2 }], three).active).toBe('b');
    expect(run([{ type: 'number', number: 9 }], three)).toBe(three);
  });

  it('renames, but not to nothing', () => {
    expect(run([{ type: 'rename', id: 'b', title: '  primary ' }], three).tabs[1]?.title).toBe(
      'primary',
    );
    expect(run([{ type: 'rename', id: 'b', title: '   ' }], three)).toBe(three);
  });

  it('moves a tab', () => {
    expect(ids(run([{ type: 'move', id: 'c', to: 0 }], three))).toEqual(['c', 'a', 'b']);
    expect(ids(run([{ type: 'move', id: 'a', to: 2 }], three))).toEqual(['b', 'c', 'a']);
  });

  it("marks what happens behind one's back until one looks; a bell outlasts output", () => {
    const noticed = run(
      [
        { type: 'notice', id: 'a', unseen: 'output' },
        { type: 'notice', id: 'b', unseen: 'bell' },
        { type: 'notice', id: 'b', unseen: 'output' },
      ],
      three,
    );
    expect(noticed.tabs.map(({ unseen }) => unseen)).toEqual(['output', 'bell', 'none']);
    expect(run([{ type: 'notice', id: 'c', unseen: 'bell' }], three)).toBe(three);
    expect(run([{ type: 'activate', id: 'b' }], noticed).tabs[1]?.unseen).toBe('none');
  });
});

describe('tabs side by side', () => {
  const split = run(
    [
      { type: 'activate', id: 'a' },
      { type: 'beside', id: 'b' },
    ],
    three,
  );

  it('shows a split while one of its tabs is in front', () => {
    expect(shownTabs(split)).toEqual(['a', 'b']);
    expect(split.active).toBe('b');
    const other = run([{ type: 'activate', id: 'c' }], split);
    expect(shownTabs(other)).toEqual(['c']);
    expect(shownTabs(run([{ type: 'activate', id: 'a' }], other))).toEqual(['a', 'b']);
  });

  it('splits at most four tabs, each once', () => {
    const many = run(
      ['d', 'e'].map((id) => ({ type: 'open', id, asset: asset(id) }) as const),
      split,
    );
    const full = run(
      [
        { type: 'activate', id: 'a' } as const,
        ...['c', 'd', 'e', 'c'].map((id) => ({ type: 'beside', id }) as const),
      ],
      many,
    );
    expect(full.split).toEqual(['a', 'b', 'c', 'd']);
    expect(canShowBeside(full, 'e')).toBe(false);
    expect(run([{ type: 'beside', id: 'nobody' }], split)).toBe(split);
  });

  it('ends a split when one tab is left', () => {
    const together = run([{ type: 'together', on: true }], split);
    expect(together.together).toBe(true);
    for (const event of [
      { type: 'close', ids: ['a'] },
      { type: 'alone', id: 'a' },
    ] as const) {
      expect(run([event], together)).toMatchObject({ split: [], together: false, active: 'b' });
    }
  });

  it('types into all tabs only while all of them are visible', () => {
    const together = run([{ type: 'together', on: true }], split);
    expect(run([{ type: 'activate', id: 'a' }], together).together).toBe(true);
    expect(run([{ type: 'activate', id: 'c' }], together).together).toBe(false);
    expect(run([{ type: 'together', on: true }], three).together).toBe(false);
  });

  it('marks no visible tab', () => {
    expect(run([{ type: 'notice', id: 'a', unseen: 'bell' }], split)).toBe(split);
    expect(run([{ type: 'notice', id: 'c', unseen: 'bell' }], split)).not.toBe(split);
  });
});
