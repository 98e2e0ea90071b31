import { Button, Group, Textarea } from '@mantine/core';
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

/** Comments on a ticket, or closes it without a decision. */
export function TicketReply({ ticket: row, refresh }: TicketReplyProps) {
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
        {row.type !== 'emergency' && (
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
