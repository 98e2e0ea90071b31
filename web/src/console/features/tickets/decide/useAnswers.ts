import { type AssetRequest, FEATURE_TICKET_TYPES, type Row, ticket } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { askFirst } from '../../../../kit/dialogs/confirm.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { t } from '../../../../kit/i18n/index.ts';
import { cacheKey, objectUrl } from '../../../resource/source.ts';
import { commentsOf } from '../TicketComments.tsx';
import { approve, type Decision } from './decisions.ts';
import { words } from './words.ts';

type Ticket = Row<typeof ticket>;

export const isRequest = ({ type }: Ticket) => type === 'request_asset' || type === 'request_app';

/** True for tickets that a feature answers in its own part of the page. */
export const isOfFeature = ({ type }: Ticket) =>
  FEATURE_TICKET_TYPES.some(({ value }) => value === type);

/** True for open tickets that the user can approve or reject here. */
export const mayDecide = (row: Ticket, userId: string) =>
  row.status === 'open' &&
  row.assignees.includes(userId) &&
  row.user !== userId &&
  !isOfFeature(row);

type Answered = Pick<Ticket, 'id' | 'stage'>;

const MOST_REASON = 2_000;

/** The answers to a ticket. Each reads the tickets again: another assignee may have been first. */
export function useAnswers() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: cacheKey(ticket) });
  const after = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } finally {
      await refresh();
    }
  };
  /** The stage lets the server reject an answer to a stage that another reviewer has decided. */
  const close = ({ id, stage }: Answered, action: 'approve' | 'reject') =>
    api.patch(objectUrl(ticket, id), { action, stage });
  return {
    refresh,
    /** Approves a ticket that is no request for access. */
    accept: (row: Answered) => after(() => close(row, 'approve')),
    /** Approves a request with a decision. @throws ApiError */
    grant: (request: AssetRequest, decision: Decision) =>
      after(async () => {
        const { change_set: changeSet } = await approve(request, decision);
        toast.success(t(changeSet ? words.proposed : words.approved));
      }),
    /** Asks for a reason and rejects the ticket. */
    askToReject: (row: Answered & Pick<Ticket, 'title'>) =>
      askFirst({
        title: t(words.rejectTitle),
        message: row.title,
        confirm: t(words.rejectNow),
        danger: true,
        note: { label: t(words.reason), hint: t(words.reasonHint), max: MOST_REASON },
        run: (note) =>
          after(async () => {
            if (note) await api.post(commentsOf(row.id), { body: note });
            await close(row, 'reject');
          }),
        success: t(words.rejected),
      }),
  };
}
