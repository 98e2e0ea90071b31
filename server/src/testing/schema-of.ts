import type pg from 'pg';

/** Parts of a schema, each as a query that returns one text a row. */
const PARTS = [
  `select concat_ws(' ', 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
     a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity,
     a.attstattarget)
   from pg_attribute a join pg_class c on c.oid = a.attrelid
     left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
     and a.attnum > 0 and not a.attisdropped`,
  `select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid, true))
   from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'`,
  `select concat_ws(' ', 'index', pg_get_indexdef(indexrelid))
   from pg_index join pg_class c on c.oid = indrelid
   where c.relnamespace = 'public'::regnamespace`,
  `select concat_ws(' ', 'trigger', tgrelid::regclass, pg_get_triggerdef(oid, true))
   from pg_trigger where not tgisinternal`,
  // Without the comments and the white space of their bodies.
  `select concat_ws(' ', 'function', proname, pg_get_function_arguments(oid),
     regexp_replace(
       regexp_replace(pg_get_functiondef(oid), '--[^\\n]*', '', 'g'), '\\s+', ' ', 'g'))
   from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'`,
  `select concat_ws(' ', 'rights', relname, relacl, reloptions, relpersistence)
   from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S')`,
];

/** Describes tables, constraints, indexes, triggers, functions and rights, one line each. */
export async function schemaOf(client: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const lines: string[] = [];
  for (const part of PARTS) {
    const { rows } = await client.query<{ concat_ws: string }>(part);
    lines.push(...rows.map(({ concat_ws: line }) => line));
  }
  return lines.toSorted();
}
