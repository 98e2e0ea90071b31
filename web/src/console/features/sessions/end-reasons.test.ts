import { ERRORS } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { endReason } from './end-reasons.ts';

const ends = [
  ...Object.keys(ERRORS).filter((code) => /^(connect|session)_/.test(code)),
  'interrupted',
];

describe('why a session ended', () => {
  it.each(ends)('returns a complete text for %s', (code) => {
    const text = endReason({ end_reason: code, asset: 'web-01' });
    expect(text).not.toBe(code);
    expect(text).not.toMatch(/[{}]/);
  });

  it('shows an unknown code unchanged, and a dash without a reason', () => {
    expect(endReason({ end_reason: 'of_a_newer_server', asset: 'web-01' })).toBe(
      'of_a_newer_server',
    );
    expect(endReason({ end_reason: null, asset: 'web-01' })).toBe('');
  });
});
