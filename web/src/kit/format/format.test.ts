import { describe, expect, it } from 'vitest';
import { formatDuration, secondsBetween } from './format.ts';

describe('durations', () => {
  it.each([
    [0.5, '', ''],
    [1, '', ''],
    [1.5, '1.5 秒', '1.5 s'],
    [60, '60.0 秒', '60.0 s'],
    [90, '1.5 分钟', '1.5 min'],
    [5_400, '1.5 小时', '1.5 h'],
    [1_800, '30.0 分钟', '30.0 min'],
    [125_971_200, '1,458.0 天', '1,458.0 d'],
    [129_600, '1.5 天', '1.5 d'],
  ])('formats %d seconds', (seconds, zh, en) => {
    expect(formatDuration(seconds, 'zh')).toBe(zh);
    expect(formatDuration(seconds, 'en')).toBe(en);
  });

  it('counts seconds across time zones', () => {
    expect(secondsBetween('2026-01-31 08:30:00 +0800', '2026-01-31 00:31:00 +0000')).toBe(60);
    expect(secondsBetween('2026-01-31 08:30:00 +0800', null)).toBeUndefined();
  });
});
