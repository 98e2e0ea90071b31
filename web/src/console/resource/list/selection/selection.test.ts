import { describe, expect, it, vi } from 'vitest';
import { createSelection } from './selection.ts';

const row = (id: string) => ({ id });
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe('the selection of a list', () => {
  it('keeps the selection across pages', () => {
    const selection = createSelection<{ readonly id: string }>();
    selection.toggle(row('a'));
    selection.togglePage([row('b'), row('c')], true);
    expect(ids(selection.rows())).toEqual(['a', 'b', 'c']);
    // The header of the second page deselects only the rows of that page.
    selection.togglePage([row('b'), row('c')], false);
    expect(ids(selection.rows())).toEqual(['a']);
    selection.toggle(row('a'));
    expect(selection.has('a')).toBe(false);
  });

  it('notifies listeners of each change, and keeps the same array between changes', () => {
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

  it('holds a set of more rows than the list has until one row is deselected', () => {
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
