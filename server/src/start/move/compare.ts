import type pg from 'pg';
import { StartError } from '../../config.ts';
import type { TableCopy } from '../backup/tables.ts';

type Client = Pick<pg.ClientBase, 'query'>;

/** Returns the number of rows and a sum of their digests, which does not depend on the order. */
async function contentOf(client: Client, { name, columns }: TableCopy): Promise<string> {
  const { rows } = await client.query<{ content: string }>(
    `select query_to_xml(format(
        'select count(*) as n,
           sum((''x'' || left(md5(t::text), 15))::bit(60)::bigint) as digest
         from (select %s from %I) t',
        (select string_agg(quote_ident(one), ', ' order by place)
         from unnest($1::text[]) with ordinality as list (one, place)),
        $2::text), true, false, '')::text as content`,
    [columns, name],
  );
  return String(rows[0]?.content);
}

/**
 * Names constraints, indexes, triggers, columns and sequences with their state. Definitions come
 * from the same migrations, and releases of PostgreSQL print them differently.
 */
const STRUCTURE = `
  select format('constraint %s of %s%s', conname, conrelid::regclass,
      case when convalidated then '' else ' (not valid)' end) as part
    from pg_constraint
    where connamespace = 'public'::regnamespace and conrelid <> 0
      and contype in ('c', 'f', 'p', 'u', 'x')
  union all
  select format('index %s of %s%s', indexrelid::regclass, indrelid::regclass,
      case when indisvalid then '' else ' (not valid)' end)
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = 'public'::regnamespace
  union all
  select format('trigger %s of %s (%s)', tgname, tgrelid::regclass, tgenabled)
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal
  union all
  select format('function %s', p.oid::regprocedure)
    from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
  union all
  select format('column %s of %s: %s%s', attname, attrelid::regclass,
      format_type(atttypid, atttypmod), case when attnotnull then ' not null' else '' end)
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
      and attnum > 0 and not attisdropped
  union all
  select format('sequence %s: %s', sequencename, last_value)
    from pg_sequences where schemaname = 'public'`;

async function structureOf(client: Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ part: string }>(STRUCTURE);
  return new Set(rows.map(({ part }) => part));
}

/**
 * Compares a copy with its original: rows of all tables, and the parts of the schema.
 *
 * @throws StartError that names the first difference
 */
export async function assertEqual(
  source: Client,
  target: Client,
  tables: readonly TableCopy[],
): Promise<void> {
  for (const table of tables) {
    const [original, copy] = [await contentOf(source, table), await contentOf(target, table)];
    if (original !== copy)
      throw new StartError(
        `The rows of ${table.name} are not equal in both databases. Nothing was moved.`,
      );
  }
  const [original, copy] = [await structureOf(source), await structureOf(target)];
  const missing = [...original].find((part) => !copy.has(part));
  if (missing !== undefined)
    throw new StartError(`The new database lacks ${missing}. Nothing was moved.`);
  const unknown = [...copy].find((part) => !original.has(part));
  if (unknown !== undefined)
    throw new StartError(
      `The database lacks ${unknown}, which the new one has. Nothing was moved.`,
    );
}
