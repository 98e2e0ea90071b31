import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildPermission, buildUser, unique } from '../../../testing/builders.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { MenuClient } from '../../../testing/ssh/menu-client.ts';
import { type SshWorld, startSshWorld } from '../../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

let world: SshWorld;
let other: string;
beforeAll(async () => {
  world = await startSshWorld();
  other = unique('zz-other');
  await writeFile(join(world.sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
  const asset = await buildAsset(world.test.db, {
    organization: world.organization,
    hostname: other,
    port: world.sshd.port,
  });
  await buildPermission(world.test.db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [asset],
    systemUsers: [world.systemUser],
  });
});
afterAll(() => world.stop());

it('finds a server, opens it, returns when its shell ends, and quits', async () => {
  const client = new MenuClient(world.ssh, world.member);
  await client.sees('welcome to Sallyport');
  await client.sees('Opt> ');
  client.type('p\r');
  await client.sees('2 servers');
  client.type('/zz-\r');
  await client.sees('1 server');
  client.type('//no-such\r');
  await client.sees('Nothing found.');
  // Edits in the middle of the line: arrows move back, Backspace removes a letter.
  client.type(`${other.slice(0, 4)}X${other.slice(4)}${'\x1b[D'.repeat(other.length - 4)}\x7f\r`);
  await client.sees(`Connecting to ${world.sshd.username}@${other}`);
  await client.sees('ready> ');
  client.type('echo in-"the"-shell\r');
  await client.sees('in-the-shell');
  client.type('exit\r');
  await client.sees('Opt> ');
  client.type('p\r');
  await client.sees('2 servers');
  client.type('1\r');
  await client.sees('ready> ');
  client.type('exit\r');
  await client.sees('Opt> ');
  client.type('g\r');
  await client.sees('1.');
  client.type('g1\r');
  await client.sees('2 servers');
  client.type('zz-\t');
  await client.sees(other);
  client.type('\x03q\r');
  expect(await client.ends()).toBe(0);
});

it('lists directly granted servers as ungrouped when the setting says so', async () => {
  const superuser = await bearer(world.test);
  const put = async (value: boolean) =>
    expect(
      (
        await superuser.patch('settings/setting/', {
          terminal: { PERM_SINGLE_ASSET_TO_UNGROUP_NODE: value },
        })
      ).status,
    ).toBe(200);
  await put(true);
  try {
    const client = new MenuClient(world.ssh, world.member);
    await client.sees('Opt> ');
    client.type('g\r');
    await client.sees('1.Ungrouped(2)');
    client.type('g1\r');
    await client.sees(other);
    await client.sees('2 servers');
    client.type('q\r');
    expect(await client.ends()).toBe(0);
  } finally {
    await put(false);
  }
});

it('speaks Chinese to Chinese clients, and lets auditors watch sessions of their organization only', async () => {
  const auditor = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'Auditor' }],
  });
  const worker = new MenuClient(world.ssh, world.member);
  await worker.sees('Opt> ');
  worker.type(`${other}\r`);
  await worker.sees('ready> ');
  const administrator = world.administrator;
  let id = '';
  await until(async () => {
    const { body } = await administrator.get<{ id: string }[]>(
      'terminal/sessions/?is_finished=false',
    );
    id = body[0]?.id ?? '';
    return id !== '';
  }, 'the session is listed');
  const stranger = new MenuClient(world.ssh, world.member);
  await stranger.sees('Opt> ');
  stranger.type(`join ${id}\r`);
  await stranger.sees('No live session');
  stranger.type('q\r');
  expect(await stranger.ends()).toBe(0);

  const viewer = new MenuClient(world.ssh, auditor, { LC_ALL: 'zh_CN.UTF-8' });
  await viewer.sees('欢迎使用');
  await viewer.sees('Opt> ');
  viewer.type(`join ${id}\r`);
  await viewer.sees('只读');
  worker.type('echo seen-"by"-others\r');
  await viewer.sees('seen-by-others');
  worker.type('exit\r');
  await viewer.sees('会话已结束');
  viewer.type('xq\r');
  expect(await viewer.ends()).toBe(0);
  await worker.sees('Opt> ');
  worker.type('\x04');
  expect(await worker.ends()).toBe(0);
});

