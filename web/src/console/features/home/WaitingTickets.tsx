import { Text } from '@mantine/core';
import { type Page, parseDatetime, type Row, ticket } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { formatRelative } from '../../../kit/format/relative-time.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconCircleCheck } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { cacheKey, listUrl } from '../../resource/source.ts';
import styles from './Attention.module.css';
import { words } from './words.ts';

/** Tickets that are named; the title counts all. */
const NAMED = 3;
const QUERY = { assign: 1, status: 'open', limit: NAMED } as const;

/** The tickets that wait for the user's answer; their changes arrive by the live channel. */
export function useWaitingTickets() {
  return useQuery({
    queryKey: [...cacheKey(ticket), 'latest', QUERY],
    queryFn: ({ signal }) =>
      api.get<Page<Row<typeof ticket>>>(listUrl(ticket), { query: QUERY, signal, quiet: true }),
  });
}

/** The tickets that wait for the user's answer, as the first item that needs attention. */
export function WaitingTickets({ count, results }: Page<Row<typeof ticket>>) {
  const pages = pagesOf('ticket');
  return (
    <li className={styles.item} data-answer>
      <IconCircleCheck size={16} aria-hidden="true" />
      <div className={styles.what}>
        <PageLink to={pages.list} search={{ activeTab: 'AssignedTicketList' }} fw={600} c="inherit">
          {t(words.ticketsWaiting, { count })}
        </PageLink>
        <ul className={styles.examples}>
          {results.map(({ id, title, date_created: date }) => (
            <li key={id}>
              <PageLink to={pages.detail(id)} className={styles.name ?? ''}>
                {title}
              </PageLink>
              {date && (
                <Text span c="dimmed" fz="xs" title={formatDate(date)}>
                  {formatRelative(parseDatetime(date) ?? new Date(), new Date())}
                </Text>
              )}
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}
