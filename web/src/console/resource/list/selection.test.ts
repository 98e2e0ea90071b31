import { describe, expect, it, vi } from 'vitest';
import { createSelection } from './selection.ts';

const row = (id: string) => ({ id });
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe('the selection of a list', () => {
  it('outlives the page it was made on', () => {
    const selection = createSelection<{ readonly id: string }>();
    selection.toggle(row('a'));
    selection.togglePage([row('b'), row('c')], true);
    expect(ids(selection.rows())).toEqual(['a', 'b', 'c']);
    // The heading of the second page takes away what is on that page only.
    selection.togglePage([row('b'), row('c')], false);
    expect(ids(selection.rows())).toEqual(['a']);
    selection.toggle(row('a'));
    expect(selection.has('a')).toBe(false);
  });

  it('tells its listeners of each change, and keeps the list it gave until then', () => {
    const selection = createSelection<{ readonly id: string }>();
    const listener = vi.fn();
    const stop = selection.subscribe(listener);
    expect(selection.rows()).toBe(selection.rows());
    selection.togglePage([row('a'), row('b')], true);
    selection.clear();
    stop();
    selection.toggle(row('c'));
    expect(listener).toHaveBeenCalledTimes(2);
  });

  it('is a set of more rows than are held here until one of them is taken away', () => {
    const selection = createSelection<{ readonly id: string }>();
    selection.toggle(row('a'));
    selection.chooseSet({ spm: 'set', count: 23_000, query: 'search=web' });
    expect([selection.count(), selection.rows(), selection.has('any')]).toEqual([23_000, [], true]);
    selection.toggle(row('b'));
    expect([selection.count(), selection.set(), selection.has('b')]).toEqual([0, undefined, false]);
    selection.chooseSet({ spm: 'set', count: 2, query: '' });
    selection.togglePage([row('a')], false);
    expect(selection.count()).toBe(0);
  });
});
