import type { DatabaseType } from '@sallyport/contract';
import { MAX_UNDO_BYTES } from '../../../limits.ts';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import type { RowChange } from '../../../protocols/sql/row-change.ts';
import { PostgresqlUndo } from './postgresql-undo.ts';
import { type ChangeUndo, NoUndo, tooLarge } from './undo-reader.ts';
import { words } from './undo-words.ts';

/**
 * Runs a change between the two readings of its undo script, in the open transaction. `execute`
 * returns the number of changed rows.
 * @throws StatementError if the change or a reading fails
 */
export async function runUndoable(
  change: RowChange,
  { driver, type }: { readonly driver: DatabaseDriver; readonly type: DatabaseType },
  execute: () => Promise<number>,
): Promise<ChangeUndo> {
  const reader = type === 'postgresql' ? new PostgresqlUndo(driver, change) : undefined;
  const none = reader
    ? await noUndoOf(() => reader.before())
    : new NoUndo(words.otherDatabase).undo;
  const rows = await execute();
  if (none || !reader) return none ?? new NoUndo(words.otherDatabase).undo;
  let text = '';
  const failed = await noUndoOf(async () => {
    text = await reader.after(rows);
    if (Buffer.byteLength(text) > MAX_UNDO_BYTES) throw tooLarge();
  });
  return failed ?? { kind: 'script', rows, text };
}

async function noUndoOf(work: () => Promise<void>): Promise<ChangeUndo | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof NoUndo) return error.undo;
    throw error;
  }
}
