import { type DatabaseServerMessage, type Language, say } from '@sallyport/contract';
import { GUARD_ANSWER_SECONDS } from '../../limits.ts';
import type { DatabaseDriver } from '../../protocols/drivers/driver.ts';
import type { RowChange } from '../../protocols/sql/row-change.ts';
import { type ChangePreview, previewChange } from './change-preview.ts';
import type { StatementQuestion } from './database-client.ts';
import type { DatabaseSession } from './database-session.ts';
import { words } from './preview-words.ts';
import { endIfSilent, PREVIEW_END_MS } from './time-limits.ts';
import { printable } from './transcript.ts';
import { words as undoWords } from './undo/undo-words.ts';

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

/** The answer to a preview; `undoable` is the change if its old values are kept as a script. */
export interface ConfirmedChange {
  readonly mayRun: boolean;
  readonly undoable?: RowChange;
}

/**
 * Shows what a statement changes, and asks the user. A statement that must not run is then in the
 * log. Asks nothing where the account has no previews.
 */
export async function confirmChange(parts: ConfirmChangeParts): Promise<ConfirmedChange> {
  const { session, driver, send, run, statement, isCancelled } = parts;
  const { database } = session.row.grant;
  if (session.isOver) return { mayRun: false };
  if (!database || !session.previewsChanges || driver.transaction === 'failed')
    return { mayRun: true };
  const preview = await endIfSilent(session, PREVIEW_END_MS, () =>
    previewChange(statement, database.type, driver),
  );
  if (session.isOver) return { mayRun: false };
  if (!preview) return { mayRun: true };
  const { language } = session.row.person;
  const question: StatementQuestion = {
    message: sayPreview(preview, language),
    seconds: GUARD_ANSWER_SECONDS,
    expects: 'preview',
    ...(preview.kind === 'rows' && { preview: sampleOf(preview), affected: preview.rows }),
  };
  const mayRun = await session.confirmStatement(statement, question, isCancelled());
  const message = say(words.notConfirmed, language);
  if (!mayRun) send({ type: 'failed', run, message, position: null, is_refused: true });
  // A preview of no row can have a script, too: others may add rows before the statement runs.
  const isUndoable = preview.kind === 'rows' && preview.undo.kind === 'script';
  return { mayRun, ...(isUndoable && { undoable: preview.change }) };
}

type RowPreview = Extract<ChangePreview, { readonly kind: 'rows' }>;

/** False if no value changes. */
const keepsScript = ({ undo }: RowPreview) => undo.kind === 'script' && undo.text !== '';

function sayUndo(preview: RowPreview, language: Language): readonly string[] {
  const { undo, rows, waitsForCommit } = preview;
  if (undo.kind === 'none')
    return [say(undoWords.none, language, { reason: say(undo.reason, language, undo.params) })];
  return keepsScript(preview)
    ? [
        say(waitsForCommit ? undoWords.keptOnCommit : undoWords.kept, language, { rows }),
        ...(undo.caution ? [say(undo.caution, language)] : []),
      ]
    : [];
}

function sayPreview(preview: ChangePreview, language: Language): string {
  if (preview.kind === 'unknown')
    return say(words.none, language, { reason: say(preview.reason, language, preview.params) });
  const { change, rows, sample } = preview;
  const lines = [
    say(words[change.act], language, { rows, table: printable(change.table) }),
    ...(change.isEveryRow ? [say(words.everyRow, language)] : []),
    say(words.nothingYet, language),
    ...sayUndo(preview, language),
    ...(sample.length > 0 ? [say(words.first, language)] : []),
  ];
  return lines.join('\n');
}

const sampleOf = ({ columns, sample }: RowPreview) => ({
  columns: columns.slice(0, MOST_COLUMNS),
  rows: sample.map((row) =>
    row
      .slice(0, MOST_COLUMNS)
      .map((value) =>
        value !== null && value.length > MOST_VALUE ? `${value.slice(0, MOST_VALUE)}…` : value,
      ),
  ),
});
