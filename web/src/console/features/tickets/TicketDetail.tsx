import { type Row, ticket } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { useObjectId } from '../../base/navigation.tsx';
import { Card, DetailCard, type Fact } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { Moment } from '../../resource/list/Moment.tsx';
import { useTicketRequest } from './request/useTicketRequest.ts';
import { TicketComments, useComments } from './TicketComments.tsx';
import { TicketReply } from './TicketReply.tsx';
import styles from './Tickets.module.css';
import { words } from './words.ts';

// Few tickets are requests for access, and fewer are about emergency access.
const card = () => import('./request/AssetRequestCard.tsx');
const AssetRequestFacts = lazyComponent(() => card().then((module) => module.AssetRequestFacts));
const AssetRequestDecision = lazyComponent(() =>
  card().then((module) => module.AssetRequestDecision),
);

const EmergencyCard = lazyComponent(() =>
  import('../emergency/EmergencyCard.tsx').then((module) => module.EmergencyCard),
);

type Ticket = Row<typeof ticket>;

const FACTS: readonly Fact<Ticket>[] = [
  'user',
  'type_display',
  'status',
  {
    name: 'assignees',
    label: ticket.fields.assignees.label,
    value: ({ assignees_display: names }) => names,
  },
  {
    name: 'assignee',
    label: ticket.fields.assignee.label,
    value: ({ assignee_display: name }) => name || '-',
  },
  'date_created',
];

const isRequest = ({ type }: Ticket) => type === 'request_asset' || type === 'request_app';

/** What a request for access asks for. What is below comes with it, so that nothing moves. */
function RequestFacts({ row, children }: { readonly row: Ticket; readonly children: ReactNode }) {
  const { data, isPending } = useTicketRequest(row.id);
  if (isPending) return null;
  return (
    <Loading>
      {data?.request && <AssetRequestFacts request={data.request} />}
      {children}
    </Loading>
  );
}

/** Granting a request for access, for those who may, and what is below. */
function RequestDecision({
  row,
  refresh,
  children,
}: {
  readonly row: Ticket;
  readonly refresh: () => Promise<void>;
  readonly children: ReactNode;
}) {
  const { data, isPending } = useTicketRequest(row.id);
  if (isPending) return null;
  if (!data?.request) return children;
  return (
    <Loading>
      <AssetRequestDecision request={data.request} suggestion={data.suggestion} refresh={refresh}>
        {children}
      </AssetRequestDecision>
    </Loading>
  );
}

/** What belongs to the kind of a ticket, above what was said about it. */
function Answer({
  row,
  refresh,
  children,
}: {
  readonly row: Ticket;
  readonly refresh: () => Promise<void>;
  readonly children: ReactNode;
}) {
  if (isRequest(row)) {
    return (
      <RequestDecision row={row} refresh={refresh}>
        {children}
      </RequestDecision>
    );
  }
  if (row.type !== 'emergency') return children;
  return (
    <Loading>
      <EmergencyCard ticket={row} refresh={refresh}>
        {children}
      </EmergencyCard>
    </Loading>
  );
}

/** What the requester wrote, below what the request names. */
function Body({ row }: { readonly row: Ticket }) {
  const body = (
    <Card title={t(words.body)}>
      <div className={styles.text}>{row.body}</div>
    </Card>
  );
  return isRequest(row) ? <RequestFacts row={row}>{body}</RequestFacts> : body;
}

/** One ticket: what is asked, what was said about it, and the answer. */
export function TicketDetail() {
  // Together with the ticket, not after it.
  const id = useObjectId();
  useComments(id);
  useTicketRequest(id);
  return (
    <DetailPage<Ticket>
      source={ticket}
      nameOf={({ user_display: user }) => user}
      tabs={(row, { refresh }) => [
        {
          name: 'TicketDetail',
          label: t(words.detail),
          render: () => (
            <DetailColumns
              left={
                <>
                  <DetailCard
                    source={ticket}
                    object={row}
                    title={row.title}
                    facts={[
                      ...FACTS,
                      ...(row.date_closed
                        ? [
                            'action_display' as const,
                            {
                              name: 'date_closed',
                              label: ticket.fields.date_closed.label,
                              value: () => <Moment date={String(row.date_closed)} exact />,
                            },
                          ]
                        : []),
                    ]}
                  />
                  <Body row={row} />
                </>
              }
              right={
                <Answer row={row} refresh={refresh}>
                  <Card title={t(words.comments)}>
                    <TicketComments id={row.id}>
                      <TicketReply ticket={row} refresh={refresh} />
                    </TicketComments>
                  </Card>
                </Answer>
              }
            />
          ),
        },
      ]}
    />
  );
}
