import type { FieldMetadata } from '@sallyport/contract';
import { ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { buildUser, unique } from '../testing/builders.ts';
import type { Client, Json } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

/** Rows and metadata of resources, as clients of API version 2.1 expect them. */

type Columns = Readonly<Record<string, FieldMetadata>>;

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const columnsOf = async (path: string): Promise<Columns> =>
  (await admin.options<{ actions: { GET: Columns } }>(`${path}?draw=1&display=1`)).body.actions.GET;

describe('assets', () => {
  let asset: Json;
  beforeAll(async () => {
    asset = (
      await admin.post('assets/assets/', {
        hostname: unique('web'),
        ip: '10.0.0.1',
        platform: 'Linux',
      })
    ).body;
  });

  it('shows the reachability of every asset: unknown, and after a test the stored state', async () => {
    const row = async () =>
      (await admin.get<Json[]>(`assets/assets/?draw=1&display=1&id=${asset.id}`)).body[0];
    expect((await row())?.connectivity).toEqual({
      status: 2,
      datetime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}$/),
    });
    await sql`update asset set connectivity_status = 1, connectivity_date = '2026-01-31T00:30:00Z' where id = ${asset.id}`.execute(
      test.db,
    );
    expect((await row())?.connectivity).toEqual({
      status: 1,
      datetime: '2026-01-31 08:30:00 +0800',
    });
    expect(await columnsOf('assets/assets/')).toMatchObject({ connectivity: { read_only: true } });
  });

  it('lists the hardware of assets, with the disks as text', async () => {
    await sql`update asset set vendor = 'Dell', disk_info = '{"sda": "20 GB"}' where id = ${asset.id}`.execute(
      test.db,
    );
    const [row] = (await admin.get<Json[]>(`assets/assets/?id=${asset.id}`)).body;
    expect(row).toMatchObject({
      vendor: 'Dell',
      disk_info: '{"sda": "20 GB"}',
      hostname_raw: null,
    });
    expect((await columnsOf('assets/assets/')).disk_info).toMatchObject({ type: 'string' });
  });

  it('offers the platforms of an asset as a choice', async () => {
    const { body } = await admin.options<{ actions: Record<'GET' | 'POST', Columns> }>(
      'assets/assets/',
    );
    expect([body.actions.GET.platform?.type, body.actions.POST.platform?.type]).toEqual([
      'field',
      'field',
    ]);
  });
});

describe('system users', () => {
  const created = (body: Json) =>
    admin.post('assets/system-users/', {
      name: unique('account'),
      username: 'deploy',
      auto_generate_key: true,
      ...body,
    });
  const stored = async (id: unknown) => {
    const { rows } = await sql<Record<'password' | 'private_key' | 'public_key', string | null>>`
      select password, private_key, public_key from system_account where id = ${id}`.execute(
      test.db,
    );
    const { vault } = test.program;
    const open = (name: 'password' | 'private_key' | 'public_key') =>
      rows[0]?.[name] ? vault.open(rows[0][name], `system_account.${name}.${id}`) : null;
    return {
      password: await open('password'),
      private_key: await open('private_key'),
      public_key: await open('public_key'),
    };
  };

  it('generates a password and a key pair for a system user when the box is checked, even over typed values', async () => {
    const { status, body } = await created({ login_mode: 'auto', protocol: 'ssh', password: '' });
    expect([status, body.auto_generate_key]).toEqual([201, undefined]);
    const secrets = await stored(body.id);
    expect(secrets.password).toMatch(/^\w{20}$/);
    const key = ssh2.utils.parseKey(secrets.private_key ?? '');
    if (key instanceof Error) throw key;
    const line = `ssh-ed25519 ${key.getPublicSSH().toString('base64')} deploy`;
    expect([key.type, secrets.public_key]).toEqual(['ssh-ed25519', line]);
    // Administrators need the public key to install it; the private key stays hidden.
    const { body: row, text } = await admin.get(`assets/system-users/${body.id}/`);
    expect(row.ssh_public_key).toBe(line);
    expect([text.includes('PRIVATE'), text.includes(secrets.password ?? '')]).toEqual([
      false,
      false,
    ]);
  });

  it('generates only a password without SSH, and nothing for manual login or changes', async () => {
    const desktop = await created({ protocol: 'rdp' });
    expect(await stored(desktop.body.id)).toMatchObject({
      password: expect.stringMatching(/^\w{20}$/),
      private_key: null,
    });
    const manual = await created({ login_mode: 'manual' });
    expect(await stored(manual.body.id)).toEqual({
      password: null,
      private_key: null,
      public_key: null,
    });
    const before = await stored(desktop.body.id);
    expect(
      (
        await admin.patch(`assets/system-users/${desktop.body.id}/`, {
          auto_generate_key: true,
          comment: 'x',
        })
      ).status,
    ).toBe(200);
    expect(await stored(desktop.body.id)).toEqual(before);
    expect((await created({ auto_generate_key: false })).status).toBe(400);
  });

  it('generates a password of letters, digits and signs for a protocol that uses it as a cipher key', async () => {
    const account = (password: string, protocol = 'vnc') =>
      admin.post('assets/system-users/', {
        name: unique('screen'),
        username: 'screen',
        protocol,
        password,
      });
    const refused = await account('pässwort');
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['password']]);
    expect((await account('密码')).status).toBe(400);
    const { status, body } = await account('a-b c~9!');
    expect([
      status,
      (await admin.patch(`assets/system-users/${body.id}/`, { password: 'ñ' })).status,
    ]).toEqual([201, 400]);
    expect((await account('pässwort', 'ssh')).status).toBe(201);
  });

  it('shows the box for generated keys only in the form', async () => {
    const { body } = await admin.options<{ actions: Record<'GET' | 'POST', Columns> }>(
      'assets/system-users/',
    );
    expect(body.actions.POST.auto_generate_key).toMatchObject({
      type: 'boolean',
      required: false,
      write_only: true,
    });
    expect(body.actions.GET.auto_generate_key).toBeUndefined();
  });
});

