import { isUtf8 } from 'node:buffer';
import type { ErrorCode } from '@sallyport/contract';
import { MAX_SENT_STATEMENT, type StatementJournal, whenKnown } from '@sallyport/sql-relays';
import { asksAboutLast } from '../../protocols/sql/last-statement.ts';
import { wordProblem } from '../../refusal.ts';
import type { DatabaseSession } from '../../sessions/database/database-session.ts';

const TEXTS = {
  too_long: 'statement_too_long',
  unknown_message: 'database_command',
  unknown_call: 'database_call',
  read_only: 'statement_read_only',
  pooled: 'database_pooled',
  unanswered: 'session_finished',
} as const satisfies Record<string, ErrorCode>;

/** Adapts a database session to the journal of a relay. */
export function journalOf(session: DatabaseSession): StatementJournal {
  const { language } = session.row.person;
  return {
    decide(bytes) {
      const text = bytes.toString('utf8');
      const decision = isUtf8(bytes)
        ? session.decide(text)
        : session.refuse(text, 'statement_not_utf8');
      return whenKnown(decision, (decided) =>
        whenKnown(session.ready(), () =>
          decided.isAllowed ? { refusal: undefined, ...decided } : { refusal: decided.message },
        ),
      );
    },
    isReadOnly: () => session.isReadOnly,
    isRestricted: () => session.isRestricted,
    asksAboutLast,
    done: ({ statement, rows, milliseconds, error, columns, sample = [] }) =>
      session.command({
        statement,
        rows,
        milliseconds,
        error,
        ...(columns && { preview: { columns, rows: sample } }),
      }),
    written: () => session.written(),
    transfer: (operation, name) => session.transfer(operation, name),
    refuseTransfer: (operation, name, unsent) => session.refuseTransfer(operation, name, unsent),
    active: () => session.worked(),
    mayUpload: () => session.canUpload,
    mayDownload: () => session.canDownload,
    say: (what) =>
      wordProblem({ code: TEXTS[what], params: { max: MAX_SENT_STATEMENT / 1024 } }, language),
  };
}
