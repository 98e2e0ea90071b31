import { type Row, ticket } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { useObjectId } from '../../base/navigation.tsx';
import { Card, DetailCard, type Fact } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { useTicketRequest } from './request/about.ts';
import { TicketComments, useComments } from './TicketComments.tsx';
import { TicketReply } from './TicketReply.tsx';
import styles from './Tickets.module.css';
import { words } from './words.ts';

// Loaded on demand: few tickets request access, and fewer are about emergency access.
const AssetRequestFacts = lazyComponent(() =>
  import('./request/AssetRequestFacts.tsx').then((module) => module.AssetRequestFacts),
);
const AssetRequestDecision = lazyComponent(() =>
  import('./request/AssetRequestCard.tsx').then((module) => module.AssetRequestDecision),
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

/**
 * Shows the details of an access request. The children appear together with them, so nothing moves.
 */
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

/** Lets an approver grant an access request, and shows the children below. */
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

/** Shows the content for the type of ticket above the comments. */
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

/** Shows the requester's text below the details of the request. */
function Body({ row }: { readonly row: Ticket }) {
  const body = (
    <Card title={t(words.body)}>
      <div className={styles.text}>{row.body}</div>
    </Card>
  );
  return isRequest(row) ? <RequestFacts row={row}>{body}</RequestFacts> : body;
}

/** Shows one ticket with its request, comments and answer. */
export function TicketDetail() {
  // Starts these requests in parallel with the ticket.
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
