import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import type { RowChange } from '../../../protocols/sql/row-change.ts';
import { query } from '../driver-query.ts';
import type { RestoredColumn } from './restored-columns.ts';
import { NoUndo } from './undo-reader.ts';
import { words } from './undo-words.ts';

/** Settings under which texts of values lose nothing and are read as they were written. */
export const SETTINGS: Readonly<Record<string, string>> = {
  standard_conforming_strings: 'on',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  extra_float_digits: '3',
  bytea_output: 'hex',
  array_nulls: 'on',
};

export interface UndoColumn extends RestoredColumn {
  readonly type: string;
  readonly isAlwaysIdentity: boolean;
  readonly isSupported: boolean;
}

interface UndoFacts {
  readonly oid: string;
  /** With its schema, quoted if needed. */
  readonly name: string;
  readonly hasIdentity: boolean;
  readonly refersToItself: boolean;
}

export interface UndoTable extends UndoFacts {
  readonly columns: readonly UndoColumn[];
  readonly keys: readonly UndoColumn[];
}

/** Types whose text is exact. */
const EXACT = [
  ...['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'oid', 'uuid', 'bytea'],
  ...['text', 'varchar', 'bpchar', 'name', 'json', 'jsonb', 'tsvector', 'bit', 'varbit'],
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'],
  ...['inet', 'cidr', 'macaddr', 'macaddr8', 'point', 'lseg', 'box', 'path', 'polygon', 'circle'],
]
  .map((name) => `'${name}'`)
  .join(', ');

/** Reads facts about the table of a change. @throws NoUndo if its rows cannot be restored */
export async function factsOf(driver: DatabaseDriver, change: RowChange): Promise<UndoFacts> {
  const isDelete = change.act === 'delete';
  const [row = []] = await query(
    driver,
    `select c.oid, pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname),
      exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attidentity <> ''
        and not a.attisdropped),
      exists (select from pg_catalog.pg_constraint f where f.contype = 'f' and f.conrelid = c.oid
        and f.confrelid = c.oid),
      c.relkind <> 'r' or exists (select from pg_catalog.pg_inherits i where i.inhparent = c.oid),
      c.relpersistence = 't', c.relrowsecurity,
      exists (select from pg_catalog.pg_constraint k where k.conrelid = c.oid
        and not k.convalidated),
      ${isDelete} and exists (select from pg_catalog.pg_constraint f where f.contype = 'f'
        and f.confrelid = c.oid and f.confdeltype in ('c', 'n', 'd')),
      not pg_catalog.has_any_column_privilege(c.oid, 'UPDATE'),
      pg_catalog.current_setting('server_encoding') = 'SQL_ASCII'
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.oid = '${change.table.replaceAll("'", "''")}'::pg_catalog.regclass`,
  );
  const [oid, name, identity, itself, ...problems] = row;
  const reasons = [
    words.parts,
    words.temporary,
    words.rowSecurity,
    words.unchecked,
    words.cascades,
    words.mayNotLock,
    words.encoding,
  ];
  const reason = reasons.find((_reason, at) => problems[at] !== 'f');
  if (reason || !oid || !name) throw new NoUndo(reason ?? words.parts);
  return { oid, name, hasIdentity: identity === 't', refersToItself: itself === 't' };
}

/** Reads the stored columns of a table, in order. */
export async function columnsOf(driver: DatabaseDriver, oid: string): Promise<UndoColumn[]> {
  const rows = await query(
    driver,
    `with recursive part (number, type) as (
      select attnum, atttypid from pg_catalog.pg_attribute
        where attrelid = ${oid} and attnum > 0 and not attisdropped and attgenerated = ''
      union
      select part.number, coalesce(r.rngsubtype, case when t.typtype = 'd' then t.typbasetype
          else t.typelem end)
        from part join pg_catalog.pg_type t on t.oid = part.type
          left join pg_catalog.pg_range r on r.rngtypid = t.oid
        where t.typtype in ('d', 'r') or t.typcategory = 'A' and t.typelem <> 0),
    leaf as (
      select part.number, pg_catalog.bool_and(t.typtype = 'e'
        or t.typtype = 'b' and t.oid < 16384 and t.typname in (${EXACT})) as exact
      from part join pg_catalog.pg_type t on t.oid = part.type
      where not (t.typtype in ('d', 'r') or t.typcategory = 'A' and t.typelem <> 0)
      group by part.number)
    select pg_catalog.quote_ident(a.attname), a.attname,
      pg_catalog.format_type(a.atttypid, a.atttypmod), leaf.exact, a.attidentity = 'a',
      exists (select from pg_catalog.pg_index i where i.indrelid = a.attrelid and i.indisprimary
        and a.attnum = any (i.indkey)),
      exists (select from pg_catalog.pg_index i where i.indrelid = a.attrelid
        and not i.indisprimary and (i.indisunique or i.indisexclusion)
        and (a.attnum = any (i.indkey) or i.indexprs is not null or i.indpred is not null)),
      exists (select from pg_catalog.pg_constraint f where f.contype = 'f'
        and f.confrelid = a.attrelid and a.attnum = any (f.confkey)
        and f.confupdtype in ('c', 'n', 'd'))
    from pg_catalog.pg_attribute a left join leaf on leaf.number = a.attnum
    where a.attrelid = ${oid} and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by a.attnum`,
  );
  return rows.map(([name, label, type, exact, identity, key, unique, cascades]) => ({
    name: name ?? '',
    label: label ?? '',
    type: type ?? '',
    isSupported: exact === 't',
    isAlwaysIdentity: identity === 't',
    isKey: key === 't',
    isUnique: unique === 't',
    cascades: cascades === 't',
  }));
}
