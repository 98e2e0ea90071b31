import { expect, it } from 'vitest';
import { validityOf } from './validity.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const [PAST, AT, LATER] = [
  '2026-11-20 13:59:59 +0200',
  '2026-11-20 12:00:00 +0000',
  '2026-11-20T12:00:01Z',
];

it.each([
  ['valid', true, PAST, LATER],
  ['valid', true, AT, LATER],
  ['valid', true, '', ''],
  ['valid', true, undefined, null],
  ['not_started', true, LATER, '2026-12-01 00:00:00 +0000'],
  ['not_started', true, LATER, null],
  ['expired', true, undefined, AT],
  ['expired', true, PAST, PAST],
  ['expired', false, PAST, AT],
  ['disabled', false, PAST, LATER],
  ['disabled', false, LATER, null],
  ['disabled', false, undefined, null],
  ['valid', true, 'soon', 'some day'],
] as const)('returns %s for active %s, start %s and end %s', (expected, is_active, start, end) => {
  const dates = { ...(start !== undefined && { date_start: start }), date_expired: end };
  expect(validityOf({ is_active, ...dates }, NOW)).toBe(expected);
});
