import { RESOURCES, type Resource, SETTING_CATEGORIES } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../testing/builders.ts';
import type { Client, Json } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

/**
 * Bodies with exactly the fields of API version 2.1: clients of that version know no others. A new
 * required field of a resource or of a category of settings fails here.
 */

/** Ids of the objects that bodies link to, by name. */
type World = Readonly<Record<string, string>>;

interface Established {
  /** The path where the declared one has a parameter. */
  readonly path?: (world: World) => string;
  readonly body: (world: World) => Json;
  /** Fields of this product with another value than their default, which a PUT must keep. */
  readonly kept?: (world: World) => Json;
  /** Objects of this kind are created otherwise, so only a PUT is sent, to the first one. */
  readonly isOnlyReplaced?: true;
  /** The API has no PUT of one object. */
  readonly isOnlyCreated?: true;
}

const DATES = {
  date_start: '2026-01-01 00:00:00 +0800',
  date_expired: '2096-01-01 00:00:00 +0800',
};
const PERIOD = { is_periodic: true, crontab: '', interval: 24, comment: 'kept' };
const rules = (world: World) => ({
  name: unique('rule'),
  is_active: true,
  ...DATES,
  comment: 'a comment',
  users: [world.user],
  user_groups: [world.group],
  system_users: [world.systemUser],
});
const bucket = (type: string) => () => ({
  name: unique('bucket'),
  type,
  comment: '',
  meta: {
    [`${type}_bucket`]: 'recordings',
    [`${type}_access_key`]: 'key',
    [`${type}_secret_key`]: 'secret',
    [`${type}_endpoint`]: 'https://s3.example.com',
  },
});

