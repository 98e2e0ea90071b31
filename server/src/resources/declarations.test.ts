import {
  AUDIT_KINDS,
  choicesOf,
  type Field,
  heldByOrganizations,
  parseBody,
  RESOURCES,
  type Resource,
} from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleInput } from '../http/openapi/examples.ts';
import { sql } from '../platform/db/sql.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { columnOf, linkOf } from './read/columns.ts';
import { isKey } from './read/list-query.ts';

let test: TestProgram;
/** Columns by table. */
let tables: Map<string, Set<string>>;
/** Keys of unique indexes of whole tables, by table. */
let indexes: Map<string, string[]>;
beforeAll(async () => {
  test = await startTestProgram();
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select table_name as name, array_agg(column_name::text) as columns
    from information_schema.columns where table_schema = 'public' group by 1`.execute(test.db);
  tables = new Map(rows.map(({ name, columns }) => [name, new Set(columns)]));
  const unique = await sql<{ name: string; columns: string[] }>`
    select indrelid::regclass::text as name, array_agg((
      select string_agg(a.attname, ',' order by k.place)
      from unnest(i.indkey) with ordinality k (column_number, place)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.column_number
      where k.place <= i.indnkeyatts)) as columns
    from pg_index i where indisunique and indpred is null and indexprs is null
    group by 1`.execute(test.db);
  indexes = new Map(unique.rows.map(({ name, columns }) => [name, columns]));
});
afterAll(() => test.stop());

const mounted = (resource: Resource) => {
  const engine = test.program.engines.get(resource.name);
  if (!engine) throw new Error(`${resource.name} is not mounted`);
  return engine;
};
const linkTables = (resource: Resource) =>
  Object.entries(resource.fields).flatMap(([name, { kind }]) =>
    kind === 'many' ? [linkOf(resource, name, test.program.engines)] : [],
  );

/** Fields that a hook removes from the body. */
const NOT_STORED: Readonly<Record<string, readonly string[]>> = {
  access_key: ['password'],
  agent: ['password'],
  ssh_key: ['password'],
  system_user: ['auto_generate_key'],
  user: ['password_strategy'],
};

/** Returns true if the field is a column, unless a hook has an expression for it. */
const isStored = ({ kind }: Field) => kind !== 'many' && kind !== 'computed';

describe.each(RESOURCES.map((resource) => [resource.name, resource] as const))(
  'the declaration of %s is complete:',
  (_name, resource) => {
    it('has a unique index on each key by which a page may be found', () => {
      const keys = Object.keys(resource.fields).filter((name) => isKey(resource, name));
      for (const name of keys) {
        const field = resource.fields[name];
        const isOfOrganization = field?.kind === 'text' && field.unique === 'org';
        expect(indexes.get(resource.table)).toContain(isOfOrganization ? `org_id,${name}` : name);
      }
    });

    it('has a table with a column for every stored field', () => {
      const { hooks } = mounted(resource);
      const columns = tables.get(resource.table) ?? new Set();
      const expected = Object.entries(resource.fields).flatMap(([name, field]) =>
        isStored(field) && !hooks.columns?.[name] ? [columnOf(name, field)] : [],
      );
      if (resource.scope === 'org') expected.push('org_id');
      if (resource.scope === 'own') expected.push('user_id');
      const elsewhere = NOT_STORED[resource.name] ?? [];
      expect(
        expected.filter((column) => !columns.has(column) && !elsewhere.includes(column)),
      ).toEqual([]);
    });

    it('has tables for its links', () => {
      const missing = linkTables(resource).filter(
        ({ table, own, other }) => !tables.get(table)?.has(own) || !tables.get(table)?.has(other),
      );
      expect(missing).toEqual([]);
    });

    it('refers to declared resources only', () => {
      const names = RESOURCES.map(({ name }) => name);
      const unknown = Object.entries(resource.fields).filter(
        ([, field]) =>
          (field.kind === 'reference' || field.kind === 'many') && !names.includes(field.target),
      );
      expect(unknown).toEqual([]);
    });

    it('searches exactly the fields that are declared as searched', async () => {
      const searched = Object.entries(resource.fields).flatMap(([name, field]) =>
        field.search ? [columnOf(name, field)] : [],
      );
      const { rows } = await sql<{ expression: string }>`
      select pg_get_expr(d.adbin, d.adrelid) as expression from pg_attrdef d
      join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where d.adrelid = to_regclass(${resource.table}) and a.attname = 'search_text'`.execute(
        test.db,
      );
      const words: string[] = rows[0]?.expression.match(/\b[a-z_]+\b/g) ?? [];
      const columns = [...(tables.get(resource.table) ?? [])].filter((column) =>
        words.includes(column),
      );
      if (searched.length > 0 || rows.length > 0)
        expect(columns.toSorted()).toEqual(searched.toSorted());
    });

    it('has all texts in both languages', () => {
      const labels = Object.values(resource.fields).flatMap((field) => [
        field.label,
        ...(field.help ? [field.help] : []),
        ...(choicesOf(field) ?? []).map(({ label }) => label),
      ]);
      expect(
        [resource.title, ...labels].filter(({ en, zh }) => en.trim() === '' || zh.trim() === ''),
      ).toEqual([]);
    });

    it('accepts its own example', () => {
      for (const variant of [1, 2] as const)
        expect(
          parseBody(resource.fields, exampleInput(resource, variant), 'create').problems,
        ).toEqual({});
    });

    it('blocks the deletion of its organization, or is deleted with it', () => {
      if (resource.scope !== 'org' || resource.access.create === undefined) return;
      expect(heldByOrganizations(RESOURCES).includes(resource)).toBe(
        resource.endsWithOrganization !== true,
      );
    });

    it('has a condition for every list parameter', () => {
      expect(Object.keys(mounted(resource).hooks.filters ?? {}).toSorted()).toEqual(
        [...resource.parameters].toSorted(),
      );
    });

    it('has a name in the operate log if it is audited', () => {
      if (resource.audited) expect(AUDIT_KINDS.map(({ name }) => name)).toContain(resource.name);
    });

    it('says that it feeds the grants when its triggers do', async () => {
      // Links in a column of the other resource belong to that resource.
      const own = [
        resource.table,
        ...linkTables(resource).flatMap(({ table, reverse }) => (reverse ? [] : [table])),
      ];
      const { rows } = await sql<{ name: string }>`
      select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      join pg_proc p on p.oid = t.tgfoid
      where p.prosrc like '%grant_version%' and c.relname = any (${own})`.execute(test.db);
      if (resource.access.create !== undefined || resource.access.update !== undefined)
        expect(rows.length === 0 || resource.feedsGrants === true).toBe(true);
    });
  },
);

it('blocks the deletion of an organization that contains objects of users', () => {
  expect(heldByOrganizations(RESOURCES).map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'user_group',
      'asset',
      'domain',
      'gateway',
      'admin_user',
      'system_user',
      'label',
      'asset_permission',
    ]),
  );
});
