import { describe, expect, it } from 'vitest';
import { chooseTab } from './useActiveTab.ts';

describe('the open tab', () => {
  it('is named by query, cookie, default, in this order', () => {
    const names = ['Detail', 'Rules'];
    expect(chooseTab(names, 'Rules', 'Detail')).toBe('Rules');
    expect(chooseTab(names, 'Gone', 'Rules')).toBe('Rules');
    expect(chooseTab(names, undefined, 'OfOtherPage')).toBe('Detail');
    expect(chooseTab([], undefined, undefined)).toBe('');
  });
});