const BODIES: Readonly<Record<string, Established>> = {
  organization: {
    body: () => ({
      name: unique('organization'),
      comment: '',
      users: [],
      admins: [],
      auditors: [],
    }),
  },
  user: {
    body: (world) => ({
      name: 'Li Wei',
      username: unique('li.wei'),
      email: `${unique('li.wei')}@example.com`,
      groups: [world.group],
      password_strategy: 1,
      update_password: true,
      password: 'A-good-password-1',
      set_public_key: false,
      mfa_level: 0,
      source: 'local',
      role: 'User',
      date_expired: DATES.date_expired,
      phone: '',
      wechat: '',
      comment: '',
    }),
  },
  user_group: {
    body: (world) => ({ name: unique('group'), comment: '', users: [world.user] }),
  },
  platform: {
    body: () => ({
      name: unique('Platform'),
      base: 'Linux',
      charset: 'gbk',
      internal: false,
      meta: null,
      comment: '',
    }),
    kept: () => ({ old_ssh: true }),
  },
  node: { body: () => ({ value: unique('node') }) },
  asset: {
    body: (world) => ({
      hostname: unique('host'),
      ip: '10.3.0.1',
      protocols: ['ssh/22'],
      is_active: true,
      public_ip: '',
      number: null,
      comment: '',
      admin_user: world.adminUser,
      domain: world.domain,
      platform: 'Linux',
      nodes: [world.node],
      labels: [world.label],
    }),
  },
  admin_user: {
    body: () => ({
      name: unique('root'),
      username: 'root',
      password: 'A-good-password-1',
      comment: '',
    }),
  },
  system_user: {
    body: (world) => ({
      name: unique('ops'),
      login_mode: 'auto',
      username: 'ops',
      username_same_with_user: false,
      priority: 20,
      protocol: 'ssh',
      auto_push: false,
      auto_generate_key: false,
      password: 'A-good-password-1',
      cmd_filters: [world.filter],
      sftp_root: 'tmp',
      sudo: '/bin/whoami',
      shell: '/bin/bash',
      comment: '',
      is_active: true,
    }),
    kept: () => ({
      enforced: true,
      allowed_commands: 'uptime',
      home: '/srv/ops',
      charset: 'gbk',
    }),
  },
  asset_user: {
    body: (world) => ({
      username: unique('app'),
      asset: world.asset,
      password: 'A-good-password-1',
      comment: '',
    }),
    isOnlyCreated: true,
  },
  domain: { body: () => ({ name: unique('domain'), assets: [], comment: '' }) },
  gateway: {
    body: (world) => ({
      name: unique('gateway'),
      ip: '10.3.0.9',
      port: 22,
      protocol: 'ssh',
      domain: world.domain,
      username: 'jump',
      password: 'A-good-password-1',
      is_active: true,
      comment: '',
    }),
  },
  label: { body: () => ({ name: unique('label'), value: 'v', assets: [] }) },
  command_filter: {
    body: (world) => ({
      name: unique('filter'),
      is_active: true,
      comment: '',
      system_users: [world.systemUser],
    }),
  },
  command_filter_rule: {
    path: ({ filter }) => `assets/cmd-filters/${filter}/rules`,
    body: ({ filter }) => ({
      filter,
      type: 'regex',
      content: 'reboot',
      priority: 50,
      action: 0,
      comment: '',
    }),
    kept: () => ({ message: 'Ask the operators first' }),
  },
  remote_app: {
    body: (world) => ({
      name: unique('app'),
      asset: world.windows,
      type: 'chrome',
      path: String.raw`C:\Program Files\chrome.exe`,
      params: { chrome_target: 'http://erp', chrome_username: 'u', chrome_password: 'p' },
      comment: '',
    }),
  },
  database_app: {
    body: () => ({
      name: unique('db'),
      type: 'mysql',
      host: 'db.example.com',
      port: 3306,
      database: 'shop',
      comment: '',
    }),
    kept: ({ domain }) => ({ tls: 'required', domain }),
  },
  asset_permission: {
    body: (world) => ({
      ...rules(world),
      assets: [world.asset],
      nodes: [world.node],
      actions: ['all', 'connect', 'upload_file', 'download_file', 'updownload'],
    }),
    kept: ({ user }) => ({
      mfa_minutes: 5,
      needs_approval: true,
      approval_minutes: 30,
      approvers: [user],
    }),
  },
  remote_app_permission: {
    body: (world) => ({ ...rules(world), remote_apps: [world.remoteApp] }),
    kept: ({ user }) => ({ needs_approval: true, approval_minutes: 30, approvers: [user] }),
  },
  database_app_permission: {
    body: (world) => ({ ...rules(world), database_apps: [world.databaseApp] }),
    kept: ({ user }) => ({
      is_read_only: true,
      mfa_minutes: 5,
      needs_approval: true,
      approval_minutes: 30,
      approvers: [user],
    }),
  },
  replay_storage: { body: bucket('s3') },
  command_storage: {
    body: () => ({
      name: unique('elastic'),
      type: 'es',
      comment: '',
      meta: {
        es_hosts: ['https://es.example.com:9200'],
        es_index: 'commands',
        es_doc_type: 'command',
      },
    }),
  },
  terminal: {
    body: () => ({
      name: unique('terminal'),
      remote_addr: '127.0.0.1',
      command_storage: 'default',
      replay_storage: 'default',
      comment: '',
    }),
    isOnlyReplaced: true,
  },
  gather_user_task: {
    path: () => 'xpack/gathered-user/tasks',
    body: ({ node }) => ({ name: unique('gather'), nodes: [node], ...PERIOD }),
  },
  change_auth_plan: {
    body: (world) => ({
      name: unique('plan'),
      username: 'ops',
      assets: [world.asset],
      nodes: [],
      password_strategy: 'random_all',
      password_rules: { length: 20 },
      ...PERIOD,
    }),
  },
  cloud_account: {
    body: () => ({
      name: unique('cloud'),
      provider: 'aliyun',
      access_key_id: 'id',
      access_key_secret: 'secret',
      comment: '',
    }),
  },
  cloud_sync_task: {
    body: (world) => ({
      name: unique('sync'),
      account: world.cloudAccount,
      regions: ['cn-hangzhou'],
      node: world.node,
      admin_user: world.adminUser,
      is_always_update: false,
      ...PERIOD,
    }),
  },
  ticket: {
    body: ({ user }) => ({ title: unique('ticket'), body: 'text', assignees: [user], action: '' }),
    isOnlyCreated: true,
  },
  ticket_comment: {
    path: ({ ticket }) => `tickets/tickets/${ticket}/comments`,
    body: ({ ticket }) => ({ body: 'text', ticket }),
    isOnlyCreated: true,
  },
};

