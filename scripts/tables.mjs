// Holds the ownership of tables: each is written by one module only; others read it, or call the
// service of its owner.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, isTest } from './imports.mjs';
import { ROOT } from './lib.mjs';

const MIGRATIONS = 'server/src/migrations';

/** Modules below the features that own tables. */
const BELOW = [
  {
    owner: 'server/src/platform/',
    tables: [
      'schema_migration',
      'database_move',
      'job',
      'job_log',
      'job_request',
      'setting',
      'data_key',
      'data_key_server',
      'sm2_key',
      'standby_tick',
    ],
  },
  { owner: 'server/src/resources/', tables: ['resource_set', 'imported_rows', 'deleted_object'] },
  { owner: 'server/src/start/import/', tables: ['import_run', 'import_run_object'] },
];
/**
 * The engine writes the tables of declared resources, by their declarations; a restore writes all
 * rows of a backup; a rotation of keys seals values of all tables again.
 */
const WRITES_ALL = ['server/src/resources/', 'server/src/start/backup/', 'server/src/start/keys/'];

const WRITE =
  /\b(?:insert\s+into|delete\s+from)\s+(?:only\s+)?(\w+|\$\{)|\bupdate\s+(?:only\s+)?(\w+|\$\{[^}]*\})(?:\s+(?:as\s+)?\w+)?\s+set\b/gi;

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** Every module's folder and the tables that it declares in `index.ts`. */
function declaredTables() {
  const indexes = filesBelow('server/src').filter((path) =>
    /^server\/src\/(features\/[^/]+|gateway\/adapters)\/index\.ts$/.test(path),
  );
  return indexes.map((path) => {
    const [, list = ''] = /\btables: \[([^\]]*)\]/.exec(read(path)) ?? [];
    return {
      owner: path.replace('adapters/', '').replace('index.ts', ''),
      tables: [...list.matchAll(/'(\w+)'/g)].map(([, table]) => table),
    };
  });
}

/** The tables that exist after all migrations. */
function existingTables() {
  const tables = new Set(['schema_migration']);
  const files = readdirSync(join(ROOT, MIGRATIONS)).filter((name) => name.endsWith('.sql'));
  for (const file of files.sort()) {
    for (const [, verb, table, renamed] of read(`${MIGRATIONS}/${file}`).matchAll(
      /^\s*(create|drop|alter) (?:unlogged )?table (?:if (?:not )?exists )?(\w+)(?: rename to (\w+))?/gim,
    )) {
      if (verb.toLowerCase() === 'create') tables.add(table);
      else if (verb.toLowerCase() === 'drop') tables.delete(table);
      else if (renamed) tables.add(renamed) && tables.delete(table);
    }
  }
  return tables;
}

/**
 * The tables that the statements of a file write, each with its line; a name that is put in by code
 * is given as `${…`.
 */
export function writesIn(text) {
  return [...text.matchAll(WRITE)].map((match) => ({
    table: match[1] ?? match[2],
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/**
 * Every table without an owner or with two, and every statement that writes another module's table,
 * one line each.
 */
export function findForeignWrites() {
  const owners = [...BELOW, ...declaredTables()];
  const existing = existingTables();
  const ownersOf = (table) =>
    owners.filter(({ tables }) => tables.includes(table)).map(({ owner }) => owner);
  const problems = [...existing].flatMap((table) => {
    const modules = ownersOf(table);
    return modules.length === 1
      ? []
      : [
          `the table ${table} has ${modules.length === 0 ? 'no owner: add it to the `tables` of a module' : `several owners: ${modules.join(', ')}`}`,
        ];
  });
  for (const { owner, tables } of owners)
    for (const table of tables.filter((name) => !existing.has(name)))
      problems.push(`${owner} declares the table ${table}, which does not exist`);
  for (const path of filesBelow('server/src').filter(
    (file) => !isTest(file) && !WRITES_ALL.some((folder) => file.startsWith(folder)),
  )) {
    for (const { table, line } of writesIn(read(path))) {
      const place = `${path}:${line}`;
      if (table.startsWith('${'))
        problems.push(
          `${place}: writes a table whose name is not in the statement; call the service of its owner`,
        );
      else if (existing.has(table) && !ownersOf(table).some((owner) => path.startsWith(owner)))
        problems.push(
          `${place}: writes the table ${table}, which belongs to ${ownersOf(table).join(', ')}`,
        );
    }
  }
  return problems;
}
