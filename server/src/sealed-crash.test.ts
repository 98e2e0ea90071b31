import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from './platform/db/database.ts';
import { recordingFiles } from './platform/storage/testing/recording-files.ts';
import { buildAsset, buildOrganization, buildUser, unique } from './testing/builders.ts';
import { changeSettings } from './testing/change-settings.ts';
import type { Json } from './testing/client.ts';
import { useCommands } from './testing/command.ts';
import { until } from './testing/poll.ts';
import { startSshServer } from './testing/ssh/ssh-server.ts';
import type { SshTarget } from './testing/ssh/ssh-target.ts';
import { TerminalClient } from './testing/terminals/terminal-client.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';

const { folder, startOn } = useCommands();
let database: TestDatabase;
let opened: Database;
let sshd: SshTarget;
beforeAll(async () => {
  [database, sshd] = await Promise.all([createTestDatabase(), startSshServer()]);
  opened = openDatabase(database.url, 2);
});
afterAll(async () => {
  await opened.close();
  await database.drop();
  await sshd.stop();
});

it('recovers encrypted recordings of a killed server, and reports a changed one', async () => {
  const { db } = opened;
  const first = await startOn(database);
  const admin = await first.signIn();
  await changeSettings([admin], 'security', { SECURITY_ENCRYPT_RECORDINGS: true });
  const organization = await buildOrganization(db);
  const member = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
  const asset = await buildAsset(db, {
    organization,
    hostname: unique('target'),
    port: sshd.port,
  });
  const manager = admin.inOrganization(organization);
  const { body: systemUser } = await manager.post<Json>('assets/system-users/', {
    name: unique('account'),
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
  });
  await manager.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [member.id],
    assets: [asset],
    system_users: [systemUser.id],
  });
  const user = (await first.signIn(member.username, member.password)).inOrganization(organization);

  /** Opens a terminal that prints, and waits until the output is in its recording. */
  const record = async () => {
    const terminal = await TerminalClient.connect(
      admin.url.replace(/^http/, 'ws').replace(/\/(api.*)?$/, ''),
      { asset, system_user: String(systemUser.id) },
      user.headers,
    );
    const { session } = await terminal.message('open');
    for (const line of [1, 2, 3]) {
      terminal.type(`seq 20000; echo "line $((${line}00+1))"\r`);
      await terminal.waitFor(`line ${line}01`);
    }
    const { body } = await manager.get<Json>(`terminal/sessions/${session}/`);
    const startedAt = new Date(String(body.date_start).replace(' ', 'T').replace(' ', ''));
    const { running } = recordingFiles(join(folder(), 'recordings'), { id: session, startedAt });
    const size = async () => (await readFile(running).catch(() => Buffer.alloc(0))).length;
    await until(async () => (await size()) > 300_000, 'the output is in the recording');
    return { session, running };
  };
  const [whole, changed] = [await record(), await record()];
  first.command.child.kill('SIGKILL');
  await first.command.ended;
  for (const { running } of [whole, changed]) {
    const bytes = await readFile(running);
    expect([bytes.subarray(0, 7).toString(), bytes.includes('line 301')]).toEqual([
      'SPSEAL1',
      false,
    ]);
  }
  // A torn frame is the work of the crash; a changed one is not.
  await writeFile(whole.running, Buffer.from([9, 9, 0, 0, 9]), { flag: 'a' });
  const bytes = await readFile(changed.running);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(changed.running, bytes);

  const second = await startOn(database);
  const again = (await second.signIn()).inOrganization(organization);
  const state = async (id: string) =>
    (await again.get<Json>(`terminal/sessions/${id}/`)).body.replay_state;
  await until(async () => (await state(whole.session)) === 'recovered', 'it is recovered');
  expect(await state(changed.session)).toBe('failed');
  const replay = await again.get(`terminal/sessions/${whole.session}/replay/download/`);
  expect([replay.status, replay.text.includes('line 301')]).toEqual([200, true]);
  expect(second.command.output()).toMatch(/was changed, moved or cut off.*could not be finished/);
});
