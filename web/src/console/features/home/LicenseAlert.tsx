import { Alert } from '@mantine/core';
import type { LicenseDetail } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { words } from './words.ts';

const DAY = 86_400_000;

/** Warn this many days before the license ends. */
const DAYS_AHEAD = 7;

/** Warn from this share of the licensed assets. */
const NEARLY_FULL = 0.95;

/** A problem of the license that super administrators must know. */
type LicenseNotice =
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

/** The license notice for super administrators, and the state of its loading. */
export function useLicenseNotice(enabled: boolean): {
  readonly notice: LicenseNotice | undefined;
  readonly isPending: boolean;
} {
  const { data, isPending } = useQuery({
    queryKey: ['license'],
    queryFn: ({ signal }) =>
      api.get<LicenseDetail>('xpack/license/detail', { signal, quiet: true }),
    enabled,
  });
  return { notice: data && noticeOf(data), isPending: enabled && isPending };
}

function sentence(notice: LicenseNotice): string {
  if (notice.kind === 'over') return t(words.licenseOver, { date: notice.date });
  if (notice.kind === 'ends') return t(words.licenseEnds, { date: notice.date });
  return t(words.licenseFull, { used: notice.used, limit: notice.limit });
}

/** Warns super administrators that the license expires soon, has expired, or is nearly full. */
export function LicenseAlert({ notice }: { readonly notice: LicenseNotice }) {
  return (
    <Alert
      color={notice.kind === 'over' ? 'red' : 'yellow'}
      icon={<IconAlertTriangle size={16} />}
      mb="md"
      role="status"
    >
      {sentence(notice)}{' '}
      <PageLink to="/settings" search={{ activeTab: 'License' }}>
        {t(words.toLicense)}
      </PageLink>
    </Alert>
  );
}