/** Resources that the reference lacks, and those whose creation differs from it as documented. */
const NOT_ESTABLISHED = new Set([
  'cluster',
  'cluster_permission',
  'group_mapping',
  'sign_in_rule',
  'system_user_push',
  'ssh_authority',
  'network',
  'condition',
  'emergency_access',
  'snippet',
  'event_receiver',
  'ssh_key',
  // The caller proves its identity: access-keys.test.ts, agents.test.ts.
  'access_key',
  'agent',
  // Comes with its first run.
  'ops_task',
]);

const isWritable = ({ fields }: Resource) =>
  Object.entries(fields).some(([name, { mode }]) => name !== 'id' && mode !== 'readonly');

let test: TestProgram;
let admin: Client;
let world: World;

const create = async (name: string, body: Json, path = pathOf(name)) => {
  const { status, body: created, text } = await admin.post<Json>(`${path}/`, body);
  expect([path, status, text]).toEqual([path, 201, expect.any(String)]);
  return created;
};
const pathOf = (name: string) =>
  BODIES[name]?.path?.(world) ?? RESOURCES.find((one) => one.name === name)?.path ?? '';

beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  const ids: Record<string, string> = {};
  const add = async (key: string, name: string, more: Json = {}) => {
    world = ids;
    const body = { ...BODIES[name]?.body(world), ...more };
    ids[key] = String((await create(name, body)).id);
  };
  await add('group', 'user_group', { users: [] });
  await add('user', 'user', { role: 'Admin' });
  await add('node', 'node');
  await add('adminUser', 'admin_user');
  await add('domain', 'domain');
  await add('label', 'label');
  await add('asset', 'asset');
  await add('windows', 'asset', { platform: 'Windows', protocols: ['rdp/3389'] });
  await add('filter', 'command_filter', { system_users: [] });
  await add('systemUser', 'system_user');
  await add('remoteApp', 'remote_app');
  await add('databaseApp', 'database_app');
  await add('cloudAccount', 'cloud_account');
  await add('ticket', 'ticket');
});
afterAll(() => test.stop());

it('names every writable resource', () => {
  const writable = RESOURCES.filter(isWritable).map(({ name }) => name);
  expect(writable.filter((name) => !(name in BODIES) && !NOT_ESTABLISHED.has(name))).toEqual([]);
});

const ROWS = Object.entries(BODIES).map(([name, row]) => ({ name, ...row }));

it.each(ROWS.filter(({ isOnlyReplaced }) => !isOnlyReplaced))(
  'creates a $name by a POST with the fields of version 2.1',
  async ({ name, body }) => {
    await create(name, body(world));
  },
);

/** Fields of a resource that a body does not name, without computed ones. */
const others = (name: string, row: Json, sent: Json) =>
  Object.fromEntries(
    Object.entries(RESOURCES.find((one) => one.name === name)?.fields ?? {})
      .filter(([field, { mode, kind }]) => !mode && kind !== 'computed' && !(field in sent))
      .map(([field]) => [field, row[field]]),
  );