it.each([
  ['assets/admin-users/', 'comment'],
  ['assets/platforms/', 'base'],
  ['assets/platforms/', 'comment'],
  ['terminal/sessions/', 'login_from'],
  ['terminal/commands/', 'risk_level'],
  ['audits/login-logs/', 'type'],
  ['audits/login-logs/', 'mfa'],
  ['audits/operate-logs/', 'action'],
])('orders %s by %s, which clients offer', async (path, name) => {
  const up = await admin.get<Json[]>(`${path}?order=${name}`);
  const down = await admin.get<Json[]>(`${path}?order=-${name}`);
  expect([up.status, down.status]).toEqual([200, 200]);
  const values = (rows: Json[]) =>
    rows
      .map((row) => JSON.stringify(row[name]))
      .filter((value) => value !== 'null' && value !== '""');
  expect(values(down.body)).toEqual(values(up.body).reverse());
  expect((await columnsOf(path))[name]).toMatchObject({ order: true });
});

it('offers success and failure as choices for the sign-in log', async () => {
  expect((await columnsOf('audits/login-logs/')).status).toMatchObject({
    type: 'choice',
    choices: [
      { value: true, display_name: 'Success' },
      { value: false, display_name: 'Failed' },
    ],
  });
  await test.visitor.post('authentication/auth/', { username: 'admin', password: 'wrong' });
  for (const [value, status] of [
    ['True', true],
    ['False', false],
  ] as const)
    expect([
      ...new Set(
        (await admin.get<Json[]>(`audits/login-logs/?status=${value}`)).body.map(
          (row) => row.status,
        ),
      ),
    ]).toEqual([status]);
});

it('lists sessions with a terminal', async () => {
  await sql`insert into session ("user", asset, "system_user", is_finished) values ('somebody', 'web-01', 'root', true)`.execute(
    test.db,
  );
  const [row] = (await admin.get<Json[]>('terminal/sessions/')).body;
  expect(row).toMatchObject({ terminal: null });
});

it('sets the expiry of the first administrator far in the future', async () => {
  const [row] = (await admin.get<Json[]>('users/users/?username=admin')).body;
  expect(Number(String(row?.date_expired).slice(0, 4))).toBeGreaterThan(
    new Date().getFullYear() + 60,
  );
});

it('keeps the blank of the mail prefix when the settings are saved unchanged', async () => {
  const { body } = await admin.get<{ basic: Json }>('settings/setting/?category=basic');
  expect(body.basic.EMAIL_SUBJECT_PREFIX).toMatch(/ $/);
  expect(
    (await admin.patch('settings/setting/?category=basic', { basic: body.basic })).status,
  ).toBe(200);
  expect((await admin.get<{ basic: Json }>('settings/setting/?category=basic')).body.basic).toEqual(
    body.basic,
  );
});

it("keeps a user's key when the server can send no mail", async () => {
  const person = await buildUser(test.db);
  await sql`update account set public_key = 'ssh-ed25519 AAAA x' where id = ${person.id}`.execute(
    test.db,
  );
  const refused = await admin.put(`users/users/${person.id}/pubkey/reset/`);
  expect([refused.status, refused.body.code]).toEqual([400, 'mail_not_configured']);
  const { rows } = await sql<{
    public_key: string | null;
  }>`select public_key from account where id = ${person.id}`.execute(test.db);
  expect(rows[0]?.public_key).not.toBeNull();
});

it('reports a taken username and a taken address together, in a file and in a body', async () => {
  const person = await buildUser(test.db);
  const body = {
    name: 'Again',
    username: person.username,
    email: `${person.username}@example.com`,
    password: 'quiet-Harbour-4-lantern',
    password_strategy: 1,
  };
  expect(Object.keys((await admin.post('users/users/', body)).body).sort()).toEqual([
    'email',
    'username',
  ]);
  const file = `name,username,email,password,password_strategy\r\n${Object.values(body).join(',')}\r\n`;
  const refused = await admin.send<Json[]>('POST', 'users/users/', file, 'text/csv');
  expect([refused.status, refused.body.map((row) => Object.keys(row).sort())]).toEqual([
    400,
    [['email', 'username']],
  ]);
});
