import { Skeleton, Text } from '@mantine/core';
import {
  type AttentionExample,
  type AttentionItem,
  type AttentionKind,
  parseDatetime,
} from '@sallyport/contract';
import type { ReactNode } from 'react';
import { formatDate, formatNumber } from '../../../kit/format/format.ts';
import { formatNear, formatRelative } from '../../../kit/format/relative-time.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconCircleCheck } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { screenOf } from '../../base/screen.ts';
import { useSession } from '../../base/session.tsx';
import type { Needs } from '../../base/useAttention.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import detailStyles from '../../resource/detail/Detail.module.css';
import styles from './Attention.module.css';
import { KINDS, listOf, pageOf } from './attention-kinds.ts';
import { useWaitingTickets, WaitingTickets } from './WaitingTickets.tsx';
import { words } from './words.ts';

const GIBIBYTE = 1024 ** 3;

function Example({
  kind,
  example: { id, name, amount, date },
}: {
  readonly kind: AttentionKind;
  readonly example: AttentionExample;
}) {
  const { search, nameFilter } = KINDS[kind];
  const moment = date ? parseDatetime(date) : undefined;
  const page = id && pageOf(KINDS[kind], id);
  const target = page
    ? { to: page }
    : { to: listOf(KINDS[kind]), search: { ...search, ...(nameFilter && { [nameFilter]: name }) } };
  const { screens } = useSession();
  return (
    <li>
      {screenOf(screens, target.to) ? (
        <PageLink {...target} className={styles.name ?? ''}>
          {name}
        </PageLink>
      ) : (
        <span className={styles.name}>{name}</span>
      )}
      <Text span c="dimmed" fz="xs" {...(date && { title: formatDate(date) })}>
        {[
          amount !== null && t(words.failures, { count: amount }),
          moment && formatRelative(moment, new Date()),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </li>
  );
}

function Item({ item: { kind, count, examples } }: { readonly item: AttentionItem }) {
  const { screens } = useSession();
  const { text, urgent = false, search } = KINDS[kind];
  const free = `${formatNumber(Math.round(((examples[0]?.amount ?? 0) / GIBIBYTE) * 10) / 10)} GiB`;
  // Items about the installation have no object, at most a date.
  const objects = examples.filter(({ name }) => name !== '');
  const date = objects.length === 0 ? examples[0]?.date : undefined;
  return (
    <li className={styles.item} {...(urgent && { 'data-urgent': true })}>
      <IconAlertTriangle size={16} aria-hidden="true" />
      <div className={styles.what}>
        {screenOf(screens, listOf(KINDS[kind])) ? (
          <PageLink to={listOf(KINDS[kind])} {...(search && { search })} fw={600} c="inherit">
            {t(text, { count, free })}
          </PageLink>
        ) : (
          <Text span fw={600}>
            {t(text, { count, free })}
          </Text>
        )}
        {date && (
          <Text c="dimmed" fz="xs" title={formatDate(date)}>
            {formatNear(date, new Date())}
          </Text>
        )}
        {objects.length > 0 && (
          <ul className={styles.examples}>
            {objects.map((example) => (
              <Example key={example.id ?? example.name} kind={kind} example={example} />
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

/**
 * Items that need attention, with the first objects of each kind. Content below waits until the
 * height of this list is known.
 */
export function Attention({
  needs: { data: items, isError },
  children,
}: {
  readonly needs: Needs;
  readonly children?: ReactNode;
}) {
  const tickets = useWaitingTickets();
  const waiting = tickets.data?.count ? tickets.data : undefined;
  // Both lists appear together, so that nothing moves.
  const data = tickets.isPending ? undefined : items;
  return (
    <>
      <Card title={t(words.attention)} icon={<IconAlertTriangle size={16} />}>
        {data && (waiting || data.length > 0) && (
          <ul className={styles.list}>
            {waiting && <WaitingTickets {...waiting} />}
            {data.map((item) => (
              <Item key={item.kind} item={item} />
            ))}
          </ul>
        )}
        {!data && !isError && <Skeleton height={120} m="md" w="auto" />}
        {(isError || (data?.length === 0 && !waiting)) && (
          <Text c="dimmed" className={`${detailStyles.body} ${styles.clear}`}>
            {!isError && <IconCircleCheck size={18} aria-hidden="true" />}
            {t(isError ? words.attentionFailed : words.nothingNeeds)}
          </Text>
        )}
      </Card>
      {(data || isError) && children}
    </>
  );
}
