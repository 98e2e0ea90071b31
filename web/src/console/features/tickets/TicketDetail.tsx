import { Button, Group, Textarea } from '@mantine/core';
import { type Row, ticket } from '@sallyport/contract';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { useObjectId } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { objectUrl } from '../../resource/source.ts';
import { TicketLead } from './decide/TicketLead.tsx';
import { isOfFeature, isRequest } from './decide/useAnswers.ts';
import { AssetRequestFacts } from './request/AssetRequestFacts.tsx';
import { useTicketRequest } from './request/about.ts';
import { commentsOf, TicketComments, useComments } from './TicketComments.tsx';
import styles from './Tickets.module.css';
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
  const { parts } = useSession();
  if (isRequest(row)) return <RequestBody row={row} refresh={refresh} />;
  const comments = <Comments row={row} refresh={refresh} />;
  const Part = parts.flatMap(({ tickets }) => tickets?.[row.type] ?? [])[0];
  if (!Part) return comments;
  return (
    <Part ticket={row} refresh={refresh}>
      {comments}
    </Part>
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

interface TicketReplyProps {
  readonly ticket: Row<typeof ticket>;
  readonly refresh: () => Promise<void>;
}

/** Comments on a ticket, or closes it without a decision. */
function TicketReply({ ticket: row, refresh }: TicketReplyProps) {
  const { profile } = useSession();
  const [reply, setReply] = useState('');
  const [busy, setBusy] = useState(false);
  const takesPart = row.user === profile.id || row.assignees.includes(profile.id);
  const body = reply.trim();

  /** Refreshes even after an error: another assignee may have answered first. */
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
      setReply('');
      toast.success(t(common.updateSuccess));
    } catch {
      // The request layer shows the error.
    } finally {
      await refresh();
      setBusy(false);
    }
  };
  const comment = () => api.post(commentsOf(row.id), { body });
  // Auditors only read.
  if (row.status === 'closed' || !takesPart) return null;
  return (
    <div className={styles.reply}>
      <Textarea
        label={t(words.reply)}
        value={reply}
        onChange={(event) => setReply(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={10_000}
      />
      <Group gap="xs">
        {!isOfFeature(row) && (
          <Button
            variant="default"
            disabled={busy}
            onClick={() =>
              void act(() => api.patch(objectUrl(ticket, row.id), { status: 'closed' }))
            }
          >
            {t(row.user === profile.id ? words.withdraw : words.close)}
          </Button>
        )}
        <Button variant="default" disabled={busy || !body} onClick={() => void act(comment)}>
          {t(words.comment)}
        </Button>
      </Group>
    </div>
  );
}
