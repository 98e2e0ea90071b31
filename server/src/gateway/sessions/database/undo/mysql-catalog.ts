import type { LocalText } from '@sallyport/contract';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import type { RowChange } from '../../../protocols/sql/row-change.ts';
import { query } from '../driver-query.ts';
import { type MysqlValue, mysqlValueOf, quoted } from './mysql-values.ts';
import type { RestoredColumn } from './restored-columns.ts';
import { NoUndo } from './undo-reader.ts';
import { words } from './undo-words.ts';

export interface MysqlColumn extends RestoredColumn {
  readonly value: MysqlValue;
  /** True if the server sets it with each update of its row. */
  readonly isAutomatic: boolean;
}

export interface MysqlTable {
  /** With its schema, quoted. */
  readonly name: string;
  readonly columns: readonly MysqlColumn[];
  readonly keys: readonly MysqlColumn[];
  readonly refersToItself: boolean;
  /** Effects of the change that may be out of sight. */
  readonly caution: LocalText | undefined;
}

interface Place {
  readonly schema: string;
  readonly table: string;
}

const quotedName = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** Selects the rows of a view of the catalog about the table. */
const about = ({ schema, table }: Place, prefix = ''): string =>
  `${prefix}table_schema = ${quoted(schema)} and ${prefix}table_name = ${quoted(table)}`;

/** Reads the table of a change. @throws NoUndo if its rows cannot be restored */
export async function mysqlTableOf(driver: DatabaseDriver, change: RowChange): Promise<MysqlTable> {
  const place = await placeOf(driver, change);
  const [, definition] = (await query(driver, `show create table ${change.table}`))[0] ?? [];
  if (/^create\s+temporary\b/i.test(definition ?? '')) throw new NoUndo(words.temporary);
  const references = await query(
    driver,
    `select k.referenced_column_name, r.update_rule, r.delete_rule,
      k.table_schema = k.referenced_table_schema and k.table_name = k.referenced_table_name
    from information_schema.key_column_usage k
      join information_schema.referential_constraints r
        on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name
          and r.table_name = k.table_name
    where ${about(place, 'k.referenced_')}`,
  );
  const follows = (rule: string | null | undefined) => /^(?:cascade|set)/i.test(rule ?? '');
  if (change.act === 'delete' && references.some(([, , rule]) => follows(rule)))
    throw new NoUndo(words.cascades);
  const cascading = references.flatMap(([column, rule]) => (follows(rule) ? [column] : []));
  const columns = await columnsOf(driver, place, cascading);
  return {
    name: `${quotedName(place.schema)}.${quotedName(place.table)}`,
    columns,
    keys: columns.filter(({ isKey }) => isKey),
    refersToItself: references.some(([, , , isSame]) => isSame === '1'),
    caution: (await seesTriggers(driver, place)) ? undefined : words.hiddenTriggers,
  };
}

/** Resolves the name of the table as the server stores it. @throws NoUndo if it is ambiguous */
async function placeOf(driver: DatabaseDriver, { path }: RowChange): Promise<Place> {
  const [table = '', schema] = path.toReversed();
  const rows = await query(
    driver,
    `select table_schema, table_name from information_schema.tables where table_name =
      ${quoted(table)} and table_schema = ${schema === undefined ? 'database()' : quoted(schema)}`,
  );
  const [[foundSchema, foundTable] = []] = rows;
  if (!foundSchema || !foundTable || rows.length > 1) throw new NoUndo(words.ambiguous);
  return { schema: foundSchema, table: foundTable };
}

/** Reads the stored columns, in order. @throws NoUndo */
async function columnsOf(
  driver: DatabaseDriver,
  place: Place,
  cascading: readonly (string | null | undefined)[],
): Promise<MysqlColumn[]> {
  const rows = await query(
    driver,
    `select column_name, data_type, column_type, character_set_name, extra
    from information_schema.columns
    where ${about(place)} and coalesce(generation_expression, '') = '' order by ordinal_position`,
  );
  const stored = new Set(rows.map(([name]) => name));
  const indexed = await query(
    driver,
    `select index_name, column_name from information_schema.statistics
    where ${about(place)} and non_unique = 0`,
  );
  const keys = indexed.flatMap(([index, column]) => (index === 'PRIMARY' ? [column] : []));
  if (keys.length === 0 || keys.some((key) => !stored.has(key ?? '')))
    throw new NoUndo(words.noKey);
  const unique = indexed.flatMap(([index, column]) => (index === 'PRIMARY' ? [] : [column]));
  // An expression or a generated column depends on columns that the catalog does not name.
  const isAnyUnique = unique.some((column) => !stored.has(column ?? ''));
  return rows.map(([label, type, definition, charset, extra]) => {
    const isKey = keys.includes(label);
    const value = mysqlValueOf(type ?? '', definition ?? '', charset);
    if (!value) throw new NoUndo(words.type, { name: label ?? '' });
    if (isKey && !value.isFindable) throw new NoUndo(words.keyType, { name: label ?? '' });
    return {
      name: quotedName(label ?? ''),
      label: label ?? '',
      value,
      isKey,
      isUnique: isAnyUnique || unique.includes(label),
      cascades: cascading.includes(label),
      isAutomatic: /on update/i.test(extra ?? ''),
    };
  });
}

/** The server shows triggers only to accounts with a right that they may not have. */
async function seesTriggers(driver: DatabaseDriver, { schema, table }: Place): Promise<boolean> {
  const isOwn = `privilege_type = 'TRIGGER'
    and grantee = concat('''', replace(current_user(), '@', '''@'''), '''')`;
  const inSchema = `${isOwn} and ${quoted(schema)} like table_schema`;
  const [seen] = await query(
    driver,
    `select 1 from information_schema.user_privileges where ${isOwn}
    union select 1 from information_schema.schema_privileges where ${inSchema}
    union select 1 from information_schema.table_privileges
      where ${isOwn} and ${about({ schema, table })}`,
  );
  return seen !== undefined;
}
