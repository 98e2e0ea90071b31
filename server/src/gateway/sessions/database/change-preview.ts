import type { DatabaseType, LocalText, TextParams } from '@sallyport/contract';
import { MOST_PREVIEWED_ROWS, PREVIEW_MS, PREVIEW_SAMPLE } from '../../limits.ts';
import { type DatabaseDriver, StatementError } from '../../protocols/drivers/driver.ts';
import { type RowChange, rowChangeOf } from '../../protocols/sql/row-change.ts';
import { ownTransaction, query, restore } from './driver-query.ts';
import { isBuiltIn } from './mysql-functions.ts';
import { words } from './preview-words.ts';
import type { Row } from './result-spool.ts';
import { runUndoable } from './undo/change-undo.ts';
import type { ChangeUndo } from './undo/undo-reader.ts';

/** The rows that a statement would change, or the reason why they are unknown. */
export type ChangePreview =
  | {
      readonly kind: 'rows';
      readonly change: RowChange;
      readonly rows: number;
      readonly columns: readonly string[];
      /** The first affected rows, with their present values. */
      readonly sample: readonly Row[];
      /** The undo script of the previewed rows. */
      readonly undo: ChangeUndo;
      /** True if the change waits for a COMMIT of the user. */
      readonly waitsForCommit: boolean;
    }
  | { readonly kind: 'unknown'; readonly reason: LocalText; readonly params?: TextParams };

const unknown = (reason: LocalText, params?: TextParams): ChangePreview => ({
  kind: 'unknown',
  reason,
  ...(params && { params }),
});

/** Ends a preview that has a reason to show nothing. */
class Unknown extends Error {
  readonly preview: ChangePreview;

  constructor(reason: LocalText, params?: TextParams) {
    super('no preview');
    this.preview = unknown(reason, params);
  }
}

/**
 * Previews a statement: runs it in a transaction that is rolled back, or behind a savepoint of the
 * open transaction. Returns undefined for statements that change no existing data.
 * @throws an error if the state before the preview cannot be restored
 */
export async function previewChange(
  statement: string,
  type: DatabaseType,
  driver: DatabaseDriver,
): Promise<ChangePreview | undefined> {
  const isPostgresql = type === 'postgresql';
  const change = rowChangeOf(statement, isPostgresql ? 'postgresql' : 'mysql');
  if (change === 'none') return undefined;
  if (change === 'other') return unknown(words.otherStatement);
  let cancelled: Promise<void> | undefined;
  const timer = setTimeout(() => {
    cancelled = driver.cancel().catch(() => driver.close());
  }, PREVIEW_MS);
  const steps = new PreviewSteps({ driver, type, change, statement });
  try {
    return await steps.within(
      async () => {
        await (isPostgresql ? steps.checkPostgresql() : steps.checkMysql());
        return steps.measure();
      },
      async () => {
        clearTimeout(timer);
        // A cancellation that arrives later would hit the rollback.
        await cancelled;
      },
    );
  } catch (error) {
    if (error instanceof Unknown) return error.preview;
    if (!(error instanceof StatementError)) throw error;
    return cancelled
      ? unknown(words.tooSlow, { seconds: PREVIEW_MS / 1000 })
      : unknown(words.failed, { message: error.message });
  } finally {
    clearTimeout(timer);
  }
}

interface PreviewParts {
  readonly driver: DatabaseDriver;
  readonly type: DatabaseType;
  readonly change: RowChange;
  readonly statement: string;
}

/** The statements of one preview. */
class PreviewSteps {
  private readonly parts: PreviewParts;
  private waitsForCommit = true;

  constructor(parts: PreviewParts) {
    this.parts = parts;
  }

  /** Runs work and undoes its effects. `settle` runs before that. */
  async within<Result>(work: () => Promise<Result>, settle: () => Promise<void>): Promise<Result> {
    const [begin, undo] = await this.frame();
    for (const text of begin) await this.query(text);
    try {
      return await work();
    } finally {
      await settle();
      for (const text of undo) await restore(this.parts.driver, text);
    }
  }

  /** The statements that begin and undo the work. */
  private async frame(): Promise<readonly [begin: readonly string[], undo: readonly string[]]> {
    if (this.parts.driver.transaction === 'open')
      return [
        ['savepoint sallyport_preview'],
        ['rollback to savepoint sallyport_preview', 'release savepoint sallyport_preview'],
      ];
    const own = await ownTransaction(this.parts.driver, this.parts.type);
    this.waitsForCommit = own === undefined;
    return [own ? [own.begin] : [], ['rollback', ...(own?.after ?? [])]];
  }

