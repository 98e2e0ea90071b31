import { ERRORS, type ErrorCode } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { endOf } from './session-ends.ts';

/** Codes of sign-in sessions, not of connections. */
const OF_SIGN_IN: readonly ErrorCode[] = ['session_empty'];
const ends = (Object.keys(ERRORS) as ErrorCode[]).filter(
  (code) => /^(connect|session)_/.test(code) && !OF_SIGN_IN.includes(code),
);

describe('how ends are shown', () => {
  it('finds more than 15 codes of ends in the contract', () => {
    expect(ends.length).toBeGreaterThan(15);
  });

  it.each(ends)('has specific texts for %s', (code) => {
    expect(endOf(code)).not.toBe(endOf('internal'));
  });
});
