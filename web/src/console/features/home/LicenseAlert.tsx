import { Alert } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import type { LicenseNotice } from './license-notice.ts';
import { words } from './words.ts';

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
