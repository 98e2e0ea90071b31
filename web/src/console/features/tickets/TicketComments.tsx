import { Text } from '@mantine/core';
import { pathOf, type Row, ticket, ticketComment } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { cacheKey } from '../../resource/source.ts';
import styles from './Tickets.module.css';
import { words } from './words.ts';

/** The path of the comments on a ticket. */
export const commentsOf = (id: string) => `${pathOf(ticketComment, { ticket: id })}/`;

/** Reads the comments on a ticket. */
export function useComments(id: string) {
  return useQuery({
    queryKey: [...cacheKey(ticket), 'comments', id],
    queryFn: ({ signal }) =>
      api.get<readonly Row<typeof ticketComment>[]>(commentsOf(id), { signal, quiet: true }),
  });
}

/**
 * Lists the comments of requester and assignees, oldest first. The children appear after the
 * comments have loaded, so they do not move.
 */
export function TicketComments({
  id,
  children,
}: {
  readonly id: string;
  readonly children: ReactNode;
}) {
  const { data, isPending } = useComments(id);
  if (isPending) return null;
  return (
    <>
      {data && <Written comments={data} />}
      {children}
    </>
  );
}

function Written({ comments }: { readonly comments: readonly Row<typeof ticketComment>[] }) {
  if (comments.length === 0) {
    return (
      <Text className={styles.text ?? ''} c="dimmed" fz="sm">
        {t(words.noComments)}
      </Text>
    );
  }
  return (
    <ul className={styles.list} aria-label={t(words.comments)}>
      {comments.map(({ id: one, user_display: who, date_created: date, body }) => (
        <li key={one}>
          <div className={styles.who}>
            <Text fw={500} fz="sm">
              {who}
            </Text>
            <Text fz="xs" c="dimmed">
              <Moment date={date} />
            </Text>
          </div>
          <p className={styles.comment}>{body}</p>
        </li>
      ))}
    </ul>
  );
}
