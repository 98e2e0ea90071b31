import { expect, it } from 'vitest';
import { formatNear, formatRelative, formatWithZone } from './relative-time.ts';

const NOW = new Date('2026-11-20T12:00:00Z');

it('formats a near date as a distance, a far one as its day, and no end as never', () => {
  expect(formatNear('2026-11-20 10:00:00 +0000', NOW)).toMatch(/2/);
  expect(formatNear('2026-01-20 10:00:00 +0000', NOW)).toMatch(/^2026.01.20$/);
  expect(formatNear('2096-01-20 10:00:00 +0000', NOW)).not.toMatch(/2096/);
  expect(formatNear('no date', NOW)).toBe('');
});

it('includes the time zone in a full date', () => {
  expect(formatWithZone('2026-11-20 10:00:00 +0000')).toMatch(/:00:00 UTC[+-]\d/);
});

it('says "just now" within half a minute, and rounds other moments', () => {
  const at = (seconds: number) => formatRelative(new Date(NOW.getTime() + seconds * 1000), NOW);
  // A server may be a few seconds ahead.
  expect([0, -1, -29, 2].map(at)).toEqual(['刚刚', '刚刚', '刚刚', '刚刚']);
  expect([-31, -60, -119].map(at)).toEqual(['1分钟前', '1分钟前', '2分钟前']);
  expect([31, 89].map(at)).toEqual(['1分钟后', '1分钟后']);
  expect([-3600, -86_400].map(at)).toEqual(['1小时前', '昨天']);
});
