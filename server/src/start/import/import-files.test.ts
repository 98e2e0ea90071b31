import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSshKeyPair } from '@sallyport/ssh';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { fingerprintOf } from '../../platform/ssh-keys.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let folder: string;
let admin: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterEach(() => test.stop());

async function runImport(...words: string[]) {
  const result = await runOperatorCommand(test, ['import', ...words]);
  return { ...result, lines: result.stdout.trim().split('\n') };
}
const write = async (name: string, text: string) => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};
const keyLine = (name: string) => generateSshKeyPair(name).public.split(' ').slice(0, 2).join(' ');

it('imports the hosts of an ssh_config with users, jump hosts and host keys', async () => {
  const [web, db] = [keyLine('web'), keyLine('db')];
  const salt = Buffer.from('a salt of 20 letters');
  const digest = createHmac('sha1', salt).update('[10.0.0.2]:2222').digest('base64');
  const config = await write(
    'config',
    `# Servers of the team
Host web-1
  HostName 10.0.0.1
Host db-*
  User postgres
  Port 2222
Host db-1
  HostName=10.0.0.2
  Port 22
  ProxyJump jump@gate:2200
Host gate
  HostName 198.51.100.7
Match exec "true"
  User other
Host * !db-1
  User deploy
  Include more
`,
  );
  const known = await write(
    'known_hosts',
    `web-1,10.0.0.1 ${web}\n|1|${salt.toString('base64')}|${digest} ${db}\n@revoked * ${db}\n`,
  );
  const words = ['ssh-config', config, `--known-hosts=${known}`];
  const plan = await runImport(...words, '--plan');
  expect(plan.lines.slice(0, 3)).toEqual([
    expect.stringMatching(/^note config:\d+: Match depends on the moment/),
    expect.stringMatching(/^note config:\d+: Include is not followed/),
    expect.stringMatching(/^note known_hosts:3: @revoked is not imported/),
  ]);
  expect(plan.code).toBe(2);
  expect((await runImport(...words, '--apply')).code).toBe(0);
  const { body: assets } = await admin.get<Json[]>('assets/assets/');
  expect(assets).toMatchObject([
    { hostname: 'db-1', ip: '10.0.0.2', protocols: ['ssh/2222'], domain_display: 'via gate' },
    { hostname: 'web-1', ip: '10.0.0.1', protocols: ['ssh/22'] },
  ]);
  expect((await admin.get<Json[]>('assets/gateways/')).body).toMatchObject([
    { name: 'gate', ip: '198.51.100.7', port: 2200, username: 'jump' },
  ]);
  const { body: systemUsers } = await admin.get<Json[]>('assets/system-users/');
  expect(systemUsers.map(({ name, login_mode }) => `${name}: ${login_mode}`)).toEqual([
    'deploy (ssh): manual',
    'postgres (ssh): manual',
  ]);
  const { rows } = await sql<{ hostname: string; port: number; fingerprint: string }>`
    select a.hostname, k.port, k.fingerprint from host_key k join asset a on a.id = k.asset_id
    order by 1`.execute(test.program.database.db);
  expect(rows).toEqual([
    { hostname: 'db-1', port: 2222, fingerprint: fingerprintOf(db) },
    { hostname: 'web-1', port: 22, fingerprint: fingerprintOf(web) },
  ]);
  expect((await runImport(...words, '--plan')).code).toBe(0);
});

it('imports the connections of Guacamole for users that exist', async () => {
  const { username } = await buildUser(test.db);
  const file = await write(
    'user-mapping.xml',
    `<user-mapping>
  <authorize username="${username}" password="x">
    <connection name="web 1">
      <protocol>ssh</protocol>
      <param name="hostname">10.0.0.1</param>
      <param name="username">deploy</param>
      <param name="password">of deploy 1</param>
      <param name="enable-sftp">true</param>
    </connection>
    <connection name="desk">
      <protocol>rdp</protocol>
      <param name="hostname">10.0.0.3</param>
      <param name="port">3390</param>
      <param name="username">\${GUAC_USERNAME}</param>
      <param name="password">\${GUAC_PASSWORD}</param>
      <param name="disable-copy">true</param>
    </connection>
    <connection name="pods"><protocol>kubernetes</protocol></connection>
  </authorize>
  <authorize username="nobody.here" password="x">
    <protocol>vnc</protocol>
    <param name="hostname">10.0.0.4</param>
  </authorize>
</user-mapping>`,
  );
  const refused = await runImport('guacamole', file, '--apply');
  expect(refused.lines).toEqual(
    expect.arrayContaining([
      expect.stringContaining('connection "pods": protocol kubernetes is not imported'),
      expect.stringContaining('refused user "nobody.here"'),
    ]),
  );
  expect(refused.stdout).not.toContain('of deploy 1');
  expect((await runImport('guacamole', file, '--apply', '--skip-refused')).code).toBe(0);
  const { body: rules } = await admin.get<Json[]>('perms/asset-permissions/');
  const permissions = rules.map(({ name, actions, users }) => ({ name, actions, users }));
  expect(permissions).toEqual([
    {
      name: 'Guacamole: desk',
      actions: ['connect', 'clipboard_paste'],
      users: [expect.any(String)],
    },
    { name: 'Guacamole: nobody.here', actions: expect.any(Array), users: [] },
    {
      name: 'Guacamole: web 1',
      actions: expect.arrayContaining(['connect', 'upload_file', 'download_file']),
      users: [expect.any(String)],
    },
  ]);
  const { body: systemUsers } = await admin.get<Json[]>('assets/system-users/');
  expect(systemUsers.map(({ name, login_mode }) => `${name}: ${login_mode}`)).toEqual([
    'desk: manual',
    'nobody.here: manual',
    'web 1: auto',
  ]);
});

it('names file and line of bad input, and asks for file and mode', async () => {
  const config = await write('config', 'Host web\n  Port 99999\n');
  expect((await runImport('ssh-config', config, '--plan')).stderr).toContain(
    'config: Port of web is not a port.',
  );
  const line = await write('config', 'Host web\n  Port\n');
  expect((await runImport('ssh-config', line, '--plan')).stderr).toContain('config:2: expected');
  expect((await runImport('ssh-config', config)).stderr).toContain('one of --plan and --apply');
  expect((await runImport('guacamole', '--plan')).stderr).toContain('Name the file');
  const xml = await write('mapping.xml', '<!DOCTYPE a><user-mapping/>');
  expect((await runImport('guacamole', xml, '--plan')).stderr).toContain('document type');
  expect((await runImport('guacamole', `${folder}/none`, '--plan')).stderr).toContain(
    'cannot be read',
  );
});
