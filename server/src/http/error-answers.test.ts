import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { adminUser, ERRORS } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { TooManyRequests } from '../platform/errors.ts';
import { refusalOfDatabase } from '../resources/write/problems.ts';
import { buildUser, unique } from '../testing/builders.ts';
import type { Client } from '../testing/client.ts';
import { startCuttingProxy, throughPort } from '../testing/cutting-proxy.ts';
import { bearer } from '../testing/sign-in.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { createApp } from './app.ts';
import { bodyOf, statusOf } from './error-bodies.ts';
import { publicRoute } from './route.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

describe('a refusal is a code and one sentence in the language of the caller', () => {
  it.each([
    ['en', 'You do not have permission to do this. It needs the role administrator.'],
    ['zh-CN', '您没有权限执行此操作：需要管理员权限。'],
  ])('names the missing role in a 403, in %s', async (language, detail) => {
    const caller = (await bearer(test, await buildUser(test.db))).with({
      'accept-language': language,
    });
    const { status, body } = await caller.get('assets/assets/');
    expect([status, body.code, body.detail]).toEqual([403, 'permission_denied', detail]);
  });

  it('names a role above organizations in a 403', async () => {
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    expect((await auditor.patch('settings/setting/', {})).body.detail).toBe(
      'You do not have permission to do this. It needs the role super administrator.',
    );
  });

  it('names the limit in a 413', async () => {
    const body = JSON.stringify({ filler: 'x'.repeat(20_000) });
    const answer = await admin.send('PATCH', 'users/preferences/', body, 'application/json');
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      413,
      'body_too_large',
      'The body is larger than 16384 bytes.',
    ]);
  });

  it('names the accepted media type in a 415', async () => {
    const { status, body } = await admin
      .with({ 'accept-language': 'zh-CN' })
      .send('POST', 'assets/labels/', '<a/>', 'application/xml');
    expect([status, body.code, body.detail]).toEqual([
      415,
      'unsupported_media_type',
      '请使用 application/json 发送请求体。',
    ]);
  });

  it('sends Retry-After with 409, 429 and 503', async () => {
    const app = await createApp({
      log: test.program.app.http.log as never,
      authenticator: { authenticate: async () => undefined },
      trustedProxies: [],
    });
    publicRoute(app.http, {
      method: 'GET',
      url: '/often/',
      handler: () => {
        throw new TooManyRequests('too_many_requests', { seconds: 7 });
      },
    });
    publicRoute(app.http, {
      method: 'GET',
      url: '/raced/',
      handler: () =>
        sql`do $$ begin raise exception 'raced' using errcode = 'serialization_failure'; end $$`.execute(
          test.db,
        ),
    });
    publicRoute(app.http, {
      method: 'GET',
      url: '/full/',
      handler: () =>
        sql`do $$ begin raise exception 'full' using errcode = 'too_many_connections'; end $$`.execute(
          test.db,
        ),
    });
    const ask = (url: string) =>
      app.http.inject({ method: 'GET', url, headers: { 'accept-language': 'en' } });
    const often = await ask('/often/');
    expect([often.statusCode, often.headers['retry-after'], often.json().detail]).toEqual([
      429,
      '7',
      'Too many requests. Try again in 7 seconds.',
    ]);
    const raced = await ask('/raced/');
    expect([raced.statusCode, raced.json().code]).toEqual([409, 'conflict']);
    const full = await ask('/full/');
    expect([full.statusCode, full.headers['retry-after'], full.json().code]).toEqual([
      503,
      '1',
      'server_resources',
    ]);
    await app.http.close();
  });
});

