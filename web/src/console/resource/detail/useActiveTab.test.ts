import { describe, expect, it } from 'vitest';
import { chooseTab } from './useActiveTab.ts';

describe('the open tab', () => {
  it('chooses the tab by query, then cookie, then default', () => {
    const names = ['Detail', 'Rules'];
    expect(chooseTab(names, 'Rules', 'Detail')).toBe('Rules');
    expect(chooseTab(names, 'Gone', 'Rules')).toBe('Rules');
    expect(chooseTab(names, undefined, 'OfOtherPage')).toBe('Detail');
    expect(chooseTab([], undefined, undefined)).toBe('');
  });
});
