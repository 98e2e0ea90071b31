import { type DatabaseServerMessage, say, type TransactionState } from '@sallyport/contract';
import type { GatewayPorts } from '../../../ports.ts';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import type { RowChange } from '../../../protocols/sql/row-change.ts';
import type { DatabaseSession } from '../database-session.ts';
import { ownTransaction, query, restore } from '../driver-query.ts';
import { runUndoable } from './change-undo.ts';
import { type ChangeEffect, type ChangeUndo, NoUndo } from './undo-reader.ts';
import { words } from './undo-words.ts';

export interface UndoKeeperParts {
  readonly session: DatabaseSession;
  readonly driver: DatabaseDriver;
  readonly send: (message: DatabaseServerMessage) => void;
  readonly ports: Pick<GatewayPorts, 'undoScripts' | 'log'>;
}

/** A statement that has ended. */
interface EndedStatement {
  readonly run: number;
  readonly words: readonly string[];
  /** The transaction in which it ran. */
  readonly before: TransactionState;
  /** Its number in the session, if it was logged. */
  readonly sequence?: number | undefined;
  readonly isFailed?: boolean;
}

interface PendingScript {
  readonly id: string;
  readonly rows: number;
  readonly sequence: number;
}

/** Stores the undo scripts of a session, and keeps those whose changes are committed. */
export class UndoKeeper {
  private readonly parts: UndoKeeperParts;
  /** The script, or the reason for none, of the statement that runs. */
  private current:
    | { readonly id: string; readonly rows: number }
    | { readonly none: ChangeUndo }
    | undefined;
  /** Scripts of changes that are not committed yet. */
  private pending: PendingScript[] = [];

  constructor(parts: UndoKeeperParts) {
    this.parts = parts;
  }

  /**
   * Runs a change and stores its script: in the open transaction, or in a separate one, which then
   * commits. @throws StatementError
   */
  async around(change: RowChange, execute: () => Promise<ChangeEffect>): Promise<void> {
    const { driver, session } = this.parts;
    const type = session.row.grant.database?.type ?? 'mysql';
    const own = driver.transaction === 'none' ? await ownTransaction(driver, type) : undefined;
    if (own) await query(driver, own.begin);
    try {
      const undo = await runUndoable(change, { driver, type }, execute);
      this.current = await this.store(undo);
      if (own) await query(driver, 'commit');
    } catch (error) {
      if (own && !session.isOver) await restore(driver, 'rollback');
      throw error;
    } finally {
      if (!session.isOver) for (const text of own?.after ?? []) await restore(driver, text);
    }
  }

  /** Keeps or drops scripts after a statement, as it ended their transaction. */
  async settle({
    run,
    words: said,
    before,
    sequence,
    isFailed = false,
  }: EndedStatement): Promise<void> {
    const { current } = this;
    this.current = undefined;
    if (current && 'none' in current) this.sayNone(run, current.none);
    else if (current && sequence !== undefined) this.pending.push({ ...current, sequence });
    else if (current) await this.parts.ports.undoScripts?.drop([current.id]).catch(this.failed);
    if (this.pending.length === 0) return;
    const fate = this.fateOf(said[0] ?? '', before, isFailed);
    if (fate === 'dropped') await this.drop();
    else if (fate === 'kept')
      for (const script of this.pending.splice(0)) await this.keep(run, script);
  }

  /** Deletes the scripts of changes that are not committed. Never rejects. */
  async drop(): Promise<void> {
    const ids = this.pending.splice(0).map(({ id }) => id);
    if (ids.length > 0) await this.parts.ports.undoScripts?.drop(ids).catch(this.failed);
  }

  /** Tells what became of the open changes. A partial rollback drops all scripts. */
  private fateOf(
    first: string,
    before: TransactionState,
    isFailed: boolean,
  ): 'kept' | 'dropped' | 'open' {
    const { driver, session } = this.parts;
    const isOver = driver.transaction === 'none';
    if (first === 'rollback' || first === 'abort') return 'dropped';
    if (isFailed || before === 'failed') return isOver ? 'dropped' : 'open';
    if (first === 'commit' || first === 'end') return 'kept';
    // Other statements of MySQL end a transaction with a commit; PREPARE TRANSACTION does not.
    const isMysql = session.row.grant.database?.type !== 'postgresql';
    if (isMysql && (first === 'begin' || first === 'start')) return 'kept';
    if (!isOver) return 'open';
    return before === 'none' || isMysql ? 'kept' : 'dropped';
  }

  private async store(undo: ChangeUndo): Promise<NonNullable<UndoKeeper['current']> | undefined> {
    if (undo.kind === 'none') return { none: undo };
    // The rows already had these values.
    if (undo.text === '') return undefined;
    try {
      const id = await this.parts.ports.undoScripts?.add(this.parts.session.row, undo);
      return id === undefined ? NOT_STORED : { id, rows: undo.rows };
    } catch (error) {
      this.failed(error);
      return NOT_STORED;
    }
  }

  private async keep(run: number, { id, rows, sequence }: PendingScript): Promise<void> {
    try {
      await this.parts.ports.undoScripts?.keep(id, sequence);
      this.parts.send({ type: 'undo', run, script: id, rows, message: null });
    } catch (error) {
      this.failed(error);
      this.sayNone(run, NOT_STORED.none);
    }
  }

  private sayNone(run: number, undo: ChangeUndo): void {
    if (undo.kind !== 'none') return;
    const { language } = this.parts.session.row.person;
    const reason = say(undo.reason, language, undo.params);
    const message = say(words.none, language, { reason });
    this.parts.send({ type: 'undo', run, script: null, rows: 0, message });
  }

  private readonly failed = (error: unknown): void =>
    this.parts.ports.log.error(
      { session: this.parts.session.row.id, err: error },
      'an undo script could not be stored',
    );
}

const NOT_STORED = { none: new NoUndo(words.notStored).undo };
