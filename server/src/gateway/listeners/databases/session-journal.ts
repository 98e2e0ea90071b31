import type { ErrorCode } from '@sallyport/contract';
import { MAX_SENT_STATEMENT, MAX_STATEMENT } from '../../limits.ts';
import { statementsOf } from '../../protocols/sql/statements.ts';
import type { Dialect } from '../../protocols/sql/tokens.ts';
import { wordProblem } from '../../refusal.ts';
import type { DatabaseSession } from '../../sessions/database/database-session.ts';
import type { StatementJournal } from './journal.ts';

const TEXTS = {
  too_long: 'statement_too_long',
  unknown_message: 'database_command',
  unknown_call: 'database_call',
} as const satisfies Record<string, ErrorCode>;

/** What a relay asks, answered by the session of a database. */
export function journalOf(session: DatabaseSession, dialect: Dialect): StatementJournal {
  const { language } = session.row.person;
  return {
    async refusalOf(text) {
      const decision = await session.decide(text);
      await session.ready();
      return decision.isAllowed ? undefined : decision.message;
    },
    // A long text was not read: it is one entry of the log.
    cut: (text) => (text.length > MAX_STATEMENT ? [text] : statementsOf(text, dialect).map((statement) => statement.text)),
    done: ({ statement, rows, milliseconds, error, columns, sample = [] }) =>
      session.command({ statement, rows, milliseconds, error, ...(columns && { preview: { columns, rows: sample } }) }),
    written: () => session.written(),
    transfer: (operation, name) => session.transfer(operation, name),
    refuseTransfer: (operation, name, unsent) => session.refuseTransfer(operation, name, unsent),
    active: () => session.worked(),
    mayUpload: () => session.canUpload,
    mayDownload: () => session.canDownload,
    say: (what) => wordProblem({ code: TEXTS[what], params: { max: MAX_SENT_STATEMENT / 1024 } }, language),
  };
}
