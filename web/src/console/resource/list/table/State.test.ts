import { describe, expect, it } from 'vitest';
import { stateOf } from './State.tsx';

const NOW = new Date('2026-11-20T12:00:00Z');
const at = (text: string) => `2026-11-${text} +0000`;
const FAR = '2096-01-01 00:00:00 +0000';

describe('the state of what lasts', () => {
  it.each([
    ['valid', { is_active: true, date_expired: FAR }],
    ['valid', { is_active: true, date_expired: null }],
    ['disabled', { is_active: false, date_expired: FAR }],
    ['expired', { is_active: true, date_expired: at('17 12:00:00') }],
    ['not_started', { is_active: true, date_start: at('21 12:00:00'), date_expired: FAR }],
  ])('returns %s for %o', (validity, lasting) => {
    const state = stateOf(lasting, NOW);
    expect(state.validity).toBe(validity);
    expect(state.text).not.toMatch(/[{}]/);
  });

  it('returns the date that decides the state', () => {
    expect(stateOf({ is_active: true, date_expired: at('17 12:00:00') }, NOW)).toMatchObject({
      date: at('17 12:00:00'),
    });
    expect(
      stateOf({ is_active: true, date_start: at('21 12:00:00'), date_expired: FAR }, NOW),
    ).toMatchObject({ date: at('21 12:00:00') });
  });
});
