import { expect, it } from 'vitest';
import { formatNear, formatWithZone } from './relative-time.ts';

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