  /** @throws Unknown if a rollback would not undo the statement, or its target has own rules */
  async checkPostgresql(): Promise<void> {
    const table = literal(this.parts.change.table);
    const [facts] = await this.query(`
      with recursive reached (oid) as (
        select ${table}::pg_catalog.regclass::pg_catalog.oid
        union
        select next.oid from reached, lateral (
          select inhrelid from pg_catalog.pg_inherits where inhparent = reached.oid
          union all
          select conrelid from pg_catalog.pg_constraint
            where contype = 'f' and confrelid = reached.oid
              and (confdeltype in ('c', 'n', 'd') or confupdtype in ('c', 'n', 'd'))
        ) next (oid)
      )
      select
        pg_catalog.bool_and(c.relkind in ('r', 'p')),
        pg_catalog.bool_or(exists (select 1 from pg_catalog.pg_trigger t
          where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> 'D')),
        pg_catalog.bool_or(exists (select 1 from pg_catalog.pg_rewrite r
          where r.ev_class = c.oid and r.ev_type <> '1'))
      from reached join pg_catalog.pg_class c using (oid)`);
    if (facts?.[0] !== 't') throw new Unknown(words.noTable);
    if (facts[1] === 't' || facts[2] === 't') throw new Unknown(words.triggers);
    const names = this.parts.change.calls.map(literal);
    const harmless = HARMLESS.map(literal);
    if (names.length === 0) return;
    const [called] = await this.query(`
      select proname from pg_catalog.pg_proc where provolatile = 'v'
        and proname in (${names.join(', ')}) and proname not in (${harmless.join(', ')})
      limit 1`);
    if (called) throw new Unknown(words.functions, { name: called[0] ?? '' });
  }

  /** @throws Unknown if a rollback would not undo the statement, or its target has own rules */
  async checkMysql(): Promise<void> {
    const name = this.parts.change.calls.find((call) => !isBuiltIn(call));
    if (name !== undefined) throw new Unknown(words.functions, { name });
    const [table = '', schema] = this.parts.change.path.toReversed();
    const place = (prefix: string) =>
      `${prefix}schema = ${schema === undefined ? 'database()' : literal(schema)} and ${prefix}${
        prefix === 'table_' ? 'name' : 'table'
      } = ${literal(table)}`;
    const [facts] = await this.query(
      `select engine from information_schema.tables where table_type = 'BASE TABLE' and ${place('table_')}`,
    );
    if (!facts) throw new Unknown(words.noTable);
    if (!/^(?:innodb|rocksdb|tokudb|ndbcluster)$/i.test(facts[0] ?? ''))
      throw new Unknown(words.noTransactions, { engine: facts[0] ?? '' });
    const [trigger] = await this.query(
      `select 1 from information_schema.triggers where ${place('event_object_')} limit 1`,
    );
    if (trigger) throw new Unknown(words.triggers);
  }

  /** Counts the rows, reads the first ones, and runs the statement. */
  async measure(): Promise<ChangePreview> {
    const { driver, change, statement } = this.parts;
    const counted = Number(await this.value(change.count(MOST_PREVIEWED_ROWS + 1)));
    if (counted > MOST_PREVIEWED_ROWS)
      throw new Unknown(words.tooMany, { max: MOST_PREVIEWED_ROWS });
    const columns: string[] = [];
    const sample: Row[] = [];
    await driver.run(change.select(PREVIEW_SAMPLE), {
      onColumns: (found) => columns.push(...found.map(({ name }) => name)),
      onRow: (row) => void (sample.length < PREVIEW_SAMPLE && sample.push(row)),
      onResult: () => undefined,
    });
    let rows = 0;
    let changed: number | undefined;
    const undo = await runUndoable(change, this.parts, async () => {
      await driver.run(statement, {
        onColumns: () => undefined,
        onRow: () => undefined,
        onResult: (affected, differing) => {
          rows += affected ?? 0;
          changed = differing;
        },
      });
      return { rows, changed };
    });
    const { waitsForCommit } = this;
    return { kind: 'rows', change, rows, columns, sample, undo, waitsForCommit };
  }

  private async value(text: string): Promise<string | null | undefined> {
    return (await this.query(text))[0]?.[0];
  }

  private query(text: string): Promise<Row[]> {
    return query(this.parts.driver, text);
  }
}

/** Volatile functions of PostgreSQL without effects. */
const HARMLESS = ['random', 'gen_random_uuid', 'clock_timestamp', 'timeofday', 'uuidv4', 'uuidv7'];

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
