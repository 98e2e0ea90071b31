import { ERRORS, type ErrorCode } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { endOf } from './session-ends.ts';

const ends = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => code.startsWith('connect_') || code.startsWith('session_'));

describe('how ends are told', () => {
  it('knows the ends that the contract knows', () => {
    expect(ends.length).toBeGreaterThan(15);
  });

  it.each(ends)('has words of its own for %s', (code) => {
    expect(endOf(code)).not.toBe(endOf('internal'));
  });
});
