import type { LicenseDetail } from '@sallyport/contract';

const DAY = 86_400_000;
/** So long before its end a license is spoken of. */
const DAYS_AHEAD = 7;
/** From this share of the assets on. */
const NEARLY_FULL = 0.95;

/** What super administrators should know of the license before it is too late. */
export type LicenseNotice =
  | { readonly kind: 'over'; readonly date: string }
  | { readonly kind: 'ends'; readonly date: string }
  | { readonly kind: 'full'; readonly used: number; readonly limit: number };

/** The most pressing notice about a license; undefined when there is nothing to say, as without one. */
export function noticeOf(license: LicenseDetail, now = Date.now()): LicenseNotice | undefined {
  const { expired: date, asset_count: limit, asset_used: used } = license;
  if (date === null) return undefined;
  const end = Date.parse(`${date}T00:00:00Z`) + DAY;
  if (now >= end) return { kind: 'over', date };
  if (end - now < (DAYS_AHEAD + 1) * DAY) return { kind: 'ends', date };
  return limit && used >= limit * NEARLY_FULL ? { kind: 'full', used, limit } : undefined;
}
