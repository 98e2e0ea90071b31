import type { Row, TicketRequest, ticket } from '@sallyport/contract';
import { api } from '../../../../kit/api.ts';
import { askFirst } from '../../../../kit/dialogs/confirm.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { useGo } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { useSession } from '../../../base/session.tsx';
import type { RowAction } from '../../../resource/list/table/RowActions.tsx';
import { asRequested, consequencesOf, missing, requestSentence } from './decisions.ts';
import { isRequest, mayDecide, useAnswers } from './useAnswers.ts';
import { words } from './words.ts';

type Ticket = Row<typeof ticket>;

/**
 * The decisions of a row of tickets. An approval shows what it opens, and leads to the ticket if
 * something must be chosen first.
 */
export function useRowDecisions(): (row: Ticket) => readonly RowAction[] {
  const go = useGo();
  const { profile } = useSession();
  const { accept, grant, askToReject } = useAnswers();

  async function approve(row: Ticket) {
    const { request, suggestion, waits } = isRequest(row)
      ? await api.get<TicketRequest>(`tickets/tickets/${row.id}/request/`)
      : { request: null, suggestion: null, waits: null };
    if (!request) {
      askFirst({
        title: t(words.approveTitle),
        message: row.title,
        confirm: t(words.approve),
        run: () => accept(row),
        success: t(words.approved),
      });
      return;
    }
    const decision = suggestion && asRequested(request, suggestion);
    if (waits || !decision || missing(request, decision)) {
      await go(pagesOf('ticket').detail(row.id));
      return;
    }
    const consequences = consequencesOf(request, decision);
    askFirst({
      title: t(words.approveTitle),
      message: requestSentence(request, suggestion),
      confirm: t(words.approve),
      ...(consequences && { consequences }),
      run: () => grant(request, decision),
    });
  }

  return (row) =>
    mayDecide(row, profile.id)
      ? [
          {
            key: 'approve',
            label: t(words.approve),
            shortcut: 'a',
            run: () => void approve(row).catch(() => undefined),
          },
          {
            key: 'reject',
            label: t(words.reject),
            shortcut: 'r',
            danger: true,
            run: () => askToReject(row),
          },
        ]
      : [];
}
