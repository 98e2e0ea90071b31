import { describe, expect, it } from 'vitest';
import {
  afterClosing,
  closed,
  closedAll,
  closedOthers,
  handedOver,
  MOST_TABS,
  pinToggled,
  renamed,
  type Tab,
  visited,
} from './tab-list.ts';

const tab = (path: string, affix = false): Tab => ({ path, address: path, title: path, affix });
const home = tab('/dashboard', true);
const paths = (tabs: readonly Tab[]) => tabs.map(({ path }) => path);

describe('visited tabs', () => {
  it('keeps one tab for a path and remembers its last address', () => {
    const tabs = visited(visited([home], tab('/a')), { ...tab('/a'), address: '/a?page=2' });
    expect(paths(tabs)).toEqual(['/dashboard', '/a']);
    expect(afterClosing(tabs)).toBe('/a?page=2');
  });

  it('removes the oldest tab above the limit, but not the affixed or the open one', () => {
    const many = Array.from({ length: MOST_TABS }, (_, index) => tab(`/${index}`));
    const full = many.reduce<readonly Tab[]>(visited, [home]);
    expect(paths(full)).toEqual(['/dashboard', ...paths(many)]);
    expect(paths(visited(full, tab('/new')))).toEqual([
      '/dashboard',
      ...paths(many).slice(1),
      '/new',
    ]);
    expect(paths(visited(full, { ...tab('/0'), title: 'again' }))).toEqual(paths(full));
  });

  it('closes tabs except the affixed one', () => {
    const tabs = [home, tab('/a'), tab('/b'), tab('/c')];
    expect(paths(closed(tabs, '/b'))).toEqual(['/dashboard', '/a', '/c']);
    expect(paths(closed(tabs, '/dashboard'))).toEqual(paths(tabs));
    expect(paths(closedOthers(tabs, '/b'))).toEqual(['/dashboard', '/b']);
    expect(paths(closedAll(tabs))).toEqual(['/dashboard']);
  });

  it('keeps pinned tabs until the user closes them', () => {
    const pinned = pinToggled([home, tab('/a'), tab('/b')], '/a');
    expect(paths(closedOthers(pinned, '/b'))).toEqual(['/dashboard', '/a', '/b']);
    expect(paths(closedAll(pinned))).toEqual(['/dashboard', '/a']);
    const full = Array.from({ length: MOST_TABS }, (_, index) => tab(`/${index}`)).reduce<
      readonly Tab[]
    >(visited, pinned);
    expect(paths(full)).toContain('/a');
    expect(full).toHaveLength(MOST_TABS + 1);
    expect(paths(closedAll(visited(pinned, { ...tab('/a'), address: '/a?page=2' })))).toContain(
      '/a',
    );
    expect(paths(closedAll(pinToggled(pinned, '/a')))).toEqual(['/dashboard']);
    expect(pinToggled([home], '/dashboard')).toEqual([home]);
    expect(paths(closed(pinned, '/a'))).toEqual(['/dashboard', '/b']);
  });

  it('returns the last remaining tab, or the start page without tabs', () => {
    expect(afterClosing([home, tab('/a')])).toBe('/a');
    expect(afterClosing([])).toBe('/');
  });

  it('keeps tabs only for the same user, drops objects of other organizations and titles of other languages', () => {
    const object: Tab = {
      path: '/assets/assets/x',
      address: '/assets/assets/0b1f3c1e-8d5e-4c9c-9a44-0f3a3f1c2d11',
      title: 'host',
      affix: false,
    };
    const tabs = [home, tab('/a'), object];
    const owner = { person: 'p', organization: 'o', language: 'zh' };
    expect(handedOver(tabs, owner, owner)).toEqual(tabs);
    expect(handedOver(tabs, owner, { ...owner, person: 'other' })).toEqual([]);
    expect(handedOver(tabs, undefined, owner)).toEqual([]);
    expect(paths(handedOver(tabs, owner, { ...owner, organization: 'other' }))).toEqual([
      '/dashboard',
      '/a',
    ]);
    expect(handedOver(tabs, owner, { ...owner, language: 'en' }).map(({ title }) => title)).toEqual(
      ['', '', ''],
    );
  });

  it('renames a tab, and returns the same list when the title does not improve', () => {
    const tabs = [tab('/a')];
    expect(renamed(tabs, '/a', 'web-1')[0]?.title).toBe('web-1');
    expect(renamed(tabs, '/a', '/a')).toBe(tabs);
  });
});
