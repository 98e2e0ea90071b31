import { Alert } from '@mantine/core';
import type { LicenseDetail } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { type LicenseNotice, noticeOf } from './license-notice.ts';
import { words } from './words.ts';

function sentence(notice: LicenseNotice): string {
  if (notice.kind === 'over') return t(words.licenseOver, { date: notice.date });
  if (notice.kind === 'ends') return t(words.licenseEnds, { date: notice.date });
  return t(words.licenseFull, { used: notice.used, limit: notice.limit });
}

/** Tells super administrators that the license ends soon, is over, or covers hardly any more assets. */
export function LicenseAlert() {
  const { data } = useQuery({
    queryKey: ['license'],
    queryFn: ({ signal }) => api.get<LicenseDetail>('xpack/license/detail', { signal, quiet: true }),
  });
  const notice = data && noticeOf(data);
  if (!notice) return null;
  return (
    <Alert color={notice.kind === 'over' ? 'red' : 'yellow'} icon={<IconAlertTriangle size={16} />} mb="md" role="status">
      {sentence(notice)}{' '}
      <PageLink to="/settings" search={{ activeTab: 'License' }}>
        {t(words.toLicense)}
      </PageLink>
    </Alert>
  );
}
