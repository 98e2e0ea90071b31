import { describe, expect, it } from 'vitest';
import { stateOf } from './State.tsx';

const NOW = new Date('2026-11-20T12:00:00Z');
const at = (text: string) => `2026-11-${text} +0000`;
const FAR = '2096-01-01 00:00:00 +0000';

describe('the state of what lasts', () => {
  it.each([
    ['active', { is_active: true, date_expired: FAR }, true],
    ['without an end', { is_active: true, date_expired: null }, true],
    ['disabled', { is_active: false, date_expired: FAR }, false],
    ['expired', { is_active: true, date_expired: at('17 12:00:00') }, false],
    [
      'not yet started',
      { is_active: true, date_start: at('21 12:00:00'), date_expired: FAR },
      false,
    ],
  ])('returns the state of an object that is %s', (_, lasting, isOn) => {
    const state = stateOf(lasting, NOW);
    expect(state.isOn).toBe(isOn);
    expect(state.text).not.toMatch(/[{}]/);
  });

  it('tells a period that begins later from one that has ended', () => {
    expect(
      stateOf({ is_active: true, date_start: at('21 12:00:00'), date_expired: FAR }, NOW).isLater,
    ).toBe(true);
    expect(
      stateOf({ is_active: true, date_expired: at('17 12:00:00') }, NOW).isLater,
    ).toBeUndefined();
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