it('sends the size of the terminal to watchers', async () => {
  const auditor = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'Auditor' }],
  });
  const base = world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const { headers } = await bearer(world.test, world.member);
  const worker = await TerminalClient.connect(
    base,
    { asset: world.asset, system_user: world.systemUser },
    headers,
  );
  const { session } = await worker.message('open');
  await worker.waitFor('ready> ');
  const viewer = new MenuClient(world.ssh, auditor);
  await viewer.sees('Opt> ');
  viewer.type(`join ${session}\r`);
  await viewer.sees('\x1b[8;');
  await viewer.sees('ready> ');
  worker.send({ type: 'resize', cols: 101, rows: 33 });
  await viewer.sees('\x1b[8;33;101t');
  await viewer.sees('ready> ');
  viewer.type('qq\r');
  expect(await viewer.ends()).toBe(0);
  await worker.close();
});

it('passes text and colors of a watched session, and nothing that commands the terminal', async () => {
  const auditor = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'Auditor' }],
  });
  const base = world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const { headers } = await bearer(world.test, world.member);
  const worker = await TerminalClient.connect(
    base,
    { asset: world.asset, system_user: world.systemUser },
    headers,
  );
  const { session } = await worker.message('open');
  await worker.waitFor('ready> ');
  const hostile = [
    ...['\\033]0;TITLE\\007', '\\033]52;c;Q0xJUA==\\007', '\\033\\n]52;c;Q0xJUA==\\033\\\\'],
    ...['\\033[6n', '\\033[c', '\\033[6\\nn', '\\033[?2004;1000h', '\\033]8;;http://x\\033\\\\'],
  ].join('-');
  const typed = (mark: string) => `printf '${hostile}\\033[31m%s-${mark}\\033[0m\\n' seen\r`;
  // The first part comes with the screen when the watcher joins, the second one live.
  worker.type(typed('before'));
  await worker.waitFor('seen-before');
  const viewer = new MenuClient(world.ssh, auditor);
  await viewer.sees('Opt> ');
  const start = viewer.output.length;
  viewer.type(`join ${session}\r`);
  await viewer.sees('\x1b[31mseen-before\x1b[0m');
  worker.type(typed('live'));
  await viewer.sees('\x1b[31mseen-live\x1b[0m');
  const passed = viewer.output.slice(start).replaceAll('\x1b', 'ESC');
  expect(passed).not.toMatch(/ESC\]|ESC\[[\d\n]*[nc]|ESC\[\?[\d;]*(2004|1000)h/);
  viewer.type('q');
  // Leaving restores the terminal of the watcher.
  await viewer.sees('\x1b[?1049l');
  viewer.type('q\r');
  expect(await viewer.ends()).toBe(0);
  await worker.close();
});

it('shows with each account the hours that its condition does not include now', async () => {
  const { administrator, asset, member } = world;
  const create = async (path: string, values: object) => {
    const { status, body, text } = await administrator.post(path, { name: unique('x'), ...values });
    expect(status, text).toBe(201);
    return String(body.id);
  };
  const condition = await create('perms/conditions/', {
    hours: ['Mon-Sun 00:00-24:00'],
    hours_excluded: true,
  });
  const account = await create('assets/system-users/', {
    username: 'night',
    login_mode: 'manual',
    protocol: 'ssh',
  });
  await create('perms/asset-permissions/', {
    users: [member.id],
    assets: [asset],
    system_users: [account],
    condition,
  });
  const client = new MenuClient(world.ssh, world.member);
  await client.sees('Opt> ');
  client.type(`${world.hostname}\r`);
  await client.sees('Condition');
  await client.sees('not now: except Mon–Sun 00:00–24:00 UTC');
  client.type('q\r');
  await client.sees('Opt> ');
  client.type('q\r');
  expect(await client.ends()).toBe(0);
});

it('leaves the menu when a sign-in rule refuses its address, before it lists anything', async () => {
  const client = new MenuClient(world.ssh, world.member);
  await client.sees('Opt> ');
  const added = await world.administrator.post('users/sign-in-rules/', {
    ...{ name: unique('rule'), users: [world.member.id], networks: ['192.0.2.0/24'] },
  });
  expect(added.status, added.text).toBe(201);
  client.type('p\r');
  await client.ends();
  expect(client.output).not.toContain('2 servers');
  await world.administrator.delete(`users/sign-in-rules/${added.body.id}/`);
});
