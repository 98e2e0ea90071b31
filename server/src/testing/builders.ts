import { randomBytes } from 'node:crypto';
import { DUTY, type Duty } from '@sallyport/contract';
import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { cheapHash } from './cheap-hash.ts';
import { buildFactor } from './second-factors.ts';
import type { Credentials } from './sign-in.ts';

const PASSWORD = 'a password of the tests 1';

export function unique(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}

/** Inserts an organization. */
export async function buildOrganization(db: Db, name = unique('organization')): Promise<string> {
  const { rows } = await sql<{
    id: string;
  }>`insert into organization (name) values (${name}) returning id`.execute(db);
  return rows[0]?.id ?? '';
}

export interface UserOptions {
  readonly username?: string;
  readonly role?: 'Admin' | 'User' | 'Auditor';
  /** Sets the role that the duty needs, and a second factor for `bearer`. */
  readonly duty?: Duty;
  readonly isActive?: boolean;
  readonly dateExpired?: Date;
  /** The first one is the home organization. */
  readonly memberOf?: readonly {
    readonly organization: string;
    readonly role: 'Admin' | 'Auditor' | 'User';
  }[];
}

export interface BuiltUser extends Credentials {
  readonly id: string;
}

/** Inserts an account that can sign in. */
export async function buildUser(db: Db, options: UserOptions = {}): Promise<BuiltUser> {
  const { username = unique('user'), duty } = options;
  const role = duty ? DUTY[duty].role : (options.role ?? 'User');
  const { rows } = await sql<{ id: string }>`
    insert into account (name, username, email, password, role, duty, mfa_level, is_active,
      date_expired, date_password_last_updated, home_organization_id)
    values (${`Name of ${username}`}, ${username}, ${`${username}@example.com`},
      ${await cheapHash(PASSWORD)}, ${role}, ${duty ?? ''}, ${duty ? 2 : 0},
      ${options.isActive ?? true},
      ${options.dateExpired ?? null}, now(), ${options.memberOf?.[0]?.organization ?? null})
    returning id`.execute(db);
  const id = rows[0]?.id ?? '';
  if (duty) await buildFactor(db, id);
  for (const { organization, role } of options.memberOf ?? [])
    await sql`insert into organization_member (organization_id, user_id, role) values (${organization}, ${id}, ${role})`.execute(
      db,
    );
  return { id, username, password: PASSWORD };
}

/** Inserts a group with members. */
export async function buildGroup(
  db: Db,
  users: readonly string[],
  organization = '',
): Promise<string> {
  const { rows } = await sql<{
    id: string;
  }>`insert into user_group (org_id, name) values (${organization}, ${unique('group')}) returning id`.execute(
    db,
  );
  const id = rows[0]?.id ?? '';
  await sql`insert into user_group_users (user_group_id, user_id) select ${id}::uuid, u from unnest(${users}::uuid[]) u`.execute(
    db,
  );
  return id;
}

/** Returns the root node of an organization; creates it if missing. */
export async function rootNode(db: Db, organization = ''): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into node (id, org_id, key, value, ancestors)
    values (${id}, ${organization}, nextval('node_root_key')::text, 'Root', array[${id}::uuid])
    on conflict do nothing`.execute(db);
  const { rows } = await sql<{
    id: string;
  }>`select id from node where org_id = ${organization} and parent_id is null`.execute(db);
  return rows[0]?.id ?? '';
}

export interface AssetOptions {
  readonly organization?: string;
  readonly hostname?: string;
  readonly protocols?: readonly string[];
  readonly isActive?: boolean;
  readonly nodes?: readonly string[];
  readonly port?: number;
}

/** Inserts an asset, below the root unless nodes are given. */
export async function buildAsset(db: Db, options: AssetOptions = {}): Promise<string> {
  const organization = options.organization ?? '';
  const { rows } = await sql<{ id: string }>`
    insert into asset (org_id, hostname, ip, platform, protocols, is_active)
    values (${organization}, ${options.hostname ?? unique('asset')}, '127.0.0.1', 'Linux',
    ${options.protocols ?? [`ssh/${options.port ?? 22}`]}, ${options.isActive ?? true})
    returning id`.execute(db);
  const id = rows[0]?.id ?? '';
  const nodes = options.nodes ?? [await rootNode(db, organization)];
  await sql`insert into node_assets (node_id, asset_id) select n, ${id}::uuid from unnest(${nodes}::uuid[]) n`.execute(
    db,
  );
  return id;
}

/** Inserts a system user with manual login; a test may seal a password itself. */
export async function buildSystemUser(
  db: Db,
  options: { organization?: string; protocol?: string; priority?: number; name?: string } = {},
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into system_account (org_id, name, username, protocol, login_mode, priority)
    values (${options.organization ?? ''}, ${options.name ?? unique('system-user')}, 'root',
    ${options.protocol ?? 'ssh'}, 'manual', ${options.priority ?? 20}) returning id`.execute(db);
  return rows[0]?.id ?? '';
}

export interface PermissionOptions {
  readonly organization?: string;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly assets?: readonly string[];
  readonly nodes?: readonly string[];
  readonly systemUsers?: readonly string[];
  readonly actions?: number;
  readonly isActive?: boolean;
  readonly start?: Date;
  readonly end?: Date;
}

/** Inserts an asset permission. */
export async function buildPermission(db: Db, options: PermissionOptions): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into asset_permission (org_id, name, is_active, actions, date_start, date_expired)
    values (${options.organization ?? ''}, ${unique('rule')}, ${options.isActive ?? true},
    ${options.actions ?? 255},
      ${options.start ?? new Date(Date.now() - 3_600_000)},
      ${options.end ?? new Date(Date.now() + 3_600_000)}) returning id`.execute(db);
  const id = rows[0]?.id ?? '';
  const links = {
    users: ['user_id', options.users],
    user_groups: ['user_group_id', options.groups],
    assets: ['asset_id', options.assets],
  } as const;
  const more = {
    nodes: ['node_id', options.nodes],
    system_users: ['system_user_id', options.systemUsers],
  } as const;
  for (const [table, [column, ids = []]] of Object.entries({ ...links, ...more })) {
    if (ids.length > 0)
      await sql`insert into ${sql.table(`asset_permission_${table}`)} (asset_permission_id,
        ${sql.ref(column)}) select ${id}::uuid, o from unnest(${ids}::uuid[]) o`.execute(db);
  }
  return id;
}
