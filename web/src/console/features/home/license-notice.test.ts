import type { LicenseDetail } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { noticeOf } from './LicenseAlert.tsx';

const license = (changes: Partial<LicenseDetail> = {}): LicenseDetail => ({
  is_valid: true,
  subscription_id: 'S-1',
  corporation: 'Example Ltd',
  expired: '2027-01-31',
  asset_count: 100,
  edition: 'enterprise',
  asset_used: 10,
  is_own: false,
  issue_refusal: null,
  ...changes,
});
const on = (date: string) => Date.parse(date);

describe('the notice about a license', () => {
  it('returns no notice without a license, or for a license in order', () => {
    expect(noticeOf(license({ expired: null }))).toBeUndefined();
    expect(noticeOf(license(), on('2027-01-01T00:00:00Z'))).toBeUndefined();
    expect(noticeOf(license({ asset_used: 94 }), on('2027-01-01T00:00:00Z'))).toBeUndefined();
    expect(
      noticeOf(license({ asset_count: 0, asset_used: 5_000 }), on('2027-01-01T00:00:00Z')),
    ).toBeUndefined();
  });

  it('warns from seven days before the last day through that day', () => {
    expect(noticeOf(license(), on('2027-01-23T23:59:59Z'))).toBeUndefined();
    expect(noticeOf(license(), on('2027-01-24T00:00:01Z'))).toEqual({
      kind: 'ends',
      date: '2027-01-31',
    });
    expect(noticeOf(license(), on('2027-01-31T23:59:59Z'))).toEqual({
      kind: 'ends',
      date: '2027-01-31',
    });
  });

  it('reports the end of the license before any other notice', () => {
    expect(noticeOf(license({ asset_used: 100 }), on('2027-02-01T00:00:00Z'))).toEqual({
      kind: 'over',
      date: '2027-01-31',
    });
  });

  it('warns when hardly any assets are left', () => {
    expect(noticeOf(license({ asset_used: 95 }), on('2027-01-01T00:00:00Z'))).toEqual({
      kind: 'full',
      used: 95,
      limit: 100,
    });
  });
});
