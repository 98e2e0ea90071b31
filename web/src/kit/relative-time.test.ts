import { expect, it } from 'vitest';
import { formatNear, formatWithZone } from './relative-time.ts';

const NOW = new Date('2026-11-20T12:00:00Z');

it('a near moment is a distance, a far one its day, and one that stands for no end is never', () => {
  expect(formatNear('2026-11-20 10:00:00 +0000', NOW)).toMatch(/2/);
  expect(formatNear('2026-01-20 10:00:00 +0000', NOW)).toMatch(/^2026.01.20$/);
  expect(formatNear('2096-01-20 10:00:00 +0000', NOW)).not.toMatch(/2096/);
  expect(formatNear('no date', NOW)).toBe('');
});

it('a whole moment has its time zone', () => {
  expect(formatWithZone('2026-11-20 10:00:00 +0000')).toMatch(/:00:00 UTC[+-]\d/);
});
