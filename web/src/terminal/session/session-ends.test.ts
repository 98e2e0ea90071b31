import { ERRORS, type ErrorCode } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { endOf } from './session-ends.ts';

/** Named by clients of the sign-in, where a session is a browser's. */
const OF_SIGN_IN: readonly ErrorCode[] = ['session_empty'];
const ends = (Object.keys(ERRORS) as ErrorCode[]).filter(
  (code) => /^(connect|session)_/.test(code) && !OF_SIGN_IN.includes(code),
);

describe('how ends are shown', () => {
  it('knows the ends that the contract knows', () => {
    expect(ends.length).toBeGreaterThan(15);
  });

  it.each(ends)('has specific texts for %s', (code) => {
    expect(endOf(code)).not.toBe(endOf('internal'));
  });
});
