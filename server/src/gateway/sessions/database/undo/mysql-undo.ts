import type { LocalText } from '@sallyport/contract';
import { inSlices, type Sliced } from '../../../../platform/slices.ts';
import { MOST_UNDO_ROWS } from '../../../limits.ts';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import type { RowChange } from '../../../protocols/sql/row-change.ts';
import { query } from '../driver-query.ts';
import type { Row } from '../result-spool.ts';
import { type MysqlColumn, type MysqlTable, mysqlTableOf } from './mysql-catalog.ts';
import { quoted } from './mysql-values.ts';
import { changedColumns, insertStatements, pairByKey } from './restored-columns.ts';
import { type ChangeEffect, NoUndo, readLimited, type UndoReader } from './undo-reader.ts';
import { words } from './undo-words.ts';

/** Rows that one statement finds by their keys. */
const ROWS_OF_LOOKUP = 200;
/** Functions whose result differs between our reading and the statement. */
const DIFFERENT = ['rand', 'uuid', 'sysdate'];

/**
 * The undo script of a change in MySQL and MariaDB. Its proof: the rows that differ afterwards are
 * as many as the server changed, or no deleted row exists any more.
 */
export class MysqlUndo implements UndoReader {
  private readonly driver: DatabaseDriver;
  private readonly change: RowChange;
  private table: MysqlTable | undefined;
  private old: readonly Row[] = [];

  constructor(driver: DatabaseDriver, change: RowChange) {
    this.driver = driver;
    this.change = change;
  }

  get caution(): LocalText | undefined {
    return this.table?.caution;
  }

  async before(): Promise<void> {
    const { driver, change } = this;
    const different = change.calls.find((call) => DIFFERENT.includes(call.toLowerCase()));
    if (different !== undefined) throw new NoUndo(words.differs, { name: different });
    const table = await mysqlTableOf(driver, change);
    this.table = table;
    this.old = await this.exactly(() =>
      readLimited(
        driver,
        change.lock(
          (row) => table.columns.map(({ name, value }) => value.read(`${row}.${name}`)),
          MOST_UNDO_ROWS + 1,
        ),
      ),
    );
  }

  async after({ rows, changed }: ChangeEffect): Promise<string> {
    const { table, old, change } = this;
    if (!table || old.length !== rows) throw new NoUndo(words.moved);
    if (old.length === 0) return '';
    const present = await this.exactly(() => this.present(table));
    if (change.act === 'delete') {
      if (present.length > 0) throw new NoUndo(words.moved);
      // The server checks references row by row, and knows no order of ours.
      if (table.refersToItself && rows > 1) throw new NoUndo(words.refersToItself);
      return scriptOf(insertsOf(table, old));
    }
    const pairs = pairByKey(table.columns, old, present);
    const differing = pairs.filter((pair) => pair[1] === undefined || differs(pair));
    const statements = updatesOf(table, differing);
    if (differing.length !== changed) {
      // A changed key is the better reason: the user can avoid it.
      await inSlices(statements);
      throw new NoUndo(words.moved);
    }
    return scriptOf(statements);
  }

  /** Reads the rows with the old keys as they are now: a snapshot would not see all changes. */
  private async present(table: MysqlTable): Promise<Row[]> {
    const columns = table.columns.map(({ name, value }) => value.read(name)).join(', ');
    const rows: Row[] = [];
    for (let from = 0; from < this.old.length; from += ROWS_OF_LOOKUP) {
      const keys = this.old
        .slice(from, from + ROWS_OF_LOOKUP)
        .map((row) => `(${equationsOf(table.keys, table, row).join(' and ')})`);
      const text = `select ${columns} from ${table.name} where ${keys.join(' or ')} for update`;
      rows.push(...(await readLimited(this.driver, text)));
    }
    return rows;
  }

  /** Reads in Unicode, then sets the character set of the user again. */
  private async exactly<Result>(read: () => Promise<Result>): Promise<Result> {
    const [[own = null] = []] = await query(this.driver, 'select @@character_set_results');
    const set = (name: string) => query(this.driver, `set character_set_results = ${name}`);
    await set('utf8mb4');
    try {
      return await read();
    } finally {
      await set(own === null || own === '' ? 'null' : quoted(own));
    }
  }
}

const differs = ([before, after]: readonly [before: Row, after: Row | undefined]): boolean =>
  before.some((value, at) => value !== after?.[at]);

/** @throws NoUndo if the value has no literal */
function literal({ value, label }: MysqlColumn, text: string | null | undefined): string {
  if (text === null || text === undefined) return 'null';
  const written = value.literal(text);
  if (written === undefined) throw new NoUndo(words.type, { name: label });
  return written;
}

const equationsOf = (kept: readonly MysqlColumn[], { columns }: MysqlTable, row: Row): string[] =>
  columns.flatMap((column, at) =>
    kept.includes(column) ? [`${column.name} = ${literal(column, row[at])}`] : [],
  );

function insertsOf({ name, columns }: MysqlTable, rows: readonly Row[]): Sliced<string[]> {
  const names = columns.map((column) => column.name).join(', ');
  return insertStatements(['insert into', name, `(${names})`, 'values'].join(' '), rows, {
    literals: (row) => columns.map((column, at) => literal(column, row[at])),
  });
}

/** Sets the changed columns of each row, and those that the server sets, to their old values. */
function* updatesOf(
  table: MysqlTable,
  pairs: readonly (readonly [before: Row, after: Row | undefined])[],
): Sliced<string[]> {
  const statements: string[] = [];
  for (const pair of pairs) {
    yield;
    const changed = changedColumns(table.columns, pair, pairs.length);
    const kept = table.columns.filter((one) => one.isAutomatic || changed.includes(one));
    const set = equationsOf(kept, table, pair[0]).join(', ');
    const where = equationsOf(table.keys, table, pair[0]).join(' and ');
    statements.push(['update', table.name, 'set', set, 'where', `${where};`].join(' '));
  }
  return statements;
}

/** Puts statements into a transaction that reads their values as we wrote them. */
async function scriptOf(statements: Sliced<string[]>): Promise<string> {
  const lines = await inSlices(statements);
  if (lines.length === 0) return '';
  return [
    'set names utf8mb4;',
    'set @undo_zone = @@time_zone, @undo_mode = @@sql_mode;',
    "set time_zone = '+00:00',",
    "  sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES';",
    'start transaction;',
    ...lines,
    'commit;',
    'set time_zone = @undo_zone, sql_mode = @undo_mode;',
    '',
  ].join('\n');
}
