import { RESOURCES } from '@sallyport/contract';
import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { buildAppPermission, buildDatabaseApp, buildRemoteApp } from './app-builders.ts';
import {
  buildAsset,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from './builders.ts';
import type { Client, Json } from './client.ts';
import { signInMember } from './roles.ts';
import type { TestProgram } from './test-program.ts';
import { type ReadTable, readWrittenTables } from './written-tables.ts';

/** Ids of objects by resource path. */
export type Objects = Readonly<Record<string, string>>;

/** Returns the address of a resource's list; nested ones are below their parent. */
export function addressOf(path: string, objects: Objects): string {
  const parent = RESOURCES.find((resource) => resource.path === path)?.parent;
  return parent ? path.replace(`{${parent.field}}`, objects[parent.resource.path] ?? '') : path;
}

/** Two organizations that must not see each other. */
export interface TwoOrganizations {
  readonly here: string;
  readonly there: string;
  /** An administrator of `here`. */
  readonly insider: Client;
  /** Part of the name of every object in `there`. */
  readonly mark: string;
  /** One object per kind in `there`. */
  readonly foreign: Objects;
  /** One object per kind in `here`. */
  readonly own: Objects;
  /** Returns all rows of `there` as one text. */
  fingerprint(): Promise<string>;
}

async function insert(db: Db, table: string, values: Record<string, unknown>): Promise<string> {
  const columns = Object.entries(values);
  const { rows } = await sql<{ id: string }>`
    insert into ${sql.table(table)} (${sql.join(columns.map(([name]) => sql.ref(name)))})
    values (${sql.join(columns.map(([, value]) => value))}) returning id`.execute(db);
  return rows[0]?.id ?? '';
}

/**
 * Tables with actions of the insider, which may name foreign objects, the queue that the alerts of
 * the server empty, and the 20,000 readings of Chinese characters, which never change.
 * The last uses of accounts, and hours and networks of sign-ins, are written some time after the
 * sessions and sign-ins of the setup.
 */
const LEFT_OUT = [
  'account_use',
  'resource_set',
  'web_session',
  'login_attempt',
  'alert_queue',
  'pinyin_reading',
  'sign_in_hour',
  'sign_in_place',
];

/**
 * Returns a reader for the rows of an organization, and for rows elsewhere that name its objects.
 */
function rowsOf(organization: string, objects: Objects): ReadTable {
  const pattern = [organization, ...Object.values(objects)].join('|');
  return async (db, name) => {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(text, E'\n' order by text) as text
      from (select (to_jsonb(t) - 'last_login')::text as text, to_jsonb(t) as whole
      from ${sql.table(name)} t) rows
      where case when whole ? 'org_id' then whole ->> 'org_id' = ${organization} else whole::text ~
      ${pattern} end`.execute(db);
    return `${name}\n${rows[0]?.text ?? ''}`;
  };
}

/** Creates an agent of a user with a call. Other users of the organization do not see them. */
async function insertAgent(db: Db, userId: string, mark: string): Promise<Objects> {
  const agent = await insert(db, 'agent', {
    user_id: userId,
    name: mark,
    task: mark,
    hosts: '*',
    accounts: '*',
    command_mode: 'any',
    minutes: 60,
    max_commands: 1,
    max_kib: 1,
    sign_in_id: crypto.randomUUID(),
    date_expired: new Date(Date.now() + 3_600_000),
  });
  const call = await insert(db, 'agent_call', {
    agent_id: agent,
    user_id: userId,
    tool: 'run',
    host: mark,
    input: mark,
    state: 'done',
  });
  return { 'agents/agents': agent, 'agents/calls': call };
}

/** Creates one object per kind in an organization, with the mark in every name. */
async function fill(db: Db, organization: string, mark: string): Promise<Objects> {
  const person = await buildUser(db, {
    username: mark,
    memberOf: [{ organization, role: 'User' }],
  });
  const domain = await insert(db, 'domain', { org_id: organization, name: `${mark}-domain` });
  const asset = await buildAsset(db, { organization, hostname: `${mark}-asset` });
  const systemUser = await buildSystemUser(db, { organization });
  await sql`update system_account set name = ${`${mark}-account`}, auto_push = false where id = ${systemUser}`.execute(
    db,
  );
  const node = await rootNode(db, organization);
  await sql`update node set value = ${`${mark}-node`} where id = ${node}`.execute(db);
  const rule = await buildPermission(db, {
    organization,
    users: [person.id],
    assets: [asset],
    systemUsers: [systemUser],
  });
  await sql`update asset_permission set name = ${`${mark}-rule`} where id = ${rule}`.execute(db);
  const program = await buildRemoteApp(db, { organization, asset, name: `${mark}-program` });
  const database = await buildDatabaseApp(db, { organization, name: `${mark}-database` });
  const cluster = await insert(db, 'cluster', {
    org_id: organization,
    name: `${mark}-cluster`,
    host: '10.0.0.9',
  });
  const names = { user: mark, asset: mark, system_user: mark };
  const session = await insert(db, 'session', {
    org_id: organization,
    ...names,
    user_id: person.id,
    asset_id: asset,
    system_user_id: systemUser,
    // The server closes open rows without a live session.
    is_finished: true,
    date_end: new Date(),
  });
  const filter = await insert(db, 'command_filter', {
    org_id: organization,
    name: `${mark}-filter`,
  });
  const change = {
    org_id: organization,
    user: mark,
    action: 'create',
    resource_type: 'label',
    resource: mark,
    remote_addr: '10.0.0.1',
  };
  const batch = await insert(db, 'command_execution', {
    id: crypto.randomUUID(),
    org_id: organization,
    user_id: person.id,
    user_display: mark,
    run_as_id: systemUser,
    run_as_display: mark,
    command: `echo ${mark}`,
    hosts_amount: 1,
    is_finished: true,
  });
  const host = { asset_id: asset, hostname: mark, ip: '10.0.0.1', asset_display: mark };
  const gather = await insert(db, 'gather_user_task', {
    org_id: organization,
    name: `${mark}-gather`,
  });
  const gathering = await insert(db, 'gather_user_execution', {
    id: crypto.randomUUID(),
    org_id: organization,
    task_id: gather,
    date_finished: new Date(),
  });
  await sql`insert into gather_user_task_nodes (gather_user_task_id, node_id) values (${gather}, ${node})`.execute(
    db,
  );
  const plan = await insert(db, 'change_auth_plan', {
    org_id: organization,
    name: `${mark}-plan`,
    username: 'deploy',
    password_strategy: 'random_all',
  });
  const planned = {
    id: crypto.randomUUID(),
    org_id: organization,
    plan_id: plan,
    username: 'deploy',
    password_strategy: 'custom',
  };
  const changing = await insert(db, 'change_auth_execution', {
    ...planned,
    assets_amount: 1,
    nodes_amount: 0,
    date_finished: new Date(),
  });
  const cloudAccount = await insert(db, 'cloud_account', {
    org_id: organization,
    name: `${mark}-cloud`,
    provider: 'aliyun',
    access_key_id: `${mark}-key`,
    access_key_secret: 'sealed',
  });
  const syncing = await insert(db, 'cloud_sync_task', {
    org_id: organization,
    name: `${mark}-sync`,
    account_id: cloudAccount,
    regions: ['cn-hangzhou'],
    node_id: node,
  });
  const instance = {
    task_id: syncing,
    account_id: cloudAccount,
    provider: 'aliyun',
    region: 'cn-hangzhou',
    asset_id: asset,
  };
  const module = JSON.stringify([{ name: 'ping', action: { module: 'ping', args: '' } }]);
  const common = {
    name: `${mark}-task`,
    words: `${mark}-task`.toLowerCase(),
    subject: mark,
    job: 'test-assets',
    key: `asset:${asset}`,
  };
  const task = await insert(db, 'ops_task', {
    org_id: organization,
    ...common,
    input: JSON.stringify({ kind: 'asset', id: asset }),
  });
  const version = await insert(db, 'adhoc', {
    org_id: organization,
    task_id: task,
    tasks: module,
    hosts_digest: mark,
    hosts: [asset],
    hosts_amount: 1,
    run_as_admin: true,
  });
  const run = await insert(db, 'adhoc_execution', {
    id: crypto.randomUUID(),
    org_id: organization,
    task_id: task,
    adhoc_id: version,
    hosts_amount: 1,
    is_finished: true,
    date_finished: new Date(),
  });
  const ticket = await insert(db, 'ticket', {
    user_id: person.id,
    user_display: mark,
    title: mark,
    body: mark,
  });
  await sql`
    insert into ticket_assignees (ticket_id, user_id)
    select ${ticket}::uuid, user_id from organization_member
    where organization_id = ${organization}::uuid and role = 'Admin'
    union select ${ticket}::uuid, id from account where username = 'admin'`.execute(db);
  const emergency = await insert(db, 'emergency_access', {
    org_id: organization,
    name: `${mark}-emergency`,
  });
  await sql`insert into emergency_access_users (emergency_access_id, user_id) values (${emergency}, ${person.id})`.execute(
    db,
  );
  await sql`insert into emergency_access_system_users (emergency_access_id, system_user_id) values (${emergency}, ${systemUser})`.execute(
    db,
  );
  await sql`
    insert into emergency_access_reviewers (emergency_access_id, user_id)
    select ${emergency}::uuid, user_id from organization_member
    where organization_id = ${organization}::uuid and role = 'Admin'`.execute(db);
  const onAsset = { org_id: organization, asset_id: asset, hostname: `${mark}-asset` };
  return {
    'users/users': person.id,
    'users/groups': await insert(db, 'user_group', { org_id: organization, name: `${mark}-group` }),
    'assets/assets': asset,
    'assets/nodes': node,
    'assets/admin-users': await insert(db, 'admin_user', {
      org_id: organization,
      name: `${mark}-admin`,
    }),
    'assets/system-users': systemUser,
    'assets/asset-users': await insert(db, 'asset_user', {
      org_id: organization,
      asset_id: asset,
      username: mark,
      version: 1,
      password: 'sealed',
      comment: mark,
    }),
    'assets/domains': domain,
    'assets/gateways': await insert(db, 'gateway', {
      org_id: organization,
      name: `${mark}-gateway`,
      ip: '10.0.0.1',
      domain_id: domain,
    }),
    'assets/cmd-filters': filter,
    'assets/cmd-filters/{filter}/rules': await insert(db, 'command_filter_rule', {
      org_id: organization,
      filter_id: filter,
      content: `${mark}-command`,
    }),
    'assets/system-users/{system_user}/pushes': await insert(db, 'system_user_push', {
      org_id: organization,
      system_user_id: systemUser,
      asset_id: asset,
      username: mark,
    }),
    'assets/ssh-authorities': await insert(db, 'ssh_authority', {
      org_id: organization,
      name: `${mark}-authority`,
      public_key: 'ssh-ed25519 AAAA',
      private_key: 'sealed',
      fingerprint: mark,
    }),
    'assets/labels': await insert(db, 'label', { org_id: organization, name: mark, value: 'x' }),
    'assets/gathered-users': await insert(db, 'gathered_user', {
      org_id: organization,
      asset_id: asset,
      username: mark,
    }),
    'ops/tasks': task,
    'ops/adhoc': version,
    'ops/adhoc-executions': run,
    'ops/adhoc-execution-hosts': await insert(db, 'adhoc_execution_host', {
      ...onAsset,
      execution_id: run,
      state: 'done',
    }),
    'xpack/gathered-user/tasks': gather,
    'xpack/gathered-user/task-executions': gathering,
    'xpack/gathered-user/task-execution-results': await insert(db, 'gather_user_result', {
      ...onAsset,
      execution_id: gathering,
      is_success: true,
    }),
    'xpack/change-auth-plan/plan': plan,
    'xpack/change-auth-plan/plan-execution': changing,
    'xpack/change-auth-plan/plan-execution-subtask': await insert(db, 'change_auth_subtask', {
      ...onAsset,
      plan_execution_id: changing,
      ip: '10.0.0.1',
      username: 'deploy',
    }),
    'xpack/cloud/accounts': cloudAccount,
    'xpack/cloud/sync-instance-tasks': syncing,
    'xpack/cloud/sync-instance-tasks/{task}/history': await insert(db, 'cloud_sync_execution', {
      id: crypto.randomUUID(),
      org_id: organization,
      task_id: syncing,
      status: 1,
      date_finished: new Date(),
    }),
    'xpack/cloud/sync-instance-tasks/{task}/instances': await insert(db, 'cloud_instance', {
      org_id: organization,
      instance_id: `${mark}-instance`,
      name: mark,
      ...instance,
    }),
    'applications/remote-apps': program,
    'applications/database-apps': database,
    'applications/clusters': cluster,
    'perms/cluster-permissions': await buildAppPermission(db, 'cluster', {
      ...{
        organization,
        name: `${mark}-reach`,
        users: [person.id],
        apps: [cluster],
        systemUsers: [systemUser],
      },
    }),
    'perms/remote-app-permissions': await buildAppPermission(db, 'remote_app', {
      ...{
        organization,
        name: `${mark}-start`,
        users: [person.id],
        apps: [program],
        systemUsers: [systemUser],
      },
    }),
    'perms/database-app-permissions': await buildAppPermission(db, 'database_app', {
      ...{
        organization,
        name: `${mark}-use`,
        users: [person.id],
        apps: [database],
        systemUsers: [systemUser],
      },
    }),
    'perms/networks': await insert(db, 'network', {
      org_id: organization,
      name: mark,
      networks: ['10.0.0.0/8'],
    }),
    'perms/conditions': await insert(db, 'condition', { org_id: organization, name: mark }),
    'perms/asset-permissions': rule,
    'perms/emergency-access': emergency,
    'tickets/tickets': ticket,
    'tickets/tickets/{ticket}/comments': await insert(db, 'ticket_comment', {
      ticket_id: ticket,
      user_id: person.id,
      user_display: mark,
      body: mark,
    }),
    'terminal/sessions': session,
    'terminal/commands': await insert(db, 'command', {
      org_id: organization,
      session,
      sequence: 1,
      ...names,
      input: `echo ${mark}`,
    }),
    'common/jobs': await insert(db, 'job', {
      id: crypto.randomUUID(),
      org_id: organization,
      name: 'test',
      subject: mark,
      started_by: mark,
      state: 'failed',
    }),
    'audits/operate-logs': await insert(db, 'operate_log', change),
    'audits/ftp-logs': await insert(db, 'ftp_log', {
      org_id: organization,
      ...names,
      remote_addr: '10.0.0.1',
      operate: 'Upload',
      filename: mark,
      is_success: true,
    }),
    'audits/command-execution-logs': batch,
    'audits/command-executions-hosts-relations': await insert(db, 'command_execution_host', {
      org_id: organization,
      commandexecution_id: batch,
      position: 1,
      ...host,
    }),
    'audits/login-logs': await insert(db, 'login_log', {
      username: mark,
      user_id: person.id,
      type: 'W',
      ip: '10.0.0.1',
      status: true,
    }),
    ...(await insertAgent(db, person.id, mark)),
    'audits/alerts': await insert(db, 'alert', {
      org_id: organization,
      kind: 'new_network',
      user: mark,
      user_id: person.id,
      subject: '10.0.0.0/24',
      remote_addr: '10.0.0.1',
      datetime: new Date(),
      day: '2026-01-31',
    }),
    'common/deleted-objects': await insert(db, 'deleted_object', {
      org_id: organization,
      id: crypto.randomUUID(),
      resource: 'asset',
      name: mark,
      deleted_by: mark,
      document: 'sealed',
    }),
    'audits/lost-changes': await insert(db, 'lost_change', {
      id: crypto.randomUUID(),
      org_id: organization,
      user: mark,
      action: 'delete',
      resource_type: 'label',
      resource: mark,
      remote_addr: '10.0.0.1',
      datetime: new Date(),
      is_logged: true,
    }),
    'audits/password-change-logs': await insert(db, 'password_change_log', {
      user: mark,
      user_id: person.id,
      change_by: mark,
      remote_addr: '10.0.0.1',
    }),
  };
}

/** Returns the paths of resources that organizations see in part, by declarations and hooks. */
export function boundPaths({ program }: TestProgram): string[] {
  return [...program.engines.values()]
    .filter(({ resource, hooks }) => resource.scope === 'org' || hooks.visible)
    .map(({ resource }) => resource.path);
}

/** Fills two organizations with one object per kind, and signs in an administrator of `here`. */
export async function buildTwoOrganizations(test: TestProgram): Promise<TwoOrganizations> {
  const { db } = test;
  const here = await buildOrganization(db);
  const there = await buildOrganization(db);
  const mark = unique('foreign');
  const insider = await signInMember(test, here);
  const { body: profile } = await insider.get<Json>('users/profile/');
  await insertAgent(db, String(profile.id), unique('native'));
  const foreign = await fill(db, there, mark);
  const own = await fill(db, here, unique('native'));
  // Fails for a new resource until it has rows, so no isolation test misses it.
  const forgotten = boundPaths(test).filter((path) => !foreign[path]);
  if (forgotten.length > 0)
    throw new Error(`the two organizations lack objects of ${forgotten.join(', ')}`);
  const read = rowsOf(there, foreign);
  return {
    here,
    there,
    insider,
    mark,
    foreign,
    own,
    fingerprint: async () => (await readWrittenTables(db, LEFT_OUT, read)).join('\n'),
  };
}
