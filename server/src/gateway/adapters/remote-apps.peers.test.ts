import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../testing/databases/database-world.ts';
import { DesktopClient } from '../../testing/desktops/desktop-client.ts';
import { type PrivateXrdp, startPrivateXrdp } from '../../testing/desktops/private-xrdp.ts';
import { until } from '../../testing/poll.ts';

let world: DatabaseWorld;
let xrdp: PrivateXrdp;
let asset: string;
let systemUser: string;
beforeAll(async () => {
  [world, xrdp] = await Promise.all([startDatabaseWorld(), startPrivateXrdp()]);
  const { administrator: admin } = world;
  await admin.post('assets/admin-users/', {
    name: unique('admin'),
    username: 'root',
    password: 'x',
  });
  asset = await make('assets/assets/', {
    hostname: unique('apps'),
    ip: '127.0.0.1',
    protocols: [`rdp/${xrdp.port}`],
    platform: 'Windows',
  });
  systemUser = await make('assets/system-users/', {
    name: unique('account'),
    username: 'plain',
    protocol: 'rdp',
    password: xrdp.passwords.plain,
    auto_push: false,
  });
  // The program writes its folder and arguments to a file, and shows a window.
  await xrdp.inside(`cat >/home/plain/app <<'END'
#!/bin/sh
printf '%s\\n' "$PWD" "$@" >"$HOME/started"
exec xterm -bg '#336699' -e sleep 300
END
chmod 755 /home/plain/app`);
});
afterAll(async () => {
  await world?.stop();
  await xrdp?.stop();
});

async function make(path: string, body: object): Promise<string> {
  const created = await world.administrator.post(path, body);
  if (created.status !== 201)
    throw new Error(`${path} was answered with ${created.status} ${created.text}`);
  return String(created.body.id);
}

/** Creates a remote app with a permission of the member. */
async function grantApp(params: Json, path = '/home/plain/app') {
  const name = unique('program');
  const app = await make('applications/remote-apps/', {
    name,
    asset,
    type: 'custom',
    path,
    params,
  });
  const permission = await make('perms/remote-app-permissions/', {
    name: unique('rule'),
    users: [world.member.id],
    remote_apps: [app],
    system_users: [systemUser],
  });
  return { app, name, permission };
}

const connect = (request: { readonly remote_app?: string; readonly asset?: string }) =>
  DesktopClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { ...request, system_user: systemUser },
    world.client.headers,
  );

async function refusal(request: {
  readonly remote_app?: string;
  readonly asset?: string;
}): Promise<string> {
  return (await (await connect(request)).wire.message('closed')).code;
}

it('starts the program with its declared parameters only, names the app in the session, and ends with the permission', async () => {
  const { app, name, permission } = await grantApp({
    custom_target: "a b; touch '/home/plain/harm'",
    custom_username: 'clerk',
    custom_password: 'never shown',
  });
  const client = await connect({ remote_app: app });
  const page = client.asRdpPage();
  expect(await client.wire.message('open')).toMatchObject({ asset: name });
  expect(await client.wire.message('desktop')).toMatchObject({ protocol: 'rdp', name });
  expect(await client.wire.message('clipboard')).toMatchObject({ copy: false, paste: false });
  await until(
    async () => (await xrdp.inside('cat /home/plain/started 2>/dev/null || :')).includes('clerk'),
    'the program runs',
  );
  expect((await xrdp.inside('cat /home/plain/started')).trim().split('\n')).toEqual([
    '/home/plain',
    "a b; touch '/home/plain/harm'",
    'clerk',
  ]);
  expect(await xrdp.inside('ls /home/plain')).not.toContain('harm');
  await until(() => page.updates.length > 0, 'the picture');

  const { rows } = await sql<Json>`select * from session where asset_id = ${app}`.execute(
    world.test.db,
  );
  expect(rows).toMatchObject([
    { asset: name, target_kind: 'remote_app', protocol: 'rdp', org_id: world.organization },
  ]);
  const detail = await world.administrator.get(`terminal/sessions/${rows[0]?.id}/`);
  expect(detail.body).toMatchObject({
    asset: name,
    target_kind: 'remote_app',
    links: { asset: { resource: 'remote_app', id: app } },
  });
  const everything = Buffer.concat(client.received);
  for (const secret of [xrdp.passwords.plain, 'never shown'])
    for (const encoding of ['latin1', 'utf16le'] as const)
      expect(everything.includes(Buffer.from(secret, encoding))).toBe(false);

  expect(
    (await world.administrator.delete(`perms/remote-app-permissions/${permission}/`)).status,
  ).toBe(204);
  expect((await client.wire.message('closed')).code).toBe('connect_expired');
  await until(
    async () =>
      (await world.administrator.get(`terminal/sessions/${rows[0]?.id}/`)).body.replay_state ===
      'finished',
    'the recording is kept',
  );
});

it('rejects a remote app without a permission, by its server, with invalid parameters, and on a disabled server', async () => {
  const { app, permission } = await grantApp({ custom_target: 'x'.repeat(300) });
  expect(await refusal({ remote_app: app })).toBe('connect_app_program');
  // The permission covers the program, not its server.
  expect(await refusal({ asset })).toBe('connect_denied');
  expect(await refusal({ asset: app })).toBe('connect_denied');
  expect(await refusal({ remote_app: asset })).toBe('connect_denied');
  const both = await connect({ remote_app: app, asset });
  await both.wire.until('the socket to close', () => both.wire.closeCode);
  expect(both.wire.closeCode).toBe(1007);
  await world.administrator.patch(`assets/assets/${asset}/`, { is_active: false });
  expect(await refusal({ remote_app: app })).toBe('connect_denied');
  await world.administrator.patch(`assets/assets/${asset}/`, { is_active: true });
  await world.administrator.delete(`perms/remote-app-permissions/${permission}/`);
  expect(await refusal({ remote_app: app })).toBe('connect_denied');
});

it("uses the security and console settings of the server's platform", async () => {
  const { app } = await grantApp({});
  const { db } = world.test;
  await sql`insert into platform (name, base, meta) values ('Windows-NLA', 'Windows', '{"security": "nla", "console": true}')`.execute(
    db,
  );
  await sql`update asset set platform = 'Windows-NLA' where id = ${asset}`.execute(db);
  // The server has no network level authentication.
  expect(await refusal({ remote_app: app })).toBe('connect_rdp_no_nla');
  await sql`update platform set meta = '{"security": "tls", "console": true}' where name = 'Windows-NLA'`.execute(
    db,
  );
  const client = await connect({ remote_app: app });
  client.asRdpPage();
  expect(await client.wire.message('desktop')).toMatchObject({ protocol: 'rdp' });
  client.socket.close();
  await sql`update asset set platform = 'Windows' where id = ${asset}`.execute(db);
});
