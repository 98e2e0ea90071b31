import { describe, expect, it } from 'vitest';
import { ApiError } from '../kit/api.ts';
import { endsSignIn, viewAfter } from './flow.ts';

describe('the way through a sign-in', () => {
  it('shows the next step', () => {
    const pending = { state: 'mfa_required', username: 'anna', factors: ['totp'] } as const;
    expect(viewAfter(pending)).toEqual({ kind: 'step', pending });
  });

  it('starts with the password', () => {
    expect(viewAfter({ state: 'password', username: '', factors: [] })).toEqual({
      kind: 'password',
    });
    expect(viewAfter({ state: 'password', username: '', factors: [], signed_in: 'Anna' })).toEqual({
      kind: 'password',
      signedIn: 'Anna',
    });
  });

  it('leaves for the requested page of this site, and for no other site', () => {
    expect(viewAfter({ next: '/ui/assets/assets' })).toEqual({
      kind: 'leave',
      next: '/ui/assets/assets',
    });
    expect(viewAfter({ next: '//evil.example' })).toEqual({ kind: 'leave', next: '/ui/' });
  });

  it('shows new recovery codes before it leaves', () => {
    expect(viewAfter({ next: '/ui/', recovery_codes: ['a-b'] })).toEqual({
      kind: 'codes',
      codes: ['a-b'],
      next: '/ui/',
    });
    expect(viewAfter({ next: '/ui/', recovery_codes: [] })).toEqual({
      kind: 'leave',
      next: '/ui/',
    });
  });

  it.each([
    ['session_empty', true],
    ['user_inactive', true],
    ['mfa_failed', false],
    ['mfa_blocked', false],
  ])('returns whether the error %s ends the sign-in: %s', (code, ends) => {
    expect(endsSignIn(new ApiError(400, code, 'refused'))).toBe(ends);
  });
});
