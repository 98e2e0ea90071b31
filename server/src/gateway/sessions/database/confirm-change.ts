import { type DatabaseServerMessage, type Language, say } from '@sallyport/contract';
import { GUARD_ANSWER_SECONDS } from '../../limits.ts';
import type { DatabaseDriver } from '../../protocols/drivers/driver.ts';
import { type ChangePreview, previewChange } from './change-preview.ts';
import type { StatementQuestion } from './database-client.ts';
import type { DatabaseSession } from './database-session.ts';
import { words } from './preview-words.ts';
import { printable } from './transcript.ts';

/** Maximum columns of a sample, and characters of its values. */
const MOST_COLUMNS = 100;
const MOST_VALUE = 200;

export interface ConfirmChangeParts {
  readonly session: DatabaseSession;
  readonly driver: DatabaseDriver;
  readonly send: (message: DatabaseServerMessage) => void;
  readonly run: number;
  readonly statement: string;
  /** Returns true if the user has stopped the run. */
  readonly isCancelled: () => boolean;
}

/**
 * Shows what a statement changes, and asks the user. Returns false if the statement must not run;
 * it is then in the log. Asks nothing where the account has no previews.
 */
export async function confirmChange(parts: ConfirmChangeParts): Promise<boolean> {
  const { session, driver, send, run, statement, isCancelled } = parts;
  const { database } = session.row.grant;
  if (!database || !session.previewsChanges || driver.transaction === 'failed') return true;
  const preview = await previewChange(statement, database.type, driver);
  if (session.isOver) return false;
  if (!preview) return true;
  const { language } = session.row.person;
  const question: StatementQuestion = {
    message: sayPreview(preview, language),
    seconds: GUARD_ANSWER_SECONDS,
    expects: 'preview',
    ...(preview.kind === 'rows' && { preview: sampleOf(preview) }),
  };
  const mayRun = await session.confirmStatement(statement, question, isCancelled());
  const message = say(words.notConfirmed, language);
  if (!mayRun) send({ type: 'failed', run, message, position: null, is_refused: true });
  return mayRun;
}

function sayPreview(preview: ChangePreview, language: Language): string {
  if (preview.kind === 'unknown')
    return say(words.none, language, { reason: say(preview.reason, language, preview.params) });
  const { change, rows, sample } = preview;
  const lines = [
    say(words[change.act], language, { rows, table: printable(change.table) }),
    ...(change.isEveryRow ? [say(words.everyRow, language)] : []),
    say(words.nothingYet, language),
    ...(sample.length > 0 ? [say(words.first, language)] : []),
  ];
  return lines.join('\n');
}

const sampleOf = ({ columns, sample }: Extract<ChangePreview, { readonly kind: 'rows' }>) => ({
  columns: columns.slice(0, MOST_COLUMNS),
  rows: sample.map((row) =>
    row
      .slice(0, MOST_COLUMNS)
      .map((value) =>
        value !== null && value.length > MOST_VALUE ? `${value.slice(0, MOST_VALUE)}…` : value,
      ),
  ),
});
