import { inSlices, type Sliced } from '../../../../platform/slices.ts';
import { MOST_UNDO_ROWS } from '../../../limits.ts';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import type { RowChange } from '../../../protocols/sql/row-change.ts';
import { query } from '../driver-query.ts';
import type { Row } from '../result-spool.ts';
import { columnsOf, factsOf, SETTINGS, type UndoTable } from './postgresql-catalog.ts';
import { changedColumns, insertStatements, keyOf, pairByKey } from './restored-columns.ts';
import { type ChangeEffect, NoUndo, readLimited, type UndoReader } from './undo-reader.ts';
import { words } from './undo-words.ts';

/** Functions whose result differs between our reading and the statement. */
const DIFFERENT = ['random', 'clock_timestamp', 'timeofday'];

/**
 * The undo script of a change in PostgreSQL. It is exact or not made: the old versions of the rows
 * must all be replaced, as many as the statement reports.
 */
export class PostgresqlUndo implements UndoReader {
  private readonly driver: DatabaseDriver;
  private readonly change: RowChange;
  private table: UndoTable | undefined;
  /** Old rows: the place of the row in the table, then its columns. */
  private old: readonly Row[] = [];

  constructor(driver: DatabaseDriver, change: RowChange) {
    this.driver = driver;
    this.change = change;
  }

  async before(): Promise<void> {
    const { driver, change } = this;
    const different = change.calls.find((call) => DIFFERENT.includes(call));
    if (different !== undefined) throw new NoUndo(words.differs, { name: different });
    const facts = await factsOf(driver, change);
    const columns = await columnsOf(driver, facts.oid);
    const unsupported = columns.find(({ isSupported }) => !isSupported);
    if (unsupported) throw new NoUndo(words.type, { name: unsupported.label });
    const table = { ...facts, columns, keys: columns.filter(({ isKey }) => isKey) };
    if ((change.act === 'update' ? table.keys : columns).length === 0)
      throw new NoUndo(words.noKey);
    this.table = table;
    const names = ['ctid', ...columns.map(({ name }) => name)];
    this.old = await this.exactly(() =>
      readLimited(
        driver,
        change.lock((row) => names.map((name) => `${row}.${name}`), MOST_UNDO_ROWS + 1),
      ),
    );
  }

  async after({ rows: affected }: ChangeEffect): Promise<string> {
    const { table, old } = this;
    if (!table || old.length !== affected) throw new NoUndo(words.moved);
    if (old.length === 0) return '';
    const places = old.map(([place]) => `"${place}"`).join(',');
    const [left] = await query(
      this.driver,
      `select 1 from only ${table.name} where ctid = any ('{${places}}'::pg_catalog.tid[]) limit 1`,
    );
    if (left) throw new NoUndo(words.moved);
    const rows = old.map((row) => row.slice(1));
    if (this.change.act === 'delete') return scriptOf(insertsOf(table, rows));
    const values = rows.map((row) => keyOf(table.columns, row));
    const present = await this.exactly(() => readLimited(this.driver, selectByKeys(table, values)));
    return scriptOf(updatesOf(table, pairByKey(table.columns, rows, present)));
  }

  /** Reads with settings that lose no digit of a value, then sets those of the user again. */
  private async exactly<Result>(read: () => Promise<Result>): Promise<Result> {
    const names = Object.keys(SETTINGS);
    const [own = []] = await query(
      this.driver,
      `select ${names.map((name) => `pg_catalog.current_setting('${name}')`).join(', ')}`,
    );
    await this.set(names.map((name) => [name, SETTINGS[name] ?? '']));
    try {
      return await read();
    } finally {
      if (this.driver.transaction === 'open')
        await this.set(names.map((name, at) => [name, own[at] ?? '']));
    }
  }

  private async set(values: readonly (readonly [name: string, value: string])[]): Promise<void> {
    // Values of these settings have neither quotes nor backslashes.
    const calls = values.map(
      ([name, value]) => `pg_catalog.set_config('${name}', ${quoted(value)}, true)`,
    );
    await query(this.driver, `select ${calls.join(', ')}`);
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const literal = (value: string | null | undefined): string =>
  value === null || value === undefined ? 'null' : quoted(value);

/** Selects the rows with these keys. */
function selectByKeys({ name, columns, keys }: UndoTable, values: readonly Row[]): string {
  const lines = values.map(
    (row, index) =>
      `(${row
        .map((value, at) =>
          index === 0 ? `cast(${literal(value)} as ${keys[at]?.type})` : literal(value),
        )
        .join(', ')})`,
  );
  const matches = keys.map((key, at) => `t.${key.name} = k.k${at}`);
  return `select ${columns.map((column) => `t.${column.name}`).join(', ')} from only ${name} t
    join (values ${lines.join(', ')}) k (${keys.map((_key, at) => `k${at}`).join(', ')})
      on ${matches.join(' and ')}`;
}

function insertsOf(table: UndoTable, rows: readonly Row[]): Sliced<string[]> {
  const { name, columns, hasIdentity, refersToItself } = table;
  const names = columns.map((column) => column.name).join(', ');
  const values = hasIdentity ? 'overriding system value values' : 'values';
  const into = ['insert into', name, `(${names})`, values].join(' ');
  // One statement checks references between its rows at its end.
  return insertStatements(into, rows, {
    ...(refersToItself && { size: rows.length }),
    literals: (row) => row.map(literal),
  });
}

/** Sets the changed columns of each row to their old values. @throws NoUndo */
function* updatesOf(
  table: UndoTable,
  pairs: readonly (readonly [before: Row, after: Row | undefined])[],
): Sliced<string[]> {
  const { name, columns } = table;
  const statements: string[] = [];
  for (const pair of pairs) {
    yield;
    const [before] = pair;
    const changed = changedColumns(columns, pair, pairs.length);
    const identity = changed.find(({ isAlwaysIdentity }) => isAlwaysIdentity);
    if (identity) throw new NoUndo(words.identityChanges, { name: identity.label });
    if (changed.length === 0) continue;
    const equations = (kept: typeof columns) =>
      columns.flatMap((column, at) =>
        kept.includes(column) ? [`${column.name} = ${literal(before[at])}`] : [],
      );
    const [set, where] = [equations(changed).join(', '), equations(table.keys).join(' and ')];
    statements.push(['update only', name, 'set', set, 'where', `${where};`].join(' '));
  }
  return statements;
}

/** Puts statements into a transaction that reads their values as we wrote them. */
async function scriptOf(statements: Sliced<string[]>): Promise<string> {
  const lines = await inSlices(statements);
  if (lines.length === 0) return '';
  const settings = Object.entries({ client_encoding: 'UTF8', ...SETTINGS }).map(
    ([name, value]) => `set local ${name} = ${quoted(value)};`,
  );
  return ['begin;', ...settings, ...lines, 'commit;', ''].join('\n');
}
