import { RESOURCES } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { buildAsset, buildOrganization, buildPermission, buildSystemUser, buildUser, rootNode, unique } from './builders.ts';
import type { Client } from './client.ts';
import { signInMember } from './roles.ts';
import type { TestProgram } from './test-program.ts';

/** Ids by the path of their resource: one object of each kind. */
export type Objects = Readonly<Record<string, string>>;

/** The address of a resource's list: what belongs to an object is below that object. */
export function addressOf(path: string, objects: Objects): string {
  const parent = RESOURCES.find((resource) => resource.path === path)?.parent;
  return parent ? path.replace(`{${parent.field}}`, objects[parent.resource.path] ?? '') : path;
}

/** Two organizations that must not know of each other. */
export interface TwoOrganizations {
  readonly here: string;
  readonly there: string;
  /** Administers `here`. */
  readonly insider: Client;
  /** In every name of the objects `there`. */
  readonly mark: string;
  /** One object of each kind `there`. */
  readonly foreign: Objects;
  /** One object of each kind `here`. */
  readonly own: Objects;
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

/** Tables of the insider's own doing, which may name what belongs to others. */
const OWN_DOING = ['resource_set', 'web_session', 'login_attempt'];

/** Every row of an organization, and every row elsewhere that names one of its objects. */
async function everythingIn(db: Db, organization: string, objects: Objects): Promise<string> {
  const { rows: tables } = await sql<{ name: string; belongs: boolean }>`
    select t.table_name as name, exists (
      select 1 from information_schema.columns c where c.table_schema = 'public' and c.table_name = t.table_name and c.column_name = 'org_id') as belongs
    from information_schema.tables t where t.table_schema = 'public' and t.table_type = 'BASE TABLE' order by 1`.execute(db);
  const parts: unknown[] = [];
  const named = [organization, ...Object.values(objects)].join('|');
  for (const { name, belongs } of tables.filter((table) => !OWN_DOING.includes(table.name))) {
    const where = belongs ? sql`org_id = ${organization}` : sql`to_jsonb(t)::text ~ ${named}`;
    parts.push((await sql`select to_jsonb(t) - 'last_login' as row from ${sql.table(name)} t where ${where} order by 1`.execute(db)).rows);
  }
  return JSON.stringify(parts);
}

/** Fills an organization with one object of each kind, the mark in every name. */
async function fill(db: Db, organization: string, mark: string): Promise<Objects> {
  const person = await buildUser(db, { username: mark, memberOf: [{ organization, role: 'User' }] });
  const domain = await insert(db, 'domain', { org_id: organization, name: `${mark}-domain` });
  const asset = await buildAsset(db, { organization, hostname: `${mark}-asset` });
  const systemUser = await buildSystemUser(db, { organization });
  await sql`update system_account set name = ${`${mark}-account`}, auto_push = false where id = ${systemUser}`.execute(db);
  const node = await rootNode(db, organization);
  await sql`update node set value = ${`${mark}-node`} where id = ${node}`.execute(db);
  const rule = await buildPermission(db, { organization, users: [person.id], assets: [asset], systemUsers: [systemUser] });
  await sql`update asset_permission set name = ${`${mark}-rule`} where id = ${rule}`.execute(db);
  const names = { user: mark, asset: mark, system_user: mark };
  const session = await insert(db, 'session', { org_id: organization, ...names, user_id: person.id, asset_id: asset, system_user_id: systemUser });
  const filter = await insert(db, 'command_filter', { org_id: organization, name: `${mark}-filter` });
  const change = { org_id: organization, user: mark, action: 'create', resource_type: 'label', resource: mark, remote_addr: '10.0.0.1' };
  return {
    'users/users': person.id,
    'users/groups': await insert(db, 'user_group', { org_id: organization, name: `${mark}-group` }),
    'assets/assets': asset,
    'assets/nodes': node,
    'assets/admin-users': await insert(db, 'admin_user', { org_id: organization, name: `${mark}-admin` }),
    'assets/system-users': systemUser,
    'assets/domains': domain,
    'assets/gateways': await insert(db, 'gateway', { org_id: organization, name: `${mark}-gateway`, ip: '10.0.0.1', domain_id: domain }),
    'assets/cmd-filters': filter,
    'assets/cmd-filters/{filter}/rules': await insert(db, 'command_filter_rule', { org_id: organization, filter_id: filter, content: `${mark}-command` }),
    'assets/labels': await insert(db, 'label', { org_id: organization, name: mark, value: 'x' }),
    'perms/asset-permissions': rule,
    'terminal/sessions': session,
    'terminal/commands': await insert(db, 'command', { org_id: organization, session, sequence: 1, ...names, input: `echo ${mark}` }),
    'common/jobs': await insert(db, 'job', { id: crypto.randomUUID(), org_id: organization, name: 'test', subject: mark, started_by: mark, state: 'failed' }),
    'audits/operate-logs': await insert(db, 'operate_log', change),
    'audits/ftp-logs': await insert(db, 'ftp_log', {
      org_id: organization,
      ...names,
      remote_addr: '10.0.0.1',
      operate: 'Upload',
      filename: mark,
      is_success: true,
    }),
    'audits/login-logs': await insert(db, 'login_log', { username: mark, user_id: person.id, type: 'W', ip: '10.0.0.1', status: true }),
    'audits/password-change-logs': await insert(db, 'password_change_log', { user: mark, user_id: person.id, change_by: mark, remote_addr: '10.0.0.1' }),
  };
}

/** The paths of all resources of which an organization sees its own rows only, by their declarations and hooks. */
export function boundPaths({ program }: TestProgram): string[] {
  return [...program.engines.values()].filter(({ resource, hooks }) => resource.scope === 'org' || hooks.visible).map(({ resource }) => resource.path);
}

/** Fills two organizations with an object of each kind and signs in an administrator of the one. */
export async function buildTwoOrganizations(test: TestProgram): Promise<TwoOrganizations> {
  const { db } = test;
  const here = await buildOrganization(db);
  const there = await buildOrganization(db);
  const mark = unique('foreign');
  const insider = await signInMember(test, here);
  const foreign = await fill(db, there, mark);
  const own = await fill(db, here, unique('native'));
  // A new resource fails here until it has rows, so that no separation test misses it.
  const forgotten = boundPaths(test).filter((path) => !foreign[path]);
  if (forgotten.length > 0) throw new Error(`the two organizations have nothing of ${forgotten.join(', ')}`);
  return { here, there, insider, mark, foreign, own, fingerprint: () => everythingIn(db, there, foreign) };
}
