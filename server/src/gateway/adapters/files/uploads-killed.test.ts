import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { buildAsset, buildUser } from '../../../testing/builders.ts';
import { Client, type Json } from '../../../testing/client.ts';
import { ADMIN_PASSWORD, useCommands } from '../../../testing/command.ts';
import { freePort } from '../../../testing/free-port.ts';
import { importLicense, LICENSE_PUBLIC_KEY } from '../../../testing/license.ts';
import { until } from '../../../testing/poll.ts';
import { openSftp } from '../../../testing/ssh/sftp-calls.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../../testing/ssh/ssh-target.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';

const { start } = useCommands();
let database: TestDatabase;
let open: ReturnType<typeof openDatabase>;
let sshd: SshTarget;
beforeAll(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.url, 3);
  sshd = await startSshServer();
});
afterAll(async () => {
  await sshd?.stop();
  await open?.close();
  await database?.drop();
});

it('continues an upload after the server was stopped, and after it was killed', async () => {
  const { db } = open;
  const port = await freePort();
  const begin = async () => {
    const command = start({
      SALLYPORT_DATABASE_URL: database.url,
      SALLYPORT_SECRET_KEY: 'a'.repeat(64),
      SALLYPORT_LICENSE_PUBLIC_KEY: LICENSE_PUBLIC_KEY,
      SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
      SALLYPORT_SSH_PORT: String(port),
    });
    return { command, visitor: new Client(await command.ready()) };
  };
  const first = await begin();
  const { body } = await first.visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  const admin = first.visitor.with({ authorization: `Bearer ${body.token}` });
  expect((await importLicense(admin)).status).toBe(200);
  const user = await buildUser(db);
  const asset = await buildAsset(db, { hostname: 'files-01', port: sshd.port });
  const root = join(sshd.home, 'root');
  await mkdir(root);
  const account = await admin.post<Json>('assets/system-users/', {
    name: 'ops',
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
    sftp_root: root,
  });
  const granted = await admin.post('perms/asset-permissions/', {
    name: 'files',
    users: [user.id],
    assets: [asset],
    system_users: [account.body.id],
  });
  expect([account.status, granted.status]).toEqual([201, 201]);

  const whole = randomBytes(900_000);
  const path = join(root, 'file');
  await writeFile(path, 'the old file');
  const connect = () =>
    openSftp({ port, login: `${user.username}@ops@files-01`, password: user.password });
  const sizeOf = async (client: Awaited<ReturnType<typeof connect>>) =>
    (await client.call<{ size: number }>((sftp, done) => sftp.stat(path, done))).size;
  const writeMore = async (flags: 'w' | 'a', from: number, to: number) => {
    const client = await connect();
    const offset = flags === 'w' ? 0 : await sizeOf(client);
    expect(offset).toBe(from);
    const handle = await client.call<Buffer>((sftp, done) => sftp.open(path, flags, done));
    for (let at = offset; at < to; at += 30_000) {
      const piece = whole.subarray(at, Math.min(at + 30_000, to));
      await client.call((sftp, done) =>
        sftp.write(handle, piece, 0, piece.length, at, (error) => done(error, undefined)),
      );
    }
    return { client, handle };
  };
  const recorded = (bytes: number) =>
    until(
      async () =>
        (await sql<{ bytes: number }>`select bytes from kept_upload`.execute(db)).rows[0]?.bytes ===
        bytes,
      'the progress is recorded',
    );

  await writeMore('w', 0, 300_000);
  first.command.child.kill('SIGTERM');
  await first.command.ended;
  await recorded(299_999);
  const second = await begin();
  await writeMore('a', 299_999, 600_000);
  await recorded(599_999);
  second.command.child.kill('SIGKILL');
  await second.command.ended;
  expect(await readFile(path, 'utf8')).toBe('the old file');
  await begin();
  const { client, handle } = await writeMore('a', 599_999, whole.length);
  await client.call((sftp, done) => sftp.close(handle, done));
  await client.end();
  expect(await readFile(path)).toEqual(whole);
  expect(await readdir(root)).toEqual(['file']);
}, 90_000);
