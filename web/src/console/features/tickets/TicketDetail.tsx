import { type Row, ticket } from '@sallyport/contract';
import { lazy, Suspense } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { Card, DetailCard, type Fact } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { Moment } from '../../resource/list/Moment.tsx';
import { useAssetRequest } from './request/useAssetRequest.ts';
import { TicketComments } from './TicketComments.tsx';
import { TicketReply } from './TicketReply.tsx';
import styles from './Tickets.module.css';
import { words } from './words.ts';

// Few tickets are requests for access, and fewer are about emergency access.
const card = () => import('./request/AssetRequestCard.tsx');
const AssetRequestFacts = lazy(() => card().then((module) => ({ default: module.AssetRequestFacts })));
const AssetRequestDecision = lazy(() => card().then((module) => ({ default: module.AssetRequestDecision })));

const EmergencyCard = lazy(() => import('../emergency/EmergencyCard.tsx').then((module) => ({ default: module.EmergencyCard })));

type Ticket = Row<typeof ticket>;

const FACTS: readonly Fact<Ticket>[] = [
  'user',
  'type_display',
  'status',
  { name: 'assignees', label: ticket.fields.assignees.label, value: ({ assignees_display: names }) => names },
  { name: 'assignee', label: ticket.fields.assignee.label, value: ({ assignee_display: name }) => name || '-' },
  'date_created',
];

const isRequest = ({ type }: Ticket) => type === 'request_asset' || type === 'request_app';

/** What a request for access asks for; nothing for other tickets. */
function RequestFacts({ row }: { readonly row: Ticket }) {
  const request = useAssetRequest(row.id, isRequest(row));
  if (!request) return null;
  return (
    <Suspense>
      <AssetRequestFacts request={request} />
    </Suspense>
  );
}

/** Granting a request for access, for those who may. */
function RequestDecision({ row, refresh }: { readonly row: Ticket; readonly refresh: () => Promise<void> }) {
  const request = useAssetRequest(row.id, isRequest(row));
  if (!request) return null;
  return (
    <Suspense>
      <AssetRequestDecision key={request.status} request={request} refresh={refresh} />
    </Suspense>
  );
}

/** One ticket: what is asked, what was said about it, and the answer. */
export function TicketDetail() {
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
                            { name: 'date_closed', label: ticket.fields.date_closed.label, value: () => <Moment date={String(row.date_closed)} exact /> },
                          ]
                        : []),
                    ]}
                  />
                  <RequestFacts row={row} />
                  <Card title={t(words.body)}>
                    <div className={styles.text}>{row.body}</div>
                  </Card>
                </>
              }
              right={
                <>
                  <RequestDecision row={row} refresh={refresh} />
                  {row.type === 'emergency' && (
                    <Suspense>
                      <EmergencyCard ticket={row} refresh={refresh} />
                    </Suspense>
                  )}
                  <Card title={t(words.comments)}>
                    <TicketComments id={row.id} />
                    <TicketReply ticket={row} refresh={refresh} />
                  </Card>
                </>
              }
            />
          ),
        },
      ]}
    />
  );
}
