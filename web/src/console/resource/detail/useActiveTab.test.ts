import { describe, expect, it } from 'vitest';
import { chooseTab, tabIn, withTab } from './useActiveTab.ts';

describe('the open tab', () => {
  it('chooses the tab by query, then cookie, then default', () => {
    const names = ['Detail', 'Rules'];
    expect(chooseTab(names, 'Rules', 'Detail')).toBe('Rules');
    expect(chooseTab(names, 'Gone', 'Rules')).toBe('Rules');
    expect(chooseTab(names, undefined, 'OfOtherPage')).toBe('Detail');
    expect(chooseTab([], undefined, undefined)).toBe('');
  });

  it('keeps the tab for each kind of page and not for its object', () => {
    const [one, other] = ['00000000-0000-4000-8000-000000000001', crypto.randomUUID()];
    const cookie = withTab(undefined, `/assets/assets/${one}`, 'Activity');
    expect(tabIn(cookie, `/assets/assets/${other}`)).toBe('Activity');
    expect(tabIn(cookie, `/tickets/tickets/${one}`)).toBeUndefined();
    const both = withTab(cookie, '/users/profile', 'API');
    expect([tabIn(both, `/assets/assets/${one}`), tabIn(both, '/users/profile')]).toEqual([
      'Activity',
      'API',
    ]);
  });

  it('ignores the value of an earlier version and keeps the cookie small', () => {
    expect(tabIn('Activity', '/users/profile')).toBeUndefined();
    let cookie = 'Activity';
    for (let kind = 0; kind < 100; kind += 1) cookie = withTab(cookie, `/kind/${kind}`, 'Tab');
    expect(tabIn(cookie, '/kind/99')).toBe('Tab');
    expect(tabIn(cookie, '/kind/1')).toBeUndefined();
    expect(cookie.length).toBeLessThan(800);
  });
});
