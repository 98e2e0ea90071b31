import { Button, Group, Text, Textarea } from '@mantine/core';
import { type Row, ticket } from '@sallyport/contract';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import { objectUrl } from '../../resource/source.ts';
import { commentsOf } from './TicketComments.tsx';
import styles from './Tickets.module.css';
import { words } from './words.ts';

interface TicketReplyProps {
  readonly ticket: Row<typeof ticket>;
  readonly refresh: () => Promise<void>;
}

/**
 * Answers a ticket. Assignees accept and reject; every user who sees the ticket can close it and
 * comment.
 */
export function TicketReply({ ticket: row, refresh }: TicketReplyProps) {
  const { profile } = useSession();
  const [reply, setReply] = useState('');
  const [busy, setBusy] = useState(false);
  const closed = row.status === 'closed';
  const assigned = row.assignees.includes(profile.id);
  const own = row.user === profile.id;
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
  const answer = (action: 'approve' | 'reject') =>
    act(async () => {
      if (body) await comment();
      await api.patch(objectUrl(ticket, row.id), { action });
    });

  return (
    <div className={styles.reply}>
      <Textarea
        label={t(words.reply)}
        value={reply}
        onChange={(event) => setReply(event.currentTarget.value)}
        disabled={closed}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={10_000}
      />
      {(closed || (assigned && own)) && (
        <Text fz="sm" c="dimmed">
          {closed
            ? t(row.closed_by ? words.ended : words.isClosed, {
                who: row.closed_by,
                how: row.action ? row.action_display : t(words.closed),
              })
            : t(words.own)}
        </Text>
      )}
      <Group gap="xs">
        {/* Emergency access has a separate card: it ends with a review. */}
        {assigned && row.type !== 'emergency' && (
          <>
            {row.type !== 'request_asset' && row.type !== 'request_app' && (
              <Button disabled={closed || own || busy} onClick={() => void answer('approve')}>
                {t(words.accept)}
              </Button>
            )}
            <Button
              color="red"
              variant="light"
              disabled={closed || own || busy}
              onClick={() => void answer('reject')}
            >
              {t(words.reject)}
            </Button>
          </>
        )}
        {row.type !== 'emergency' && (
          <Button
            variant="default"
            disabled={closed || busy}
            onClick={() =>
              void act(() => api.patch(objectUrl(ticket, row.id), { status: 'closed' }))
            }
          >
            {t(words.close)}
          </Button>
        )}
        <Button
          variant="default"
          disabled={closed || busy || !body}
          onClick={() => void act(comment)}
        >
          {t(words.comment)}
        </Button>
      </Group>
    </div>
  );
}