describe('programs read', () => {
  const codes = ({ headers }: { headers: Headers }) => [
    headers.get('x-error-code'),
    headers.get('x-error-fields'),
  ];

  it('puts the code of every error into a header', async () => {
    expect(codes(await test.visitor.get('assets/labels/'))).toEqual(['not_authenticated', null]);
    expect(codes(await admin.get('nowhere/'))).toEqual(['not_found', null]);
    expect(codes(await admin.request('PUT', 'audits/operate-logs/', {}))).toEqual([
      'method_not_allowed',
      null,
    ]);
    expect(codes(await admin.send('POST', 'assets/labels/', '{', 'application/json'))).toEqual([
      'malformed_json',
      null,
    ]);
  });

  it('puts the codes of fields, batches and categories into a header in every language', async () => {
    const zh = admin.with({ 'accept-language': 'zh' });
    expect(codes(await zh.post('assets/labels/', { value: 'x', 'é, =': 1 }))).toEqual([
      'invalid',
      '%C3%A9%2C%20%3D=unknown_field, name=required',
    ]);
    expect(
      codes(await zh.post('assets/labels/', [{ name: 'a', value: 'b' }, { name: '' }])),
    ).toEqual(['invalid', '1.name=blank, 1.value=required']);
    expect(codes(await zh.patch('settings/setting/', { basic: { SITE_URL: 'x' } }))).toEqual([
      'invalid',
      'basic.SITE_URL=not_url',
    ]);
    expect(codes(await zh.get('assets/labels/?order=comment'))).toEqual([
      'invalid',
      'order=not_choice',
    ]);
  });

  it('encodes field names that are malformed text', async () => {
    for (const name of ['\ud800', `${'x'.repeat(63)}𠮷`, '\u202e', 'a\nb', '__proto__']) {
      const { status, headers } = await admin.send(
        'POST',
        'assets/labels/',
        `{${JSON.stringify(name)}: 1}`,
        'application/json',
      );
      expect([name, status, headers.get('x-error-fields')]).toEqual([
        name,
        400,
        expect.stringContaining('=unknown_field'),
      ]);
    }
  });

  it('keeps the header of field codes within the size limit of a header', async () => {
    const { status, headers } = await admin.post(
      'assets/labels/',
      Array.from({ length: 2_000 }, () => ({})),
    );
    expect([status, (headers.get('x-error-fields') ?? '').length < 2_100]).toEqual([400, true]);
  });
});

describe('a server that cannot store or serve more', () => {
  beforeAll(() =>
    sql`create function refuse_label() returns trigger language plpgsql as $$ begin
          raise exception 'could not extend file' using errcode = substr(new.name, 6, 5); end $$;
        create trigger refuse_label before insert on label for each row
          when (new.name like 'fail %') execute function refuse_label()`.execute(test.db),
  );
  afterAll(() => sql`drop trigger refuse_label on label`.execute(test.db));

  it.each([
    ['53100', 507, 'server_disk_full', null],
    ['25006', 503, 'server_read_only', '1'],
    ['58030', 503, 'server_disk_failing', '1'],
    ['53200', 503, 'server_resources', '1'],
    ['53300', 503, 'server_resources', '1'],
  ] as const)('answers the state %s of the database with %s and %s', async (...expected) => {
    const [state, status, code, retry] = expected;
    for (const [language, name] of [
      ['en', 'en'],
      ['zh', 'zh-CN'],
    ] as const) {
      const answer = await admin
        .with({ 'accept-language': name })
        .post('assets/labels/', { name: `fail ${state}`, value: unique('x') });
      const { body } = answer;
      expect([answer.status, body.code, body.detail]).toEqual([
        status,
        code,
        ERRORS[code][language],
      ]);
      expect(answer.headers.get('retry-after')).toBe(retry);
      expect(answer.text).not.toContain('extend');
    }
  });
});

it('names the object that still uses a deleted one', async () => {
  const manager = await admin.post('assets/admin-users/', {
    name: 'in use',
    username: 'root',
    password: 'x',
  });
  await sql`insert into asset (hostname, ip, platform, admin_user_id) values ('user-of-it', '10.0.0.1', 'Linux', ${manager.body.id}::uuid)`.execute(
    test.db,
  );
  const refused = refusalOfDatabase(
    await sql`delete from admin_user where id = ${manager.body.id}::uuid`
      .execute(test.db)
      .catch((error: unknown) => error),
    adminUser,
  );
  expect([
    refused && statusOf(refused),
    refused && bodyOf(refused, 'en'),
    refused && bodyOf(refused, 'zh'),
  ]).toEqual([
    409,
    expect.objectContaining({
      code: 'in_use',
      detail: 'This is still used by Asset and cannot be deleted.',
    }),
    expect.objectContaining({ detail: '仍被资产使用，无法删除。' }),
  ]);
});