it.each(ROWS.filter(({ isOnlyCreated }) => !isOnlyCreated))(
  'replaces a $name by a PUT with the fields of version 2.1, and keeps newer fields',
  async ({ name, body, kept, isOnlyReplaced }) => {
    const path = pathOf(name);
    const { id } = isOnlyReplaced
      ? ((await admin.get<Json[]>(`${path}/`)).body[0] ?? {})
      : await create(name, body(world));
    const url = `${path}/${id}/`;
    if (kept) {
      const { status, text } = await admin.patch(url, kept(world));
      expect([name, status, text]).toEqual([name, 200, expect.any(String)]);
    }
    const read = async () => (await admin.get<Json>(url)).body;
    const before = await read();
    const sent = body(world);
    const { status, text } = await admin.put(url, sent);
    expect([name, status, text]).toEqual([name, 200, expect.any(String)]);
    const after = await read();
    expect(others(name, after, sent)).toEqual(others(name, before, sent));
    for (const [field, value] of Object.entries(kept?.(world) ?? {}))
      expect([field, after[field]]).toEqual([field, value]);
  },
);

it.each(ROWS.filter(({ isOnlyCreated, isOnlyReplaced }) => !isOnlyCreated && !isOnlyReplaced))(
  'creates two of $name by one POST, replaces both by one PUT, changes both by one PATCH',
  async ({ name, body, kept }) => {
    const path = `${pathOf(name)}/`;
    const send = async (method: string, rows: readonly Json[], expected: number) => {
      const { status, body: answer, text } = await admin.request<Json[]>(method, path, rows);
      expect([method, name, status, text]).toEqual([method, name, expected, expect.any(String)]);
      return answer;
    };
    const created = await send('POST', [body(world), body(world)], 201);
    const ids = created.map(({ id }) => String(id));
    const read = async () =>
      Promise.all(ids.map(async (id) => (await admin.get<Json>(`${path}${id}/`)).body));
    if (kept)
      await send(
        'PATCH',
        ids.map((id) => ({ id, ...kept(world) })),
        200,
      );
    const before = await read();
    const sent = ids.map((id) => ({ id, ...body(world) }));
    await send('PUT', sent, 200);
    const after = await read();
    for (const [index, row] of after.entries())
      expect(others(name, row, sent[index] ?? {})).toEqual(
        others(name, before[index] ?? {}, sent[index] ?? {}),
      );
    // A PATCH with the whole object, as older programs send it, changes no other field either.
    await send('PATCH', sent, 200);
    expect((await read()).map((row, index) => others(name, row, sent[index] ?? {}))).toEqual(
      after.map((row, index) => others(name, row, sent[index] ?? {})),
    );
  },
);

