import type { DatabaseType } from '@sallyport/contract';
import { MAX_UNDO_BYTES } from '../../../limits.ts';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import type { RowChange } from '../../../protocols/sql/row-change.ts';
import { MysqlUndo } from './mysql-undo.ts';
import { PostgresqlUndo } from './postgresql-undo.ts';
import {
  type ChangeEffect,
  type ChangeUndo,
  NoUndo,
  tooLarge,
  type UndoReader,
} from './undo-reader.ts';

/**
 * Runs a change between the two readings of its undo script, in the open transaction.
 * @throws StatementError if the change or a reading fails
 */
export async function runUndoable(
  change: RowChange,
  { driver, type }: { readonly driver: DatabaseDriver; readonly type: DatabaseType },
  execute: () => Promise<ChangeEffect>,
): Promise<ChangeUndo> {
  const Reader = type === 'postgresql' ? PostgresqlUndo : MysqlUndo;
  const reader: UndoReader = new Reader(driver, change);
  const none = await noUndoOf(() => reader.before());
  const effect = await execute();
  if (none) return effect.rows === 0 ? NOTHING : none;
  let text = '';
  const failed = await noUndoOf(async () => {
    text = await reader.after(effect);
    if (Buffer.byteLength(text) > MAX_UNDO_BYTES) throw tooLarge();
  });
  return failed ?? { kind: 'script', rows: effect.rows, text, caution: reader.caution };
}

/** No row has changed: there is nothing to restore. */
const NOTHING: ChangeUndo = { kind: 'script', rows: 0, text: '' };

async function noUndoOf(work: () => Promise<void>): Promise<ChangeUndo | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof NoUndo) return error.undo;
    throw error;
  }
}
