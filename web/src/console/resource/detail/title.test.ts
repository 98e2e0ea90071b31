import { describe, expect, it } from 'vitest';
import { detailTitle } from './useResourceDetail.ts';

describe('the title of a detail page', () => {
  it('joins the screen title without the word Detail and the name', () => {
    expect(detailTitle('Asset detail', 'web-1(10.0.0.1)')).toBe('Asset: web-1(10.0.0.1)');
    expect(detailTitle('资产详情', 'web-1')).toBe('资产: web-1');
    expect(detailTitle('Asset detail', '')).toBe('Asset');
  });

  it('cuts the title at eighty characters', () => {
    const title = detailTitle('用户详情', '名'.repeat(100));
    expect([...title]).toHaveLength(83);
    expect(title.endsWith('...')).toBe(true);
  });
});
