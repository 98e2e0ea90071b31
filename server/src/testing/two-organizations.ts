import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { buildAsset, buildOrganization, buildPermission, buildSystemUser, buildUser, rootNode, unique } from './builders.ts';
import type { Client } from './client.ts';
import { bearer } from './sign-in.ts';
import type { TestProgram } from './test-program.ts';

/** Two organizations that must not know of each other. */
export interface TwoOrganizations {
  readonly here: string;
  readonly there: string;
  /** Administers `here`. */
  readonly insider: Client;
  /** In every name of the objects `there`. */
  readonly mark: string;
  /** One object of each kind `there`, by the path of its resource. */
  readonly foreign: Readonly<Record<string, string>>;
  /** Every row that belongs to `there`, as one text. */
  fingerprint(): Promise<string>;
}

async function insert(db: Db, table: string, values: Record<string, unknown>): Promise<string> {
  const columns = Object.entries(values);
  const { rows } = await sql<{ id: string }>`
    insert into ${sql.table(table)} (${sql.join(columns.map(([name]) => sql.ref(name)))}) values (${sql.join(columns.map(([, value]) => value))}) returning id`.execute(
    db,
  );
  return rows[0]?.id ?? '';
}

async function everythingIn(db: Db, organization: string): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns where column_name = 'org_id' and table_schema = 'public' order by 1`.execute(db);
  const parts: unknown[] = [];
  for (const { name } of tables)
    parts.push((await sql`select to_jsonb(t) as row from ${sql.table(name)} t where org_id = ${organization} order by 1`.execute(db)).rows);
  // Links and accounts carry no organization.
  for (const name of ['account', 'organization_member', 'user_group_users', 'asset_permission_users', 'asset_permission_assets', 'node_assets', 'label_assets'])
    parts.push((await sql`select to_jsonb(t) - 'last_login' as row from ${sql.table(name)} t order by 1`.execute(db)).rows);
  return JSON.stringify(parts);
}

/** Fills one organization with an object of each kind and signs in an administrator of another. */
export async function buildTwoOrganizations(test: TestProgram): Promise<TwoOrganizations> {
  const { db } = test;
  const here = await buildOrganization(db);
  const there = await buildOrganization(db);
  const mark = unique('foreign');
  const insider = (await bearer(test, await buildUser(db, { memberOf: [{ organization: here, role: 'Admin' }] }))).inOrganization(here);
  const stranger = await buildUser(db, { username: mark, memberOf: [{ organization: there, role: 'User' }] });
  const domain = await insert(db, 'domain', { org_id: there, name: `${mark}-domain` });
  const asset = await buildAsset(db, { organization: there, hostname: `${mark}-asset` });
  const systemUser = await buildSystemUser(db, { organization: there });
  const names = { user: mark, asset: mark, system_user: mark };
  const session = await insert(db, 'session', { org_id: there, ...names, user_id: stranger.id });
  const change = { org_id: there, user: mark, action: 'create', resource_type: 'label', resource: mark, remote_addr: '10.0.0.1' };
  const foreign = {
    'users/users': stranger.id,
    'users/groups': await insert(db, 'user_group', { org_id: there, name: `${mark}-group` }),
    'assets/assets': asset,
    'assets/nodes': await rootNode(db, there),
    'assets/admin-users': await insert(db, 'admin_user', { org_id: there, name: `${mark}-admin` }),
    'assets/system-users': systemUser,
    'assets/domains': domain,
    'assets/gateways': await insert(db, 'gateway', { org_id: there, name: `${mark}-gateway`, ip: '10.0.0.1', domain_id: domain }),
    'assets/labels': await insert(db, 'label', { org_id: there, name: mark, value: 'x' }),
    'perms/asset-permissions': await buildPermission(db, { organization: there, users: [stranger.id], assets: [asset], systemUsers: [systemUser] }),
    'terminal/sessions': session,
    'terminal/commands': await insert(db, 'command', { org_id: there, session, sequence: 1, ...names, input: `echo ${mark}` }),
    'audits/operate-logs': await insert(db, 'operate_log', change),
    'audits/login-logs': await insert(db, 'login_log', { username: mark, user_id: stranger.id, type: 'W', ip: '10.0.0.1', status: true }),
  };
  return { here, there, insider, mark, foreign, fingerprint: () => everythingIn(db, there) };
}
