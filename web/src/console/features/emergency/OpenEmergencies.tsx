import { Anchor } from '@mantine/core';
import type { OpenEmergency } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { minutesLeft } from '../../../kit/format/relative-time.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../../kit/icons.ts';
import { watchAddress } from '../../base/addresses.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf, summaryNamed } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { cacheKey } from '../../resource/source.ts';
import styles from './OpenEmergencies.module.css';
import { words } from './words.ts';

const EVERY = 15_000;

/**
 * Lists open emergency access above every page, with links to watch; renders nothing while none is
 * open.
 */
export function OpenEmergencies({ className = '' }: { readonly className?: string }) {
  const { screens } = useSession();
  const { data = [] } = useQuery({
    // A duty without tickets may not read them.
    enabled: screens.some(({ resource }) => resource === 'ticket'),
    queryKey: [...cacheKey(summaryNamed('ticket')), 'emergency'],
    queryFn: ({ signal }) =>
      api.get<readonly OpenEmergency[]>('tickets/emergency/', { signal, quiet: true }),
    refetchInterval: EVERY,
  });
  const [first] = data;
  if (!first) return null;
  return (
    <aside className={`${className} ${styles.notice}`} aria-label={t(words.access)}>
      <IconAlertTriangle size={16} aria-hidden="true" />
      <strong role="status">{t(words.openCount, { count: data.length })}</strong>
      <PageLink to={pagesOf('ticket').detail(first.ticket)}>
        {first.user_display} → {first.asset_display}
      </PageLink>
      <span>{t(words.minutesLeft, { count: minutesLeft(first.date_expired) })}</span>
      {first.session && (
        <Anchor fz="inherit" href={watchAddress(first.session)} target="_blank" rel="noopener">
          {t(words.watch)}
        </Anchor>
      )}
      {data.length > 1 && (
        <PageLink to={pagesOf('ticket').list} search={{ activeTab: 'AssignedTicketList' }}>
          {t(words.all, { count: data.length })}
        </PageLink>
      )}
    </aside>
  );
}
