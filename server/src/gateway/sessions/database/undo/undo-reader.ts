import type { LocalText, TextParams } from '@sallyport/contract';
import { MAX_UNDO_BYTES, MOST_UNDO_ROWS } from '../../../limits.ts';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import type { Row } from '../result-spool.ts';
import { words } from './undo-words.ts';

/** A script that restores the rows of a change, or the reason why there is none. */
export type ChangeUndo =
  | {
      readonly kind: 'script';
      readonly rows: number;
      readonly text: string;
      /** Effects that the script may not undo. */
      readonly caution?: LocalText | undefined;
    }
  | { readonly kind: 'none'; readonly reason: LocalText; readonly params?: TextParams };

/** Ends the work on a script that is not possible. */
export class NoUndo extends Error {
  readonly undo: ChangeUndo;

  constructor(reason: LocalText, params?: TextParams) {
    super('no undo script');
    this.undo = { kind: 'none', reason, ...(params && { params }) };
  }
}

/** The numbers that the database reports for a change. */
export interface ChangeEffect {
  readonly rows: number;
  /** Rows with new values; undefined if the database does not count them. */
  readonly changed: number | undefined;
}

/** Reads the old values of a change in a dialect, and writes its script. */
export interface UndoReader {
  readonly caution?: LocalText | undefined;
  /** Locks and reads the affected rows. @throws NoUndo */
  before(): Promise<void>;
  /** Compares the rows with the effect, and returns the script. @throws NoUndo */
  after(effect: ChangeEffect): Promise<string>;
}

export const tooLarge = () => new NoUndo(words.tooLarge, { max: MAX_UNDO_BYTES / 1024 / 1024 });

/** Reads rows up to the limits of a script. @throws NoUndo beyond them; StatementError */
export async function readLimited(driver: DatabaseDriver, text: string): Promise<Row[]> {
  const rows: Row[] = [];
  let count = 0;
  let characters = 0;
  await driver.run(text, {
    onColumns: () => undefined,
    onRow(row) {
      count += 1;
      for (const value of row) characters += value?.length ?? 0;
      if (count <= MOST_UNDO_ROWS && characters <= MAX_UNDO_BYTES) rows.push(row);
    },
    onResult: () => undefined,
  });
  if (count > MOST_UNDO_ROWS) throw new NoUndo(words.tooMany, { max: MOST_UNDO_ROWS });
  if (characters > MAX_UNDO_BYTES) throw tooLarge();
  return rows;
}