it.each([
  ['/api/users/v1/users/?limit=1', '/api/v1/users/users/?limit=1'],
  ['/api/assets/v1/nodes/children/', '/api/v1/assets/nodes/children/'],
  ['/api/v1/applications/remote-app/', '/api/v1/applications/remote-apps/'],
  ['/api/v1/assets/admin-user/?username=root', '/api/v1/assets/admin-users/?username=root'],
  ['/api/v1/assets/asset-user?draw=1', '/api/v1/assets/asset-users?draw=1'],
  ['/api/v1/assets/cmd-filter/1/rules/', '/api/v1/assets/cmd-filters/1/rules/'],
  ['/api/v1/assets/domain', '/api/v1/assets/domains'],
  ['/api/v1/assets/gateway/domain/', '/api/v1/assets/gateways/domain/'],
  ['/api/v1/assets/system-user/1/auth-info/', '/api/v1/assets/system-users/1/auth-info/'],
  ['/api/v1/audits/ftp-log/', '/api/v1/audits/ftp-logs/'],
  ['/api/v1/orgs/org/1/', '/api/v1/orgs/orgs/1/'],
  ['/api/v1/perms/asset-permission/user/1/', '/api/v1/perms/asset-permissions/user/1/'],
  ['/api/v1/perms/remote-app-permission/', '/api/v1/perms/remote-app-permissions/'],
  ['/api/v1/perms/user/1/assets/?limit=5', '/api/v1/perms/users/1/assets/?limit=5'],
  ['/api/v1/perms/user-group/1/assets/', '/api/v1/perms/user-groups/1/assets/'],
  ['/api/v1/terminal/command/', '/api/v1/terminal/commands/'],
  ['/api/v1/terminal/terminal/', '/api/v1/terminal/terminals/'],
  ['/api/terminal/v1/terminal/', '/api/v1/terminal/terminal/'],
])('redirects an address of older scripts to the current one: %s', async (old, present) => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const { status, headers } = await admin.request(
      method,
      old,
      method === 'POST' ? {} : undefined,
    );
    expect([status, headers.get('location')]).toEqual([307, present]);
  }
});

it.each([
  '/api/v1/assets/domainx/',
  '/api/v1/assets/label/',
  '/api/v1/assets/x/domain/',
  '/api/v1/perms/user_group/',
  '/api/v2/assets/domain/',
  '/api/v1/users/user/',
])('answers 404 for %s, which no version had', async (path) => {
  const { status, headers } = await admin.get(path);
  expect([status, headers.get('location')]).toEqual([404, null]);
});

describe('a known address with a method that it does not have', () => {
  it.each([
    ['DELETE', 'users/profile/', 'GET, OPTIONS, PATCH, PUT'],
    ['POST', 'audits/operate-logs/', 'GET, OPTIONS'],
    ['PATCH', `terminal/commands/${crypto.randomUUID()}/`, 'GET, OPTIONS'],
    ['GET', 'terminal/tasks/kill-session/', 'OPTIONS, POST'],
    ['POST', '/ui/anything/at/all', 'GET'],
  ])('%s %s is answered with 405 and the methods there are', async (method, path, allow) => {
    const { status, body, headers } = await admin.request(
      method,
      path,
      method === 'GET' ? undefined : {},
    );
    expect([status, body.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', allow]);
    expect(body.detail).toBe(`Method ${method} is not allowed here.`);
  });

  it.each(['/api/v1/nothing/', '/api/v1/users/', '/apiXhealth/'])(
    'returns 404 for GET %s',
    async (path) => {
      const { status, body } = await admin.get(path);
      expect([status, body.code]).toEqual([404, 'not_found']);
    },
  );
});

describe('every code', () => {
  const root = resolve(import.meta.dirname, '../../..');
  const sources = ['contract/src', 'packages', 'server/src', 'web/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && name !== 'errors.ts')
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );

  it.each(Object.entries(ERRORS))(
    'words %s in both languages with the same placeholders',
    (_code, { en, zh }) => {
      const places = (text: string) =>
        [...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name).sort();
      expect(en).toMatch(/^[^\u4e00-\u9fff]{3,}$/);
      expect(zh).toMatch(/[\u4e00-\u9fff]/);
      expect(places(zh)).toEqual(places(en));
    },
  );

  it('uses every code', () => {
    const unused = Object.keys(ERRORS).filter(
      (code) =>
        !sources.some((text) => new RegExp(`['"\`]${code}['"\`]|ERRORS\\.${code}\\b`).test(text)),
    );
    expect(unused).toEqual([]);
  });
});

it('answers 503 with a code while the database is away', async () => {
  const database = await createTestDatabase();
  const { path, at } = throughPort(database.url);
  const proxy = await startCuttingProxy({ path });
  const url = at(proxy.port);
  const away = await startTestProgram({ databaseUrl: url });
  try {
    const client = await bearer(away);
    proxy.cut();
    for (const answer of [
      await client.get('assets/labels/'),
      await client.post('assets/labels/', { name: unique('label'), value: 'x' }),
      await away.visitor.post('authentication/auth/', { username: 'a', password: 'b' }),
    ])
      expect([answer.status, answer.body.code]).toEqual([503, 'database_away']);
    proxy.restore();
    expect((await client.get('assets/labels/')).status).toBe(200);
  } finally {
    await away.stop();
    await proxy.stop();
    await database.drop();
  }
});
