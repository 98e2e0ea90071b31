import { type Row, ticket } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { useObjectId } from '../../base/navigation.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { EmergencyCard } from '../emergency/EmergencyCard.tsx';
import { TicketLead } from './decide/TicketLead.tsx';
import { isRequest } from './decide/useAnswers.ts';
import { AssetRequestFacts } from './request/AssetRequestFacts.tsx';
import { useTicketRequest } from './request/about.ts';
import { TicketComments, useComments } from './TicketComments.tsx';
import { TicketReply } from './TicketReply.tsx';
import { words } from './words.ts';

type Ticket = Row<typeof ticket>;

/** The comments on a ticket, with a field for a new one. */
function Comments({
  row,
  refresh,
}: {
  readonly row: Ticket;
  readonly refresh: () => Promise<void>;
}) {
  return (
    <Card title={t(words.comments)}>
      <TicketComments id={row.id}>
        <TicketReply ticket={row} refresh={refresh} />
      </TicketComments>
    </Card>
  );
}

/** The details of an access request next to the comments, which appear together. */
function RequestBody({
  row,
  refresh,
}: {
  readonly row: Ticket;
  readonly refresh: () => Promise<void>;
}) {
  const { data, isPending } = useTicketRequest(row.id);
  if (isPending) return null;
  return (
    <DetailColumns
      left={data?.request && <AssetRequestFacts request={data.request} />}
      right={<Comments row={row} refresh={refresh} />}
    />
  );
}

/** Shows the content for the type of ticket, and the comments. */
function Body({ row, refresh }: { readonly row: Ticket; readonly refresh: () => Promise<void> }) {
  if (isRequest(row)) return <RequestBody row={row} refresh={refresh} />;
  const comments = <Comments row={row} refresh={refresh} />;
  if (row.type !== 'emergency') return comments;
  return (
    <EmergencyCard ticket={row} refresh={refresh}>
      {comments}
    </EmergencyCard>
  );
}

/** Shows one ticket: what it asks for, its decision, its details and comments. */
export function TicketDetail() {
  // Starts these requests in parallel with the ticket.
  const id = useObjectId();
  useComments(id);
  useTicketRequest(id);
  return (
    <DetailPage<Ticket>
      source={ticket}
      lead={(row) => <TicketLead row={row} />}
      tabs={(row, { refresh }) => [
        {
          name: 'TicketDetail',
          label: t(detailWords.overview),
          render: () => <Body row={row} refresh={refresh} />,
        },
      ]}
    />
  );
}
