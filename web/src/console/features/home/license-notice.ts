import type { LicenseDetail } from '@sallyport/contract';

const DAY = 86_400_000;
/** Warn this many days before the license ends. */
const DAYS_AHEAD = 7;
/** Warn from this share of the licensed assets. */
const NEARLY_FULL = 0.95;

/** A problem of the license that super administrators must know. */
export type LicenseNotice =
  | { readonly kind: 'over'; readonly date: string }
  | { readonly kind: 'ends'; readonly date: string }
  | { readonly kind: 'full'; readonly used: number; readonly limit: number };

/** The most urgent notice about a license; undefined without a license or a problem. */
export function noticeOf(license: LicenseDetail, now = Date.now()): LicenseNotice | undefined {
  const { expired: date, asset_count: limit, asset_used: used } = license;
  if (date === null) return undefined;
  const end = Date.parse(`${date}T00:00:00Z`) + DAY;
  if (now >= end) return { kind: 'over', date };
  if (end - now < (DAYS_AHEAD + 1) * DAY) return { kind: 'ends', date };
  return limit && used >= limit * NEARLY_FULL ? { kind: 'full', used, limit } : undefined;
}
