import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

/** Role of the program: owns its database and the objects in it, without superuser rights. */
export const APPLICATION_ROLE = 'sallyport';
/** The superuser of initdb, which only creates the application role. */
export const SETUP_ROLE = 'sallyport_setup';
/** Database of the embedded PostgreSQL. */
export const DATABASE = 'postgres';

const TEMPORARY_ROLE = 'sallyport_rename';

/** Passwords of both roles, stored in files of the data folder with mode 600. */
export interface Passwords {
  readonly application: string;
  readonly setup: string;
}

const fileOf = (dataDirectory: string, role: keyof Passwords) =>
  join(dataDirectory, role === 'setup' ? 'postgres.setup-password' : 'postgres.password');

/** Returns the password of a role; undefined before the first start. */
export function readPassword(dataDirectory: string, role: keyof Passwords): string | undefined {
  const file = fileOf(dataDirectory, role);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Reads both passwords and generates missing ones. */
export function ensurePasswords(dataDirectory: string): Passwords {
  const ensure = (role: keyof Passwords) => {
    const known = readPassword(dataDirectory, role);
    if (known) return known;
    const password = randomBytes(24).toString('hex');
    writeFileSync(fileOf(dataDirectory, role), password, { mode: 0o600 });
    return password;
  };
  return { application: ensure('application'), setup: ensure('setup') };
}

/** Creates the application role if it does not exist. */
export async function prepareRoles(client: pg.Client, passwords: Passwords): Promise<void> {
  const { rows } = await client.query<{ rolcreatedb: boolean }>(
    'select rolcreatedb from pg_roles where rolname = $1',
    [APPLICATION_ROLE],
  );
  // Folders of earlier versions have a role without this right.
  if (rows[0]?.rolcreatedb === false) await client.query(`alter role ${APPLICATION_ROLE} createdb`);
  if (rows.length > 0) return;
  await inTransaction(client, () => createApplicationRole(client, passwords));
}

async function createApplicationRole(client: pg.Client, passwords: Passwords): Promise<void> {
  await client.query(
    `create role ${APPLICATION_ROLE} login createdb password ${client.escapeLiteral(passwords.application)}`,
  );
  // Restore drills create a database.
  // The owner of the database may create schemas and trusted extensions in it, and owns the schema
  // `public`.
  await client.query(`alter database ${DATABASE} owner to ${APPLICATION_ROLE}`);
}

/**
 * Upgrades a data folder of an earlier version, whose program used the initial superuser. A
 * superuser of initdb cannot lose its rights. It gets another name and password, and a new role
 * takes over its name, its password and its objects in our schemas.
 */
export async function separateRoles(client: pg.Client, passwords: Passwords): Promise<void> {
  await inTransaction(client, async () => {
    // A role cannot rename itself.
    await client.query(`create role ${TEMPORARY_ROLE} superuser`);
    await client.query(`set local session authorization ${TEMPORARY_ROLE}`);
    await client.query(`alter role ${APPLICATION_ROLE} rename to ${SETUP_ROLE}`);
    await client.query(
      `alter role ${SETUP_ROLE} password ${client.escapeLiteral(passwords.setup)}`,
    );
    await createApplicationRole(client, passwords);
    for (const statement of await ownershipStatements(client)) await client.query(statement);
    await client.query('reset session authorization');
    await client.query(`drop role ${TEMPORARY_ROLE}`);
  });
}

/**
 * Returns one statement per object that the superuser still owns. Objects of extensions keep their
 * owner.
 */
async function ownershipStatements(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `with ours as (
       select oid, nspname from pg_namespace
       where nspname !~ '^pg_' and nspname <> 'information_schema'),
     of_extension as (select classid, objid from pg_depend where deptype = 'e')
     select format('alter %s %s owner to %I', kind, name, $1::text) as statement from (
       select 1 as place, 'schema' as kind, format('%I', nspname) as name
         from ours where nspname <> 'public'
       union all
       select 2,
           case relkind
             when 'v' then 'view'
             when 'm' then 'materialized view'
             when 'S' then 'sequence'
             else 'table'
           end,
           c.oid::regclass::text
         from pg_class c join ours on ours.oid = c.relnamespace
        where relkind in ('r', 'p', 'v', 'm', 'S')
          and (relkind <> 'S' or not exists (
            select 1 from pg_depend d
            where d.classid = 'pg_class'::regclass and d.objid = c.oid
              and d.deptype in ('a', 'i')))
          and not exists (
            select 1 from of_extension e
            where e.classid = 'pg_class'::regclass and e.objid = c.oid)
       union all
       select 3, 'routine', p.oid::regprocedure::text
         from pg_proc p join ours on ours.oid = p.pronamespace
        where not exists (
          select 1 from of_extension e
          where e.classid = 'pg_proc'::regclass and e.objid = p.oid)
       union all
       select 4, 'type', t.oid::regtype::text
         from pg_type t join ours on ours.oid = t.typnamespace
        where t.typtype in ('d', 'e', 'r') and not exists (
          select 1 from of_extension e
          where e.classid = 'pg_type'::regclass and e.objid = t.oid)
     ) things order by place`,
    [APPLICATION_ROLE],
  );
  return rows.map((row) => row.statement);
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
