import { describe, expect, it } from 'vitest';
import { afterClosing, closed, closedAll, closedOthers, renamed, type Tab, visited } from './tab-list.ts';

const tab = (path: string, affix = false): Tab => ({ path, address: path, title: path, affix });
const home = tab('/dashboard', true);
const paths = (tabs: readonly Tab[]) => tabs.map(({ path }) => path);

describe('visited tabs', () => {
  it('keep one tab for a path and remember where it stood', () => {
    const tabs = visited(visited([home], tab('/a')), { ...tab('/a'), address: '/a?page=2' });
    expect(paths(tabs)).toEqual(['/dashboard', '/a']);
    expect(afterClosing(tabs)).toBe('/a?page=2');
  });

  it('close, except the affixed', () => {
    const tabs = [home, tab('/a'), tab('/b'), tab('/c')];
    expect(paths(closed(tabs, '/b'))).toEqual(['/dashboard', '/a', '/c']);
    expect(paths(closed(tabs, '/dashboard'))).toEqual(paths(tabs));
    expect(paths(closedOthers(tabs, '/b'))).toEqual(['/dashboard', '/b']);
    expect(paths(closedAll(tabs))).toEqual(['/dashboard']);
  });

  it('lead to the last remaining one, else to the start page', () => {
    expect(afterClosing([home, tab('/a')])).toBe('/a');
    expect(afterClosing([])).toBe('/');
  });

  it('take a better name, and stay the same list when there is none', () => {
    const tabs = [tab('/a')];
    expect(renamed(tabs, '/a', 'web-1')[0]?.title).toBe('web-1');
    expect(renamed(tabs, '/a', '/a')).toBe(tabs);
  });
});