describe('a PUT of a category of settings', () => {
  /** The fields of each category in version 2.1. */
  const CATEGORIES: Readonly<Record<string, Json>> = {
    basic: {
      SITE_URL: 'https://bastion.example.com',
      USER_GUIDE_URL: '',
      EMAIL_SUBJECT_PREFIX: '[X] ',
    },
    email: {
      EMAIL_HOST: 'mail.example.com',
      EMAIL_PORT: 25,
      EMAIL_HOST_USER: 'mailer',
      EMAIL_FROM: '',
      EMAIL_RECIPIENT: '',
      EMAIL_USE_SSL: false,
      EMAIL_USE_TLS: false,
    },
    email_content: {
      EMAIL_CUSTOM_USER_CREATED_SUBJECT: '',
      EMAIL_CUSTOM_USER_CREATED_HONORIFIC: '',
      EMAIL_CUSTOM_USER_CREATED_BODY: 'Welcome',
      EMAIL_CUSTOM_USER_CREATED_SIGNATURE: '',
    },
    ldap: {
      AUTH_LDAP_SERVER_URI: 'ldap://ldap.example.com:389',
      AUTH_LDAP_BIND_DN: 'cn=admin,dc=example,dc=org',
      AUTH_LDAP_SEARCH_OU: 'ou=tech,dc=example,dc=org',
      AUTH_LDAP_SEARCH_FILTER: '(cn=%(user)s)',
      AUTH_LDAP_USER_ATTR_MAP: { username: 'cn', name: 'sn', email: 'mail' },
      AUTH_LDAP: false,
    },
    terminal: {
      TERMINAL_PASSWORD_AUTH: true,
      TERMINAL_PUBLIC_KEY_AUTH: true,
      TERMINAL_HEARTBEAT_INTERVAL: 21,
      TERMINAL_ASSET_LIST_SORT_BY: 'ip',
      TERMINAL_ASSET_LIST_PAGE_SIZE: 'auto',
      TERMINAL_SESSION_KEEP_DURATION: 9998,
      TERMINAL_TELNET_REGEX: '',
    },
    security: {
      SECURITY_MFA_AUTH: false,
      SECURITY_COMMAND_EXECUTION: true,
      SECURITY_SERVICE_ACCOUNT_REGISTRATION: true,
      SECURITY_LOGIN_LIMIT_COUNT: 8,
      SECURITY_LOGIN_LIMIT_TIME: 31,
      SECURITY_MAX_IDLE_TIME: 29,
      SECURITY_PASSWORD_EXPIRATION_TIME: 9998,
      SECURITY_PASSWORD_MIN_LENGTH: 7,
      SECURITY_PASSWORD_UPPER_CASE: true,
      SECURITY_PASSWORD_LOWER_CASE: true,
      SECURITY_PASSWORD_NUMBER: true,
      SECURITY_PASSWORD_SPECIAL_CHAR: false,
    },
  };
  type Settings = Record<string, Json>;
  const URL = 'settings/setting/';
  const read = async () => (await admin.get<Settings>(URL)).body;

  it.each(Object.entries(CATEGORIES))(
    'saves %s with the fields of version 2.1, and keeps newer settings',
    async (category, values) => {
      const before = (await read())[category] ?? {};
      // Changed settings must not return to their default.
      const newer = Object.fromEntries(
        Object.entries(before)
          .filter(([name, value]) => typeof value === 'number' && !(name in values))
          .map(([name, value]) => [name, Number(value) + 1]),
      );
      if (Object.keys(newer).length > 0)
        expect((await admin.patch(URL, { [category]: newer })).status).toBe(200);
      const { status, text } = await admin.put(URL, { [category]: values });
      expect([category, status, text]).toEqual([category, 200, expect.any(String)]);
      const port = category === 'email' ? { EMAIL_PORT: '25' } : {};
      expect((await read())[category]).toEqual({ ...before, ...newer, ...values, ...port });
    },
  );

  it.each(Object.keys(SETTING_CATEGORIES).filter((name) => !(name in CATEGORIES)))(
    'leaves alone all of %s, which version 2.1 lacks, when it names one setting',
    async (category) => {
      const before = (await read())[category] ?? {};
      const [name = '', value] = Object.entries(before)[0] ?? [];
      const { status, text } = await admin.put(URL, { [category]: { [name]: value } });
      expect([category, status, text]).toEqual([category, 200, expect.any(String)]);
      expect((await read())[category]).toEqual(before);
    },
  );

  it.each([
    ['basic', 'SITE_URL'],
    ['email', 'EMAIL_HOST'],
    ['ldap', 'AUTH_LDAP_USER_ATTR_MAP'],
    ['terminal', 'TERMINAL_HEARTBEAT_INTERVAL'],
    ['security', 'SECURITY_PASSWORD_MIN_LENGTH'],
  ])('rejects %s without %s, which version 2.1 requires', async (category, name) => {
    const { [name]: _, ...rest } = CATEGORIES[category] ?? {};
    const before = await read();
    expect(await admin.put(URL, { [category]: rest })).toMatchObject({
      status: 400,
      body: { [category]: { [name]: ['This field is required'] } },
    });
    expect(await read()).toEqual(before);
  });
});
