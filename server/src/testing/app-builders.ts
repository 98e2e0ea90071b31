import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { unique } from './builders.ts';

interface AppOptions {
  readonly organization?: string;
  readonly name?: string;
}

/** Inserts a remote app. */
export async function buildRemoteApp(
  db: Db,
  { organization = '', name = unique('program'), asset }: AppOptions & { readonly asset: string },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into remote_app (org_id, name, asset_id, type, path, params)
    values (${organization}, ${name}, ${asset}, 'custom', 'C:\\x.exe', '{}') returning id`.execute(
    db,
  );
  return rows[0]?.id ?? '';
}

/** Inserts a database app. */
export async function buildDatabaseApp(
  db: Db,
  {
    organization = '',
    name = unique('database'),
    type = 'mysql',
  }: AppOptions & { readonly type?: string } = {},
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into database_app (org_id, name, type, host)
    values (${organization}, ${name}, ${type}, 'db.example.com') returning id`.execute(db);
  return rows[0]?.id ?? '';
}

export interface AppPermissionOptions extends AppOptions {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly apps?: readonly string[];
  readonly systemUsers?: readonly string[];
  readonly isActive?: boolean;
  readonly start?: Date;
  readonly end?: Date;
}

/** Inserts an application permission. */
export async function buildAppPermission(
  db: Db,
  app: 'remote_app' | 'database_app' | 'cluster',
  options: AppPermissionOptions,
): Promise<string> {
  const rule = `${app}_permission`;
  const { rows } = await sql<{ id: string }>`
    insert into ${sql.table(rule)} (org_id, name, is_active, date_start, date_expired)
    values (${options.organization ?? ''}, ${options.name ?? unique('rule')},
    ${options.isActive ?? true},
      ${options.start ?? new Date(Date.now() - 3_600_000)},
      ${options.end ?? new Date(Date.now() + 3_600_000)}) returning id`.execute(db);
  const id = rows[0]?.id ?? '';
  const links = [
    ['users', 'user_id', options.users],
    ['user_groups', 'user_group_id', options.groups],
    [`${app}s`, `${app}_id`, options.apps],
    ['system_users', 'system_user_id', options.systemUsers],
  ] as const;
  for (const [field, column, ids = []] of links) {
    await sql`
      insert into ${sql.table(`${rule}_${field}`)} (${sql.ref(`${rule}_id`)}, ${sql.ref(column)})
      select ${id}::uuid, o from unnest(${ids}::uuid[]) o`.execute(db);
  }
  return id;
}
