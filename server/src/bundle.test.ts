import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { startSshd } from './gateway/testing/sshd.ts';
import { TerminalClient } from './gateway/testing/terminal-client.ts';
import { Client, type Json } from './testing/client.ts';
import { ADMIN_PASSWORD, useCommands } from './testing/command.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const commands = useCommands();

it('the bundle that is started migrates its database, serves what it has loaded, and loads at its use what a session needs', async () => {
  const made = spawnSync(process.execPath, ['-e', `import(${JSON.stringify(join(ROOT, 'scripts/lib.mjs'))}).then((lib) => lib.ensureBundled())`], {
    encoding: 'utf8',
  });
  expect([made.status, made.stderr]).toEqual([0, '']);
  const sshd = await startSshd();
  try {
    const command = commands.start({ SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8' }, join(ROOT, 'server/dist/main.mjs'));
    const address = await command.ready();
    const visitor = new Client(address);
    const { body } = await visitor.post<{ token: string }>('authentication/auth/', { username: 'admin', password: ADMIN_PASSWORD });
    const client = visitor.with({ authorization: `Bearer ${body.token}`, 'accept-language': 'en' });
    expect((await client.get('/api/docs/')).status).toBe(200);
    const asset = await client.post<Json>('assets/assets/', { hostname: 'target', ip: sshd.host, platform: 'Linux', protocols: [`ssh/${sshd.port}`] });
    expect([asset.status, asset.text]).toEqual([201, expect.stringContaining('target')]);
    const account = { name: 'account', username: sshd.username, login_mode: 'auto', protocol: 'ssh', private_key: sshd.privateKey };
    const systemUser = await client.post<Json>('assets/system-users/', account);
    const { body: admin } = await client.get<Json>('users/profile/');
    const rule = { name: 'rule', users: [admin.id], assets: [asset.body.id], system_users: [systemUser.body.id] };
    expect((await client.post('perms/asset-permissions/', rule)).status).toBe(201);
    const base = address.replace(/^http/, 'ws').replace(/\/$/, '');
    const terminal = await TerminalClient.connect(base, { asset: String(asset.body.id), system_user: String(systemUser.body.id) }, client.headers);
    await terminal.message('open');
    terminal.type('echo from-the-"bundle"\r');
    await terminal.waitFor('from-the-bundle');
    await terminal.close();
  } finally {
    await sshd.stop();
  }
});
