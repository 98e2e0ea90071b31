import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildUser } from '../../../testing/builders.ts';
import { changeSettings } from '../../../testing/change-settings.ts';
import type { Json } from '../../../testing/client.ts';
import { type CuttingProxy, startCuttingProxy } from '../../../testing/cutting-proxy.ts';
import { loggedFiles } from '../../../testing/files/file-log.ts';
import { runHousekeeping, withoutSchedule } from '../../../testing/jobs.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { openSftp, type SftpCalls } from '../../../testing/ssh/sftp-calls.ts';
import { type SshWorld, startSshWorld } from '../../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let proxy: CuttingProxy;
let root: string;
beforeAll(async () => {
  world = await startSshWorld();
  proxy = await startCuttingProxy({ port: world.sshd.port });
  root = join(world.sshd.home, 'root');
  await mkdir(root);
  for (const [path, body] of [
    [`assets/system-users/${world.systemUser}/`, { sftp_root: root }],
    [`assets/assets/${world.asset}/`, { protocols: [`ssh/${proxy.port}`] }],
  ] as const) {
    const { status, text } = await world.administrator.patch(path, body);
    expect(status, text).toBe(200);
  }
  await withoutSchedule(world.test, 'remove-kept-uploads');
});
afterAll(async () => {
  await world.stop();
  await proxy.stop();
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const connect = (login = world.login, user = world.member) =>
  openSftp({ port: world.port, login, password: user.password });
const parts = async (name: string) =>
  (await readdir(root)).filter((each) => each.startsWith(`.${name}.sallyport-`));
const rows = async (name: string) =>
  (
    await sql<{ bytes: number; session: string | null; attempts: number }>`
      select bytes, session, attempts from kept_upload
      where convert_from(place, 'UTF8') = ${join(root, name)}`.execute(world.test.db)
  ).rows;
const kept = (name: string) =>
  until(async () => (await rows(name)).some(({ session }) => session === null), `${name} is kept`);

/** Waits until the target has no part of a file, and the server, which learns it later, no row. */
const nothingLeft = async (name: string) => {
  expect(await parts(name)).toEqual([]);
  await until(async () => (await rows(name)).length === 0, `the row of ${name} is removed`);
};

/** Waits until the progress of an upload of `start` is recorded. */
const recorded = (name: string) =>
  until(
    async () => (await rows(name)).some(({ bytes }) => bytes === start.length - 1),
    `the progress of ${name} is recorded`,
  );

async function writeAt(client: SftpCalls, handle: Buffer, bytes: Buffer, offset: number) {
  for (let at = 0; at < bytes.length; at += 32_768) {
    const piece = bytes.subarray(at, at + 32_768);
    await client.call((sftp, done) =>
      sftp.write(handle, piece, 0, piece.length, offset + at, (error) => done(error)),
    );
  }
}
const open = (client: SftpCalls, name: string, flags: 'w' | 'a' | 'r+') =>
  client.call<Buffer>((sftp, done) => sftp.open(join(root, name), flags, done));
const close = (client: SftpCalls, handle: Buffer) =>
  client.call((sftp, done) => sftp.close(handle, done));
const sizeOf = async (client: SftpCalls, name: string) =>
  (await client.call<{ size: number }>((sftp, done) => sftp.stat(join(root, name), done))).size;
const listed = async (client: SftpCalls) =>
  (
    await client.call<{ filename: string; attrs: { size: number } }[]>((sftp, done) =>
      sftp.readdir(root, done),
    )
  ).map(({ filename, attrs }) => [filename, attrs.size] as const);

/** Uploads the start of a file with a client that then dies. */
async function interrupt(name: string, bytes: Buffer, end = (client: SftpCalls) => client.kill()) {
  const client = await connect();
  const handle = await open(client, name, 'w');
  await writeAt(client, handle, bytes, 0);
  await end(client);
  await kept(name);
}

/** Continues a file the way of OpenSSH: asks for its size, and appends. */
async function append(name: string, whole: Buffer) {
  const client = await connect();
  const size = await sizeOf(client, name);
  const handle = await open(client, name, 'a');
  await writeAt(client, handle, whole.subarray(size), size);
  await close(client, handle);
  await client.end();
  return size;
}

const whole = randomBytes(500_000);
const start = whole.subarray(0, 200_000);

it('continues an upload where it stopped when its client died, and logs both', async () => {
  await interrupt('new', start);
  const client = await connect();
  expect((await listed(client)).filter(([name]) => name.includes('new'))).toEqual([
    ['new', start.length - 1],
  ]);
  await client.end();
  expect(await append('new', whole)).toBe(start.length - 1);
  expect(await readFile(join(root, 'new'))).toEqual(whole);
  await nothingLeft('new');
  expect(await loggedFiles(world.test.db, 'new', 2)).toMatchObject([
    { operate: 'Upload', size: start.length, is_success: false, reason: 'file_incomplete' },
    { operate: 'Upload', size: whole.length, is_success: true, sha256: sha256(whole) },
  ]);
});

it('takes an upload from a session whose client lost its network, without waiting for its end', async () => {
  const listener = await startCuttingProxy({ port: world.port });
  const lost = await openSftp({
    port: listener.port,
    login: world.login,
    password: world.member.password,
  });
  await writeAt(lost, await open(lost, 'lost', 'w'), start, 0);
  await recorded('lost');
  const [session] = (await rows('lost')).map((row) => row.session);
  listener.freeze();
  const client = await connect();
  const sizes = () => listed(client).then((all) => all.find(([name]) => name === 'lost')?.[1] ?? 0);
  await until(async () => (await sizes()) > 0, 'the part without progress is shown');
  await client.end();
  expect(await append('lost', whole)).toBe(start.length - 1);
  expect(await readFile(join(root, 'lost'))).toEqual(whole);
  await nothingLeft('lost');
  const { rows: ended } = await sql<Json>`select is_finished, end_reason from session
    where id = ${session}`.execute(world.test.db);
  expect(ended).toEqual([{ is_finished: true, end_reason: 'session_finished' }]);
  await lost.kill();
  await listener.stop();
});

it('leaves an upload to the session that writes it', async () => {
  const [writer, other] = [await connect(), await connect()];
  const handle = await open(writer, 'busy', 'w');
  await writeAt(writer, handle, start, 0);
  await recorded('busy');
  // A slow machine must not make it look stalled.
  await sql`update kept_upload set date_saved = now() + interval '1 hour'
    where convert_from(place, 'UTF8') = ${join(root, 'busy')}`.execute(world.test.db);
  const second = await open(other, 'busy', 'a');
  await writeAt(other, second, Buffer.from('of the second'), 0);
  await writeAt(writer, handle, whole.subarray(start.length), start.length);
  await close(writer, handle);
  expect(await readFile(join(root, 'busy'))).toEqual(whole);
  await close(other, second);
  for (const each of [writer, other]) await each.end();
});

it('continues at the size of the open handle, for clients that open without creating', async () => {
  await interrupt('handle', start);
  const client = await connect();
  const handle = await open(client, 'handle', 'r+');
  const { size } = await client.call<{ size: number }>((sftp, done) => sftp.fstat(handle, done));
  expect(size).toBe(start.length - 1);
  await writeAt(client, handle, whole.subarray(size), size);
  await close(client, handle);
  await client.end();
  expect(await readFile(join(root, 'handle'))).toEqual(whole);
});

it('continues an upload that was interrupted twice, also one with all of its bytes', async () => {
  await interrupt('twice', start);
  const client = await connect();
  const handle = await open(client, 'twice', 'a');
  await writeAt(client, handle, whole.subarray(start.length - 1), start.length - 1);
  await client.kill();
  await until(
    async () => (await rows('twice'))[0]?.bytes === whole.length - 1,
    'the second part is kept',
  );
  expect(await append('twice', whole)).toBe(whole.length - 1);
  expect(await readFile(join(root, 'twice'))).toEqual(whole);
  expect(await parts('twice')).toEqual([]);
});

it('continues after the first gap when pieces arrived out of order', async () => {
  const client = await connect();
  const handle = await open(client, 'gap', 'w');
  await writeAt(client, handle, whole.subarray(0, 40_000), 0);
  await writeAt(client, handle, whole.subarray(80_000, 120_000), 80_000);
  await client.kill();
  await kept('gap');
  expect(await append('gap', whole)).toBe(39_999);
  expect(await readFile(join(root, 'gap'))).toEqual(whole);
});

it('keeps the old file until the end, and shows the part to its user alone', async () => {
  const old = Buffer.from('the old file');
  await writeFile(join(root, 'over'), old);
  await interrupt('over', start);
  expect(await readFile(join(root, 'over'))).toEqual(old);
  const other = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'User' }],
  });
  const granted = await world.administrator.post('perms/asset-permissions/', {
    name: 'another user',
    users: [other.id],
    assets: [world.asset],
    system_users: [world.systemUser],
  });
  expect(granted.status, granted.text).toBe(201);
  const visitor = await connect(world.login.replace(world.member.username, other.username), other);
  expect(await sizeOf(visitor, 'over')).toBe(old.length);
  const handle = await open(visitor, 'over', 'a');
  await writeAt(visitor, handle, Buffer.from('!'), old.length);
  await close(visitor, handle);
  await visitor.end();
  expect(await readFile(join(root, 'over'), 'utf8')).toBe('the old file!');
  // The file changed since the upload began, so the part is of an older version.
  const owner = await connect();
  expect(await sizeOf(owner, 'over')).toBe(old.length + 1);
  await owner.end();
});

it('replaces the old file at the end of a continued upload', async () => {
  await writeFile(join(root, 'replaced'), 'old', { mode: 0o640 });
  await interrupt('replaced', start);
  expect(await append('replaced', whole)).toBe(start.length - 1);
  expect(await readFile(join(root, 'replaced'))).toEqual(whole);
  expect((await stat(join(root, 'replaced'))).mode & 0o777).toBe(0o640);
});

it('removes the part when its user removes the file or uploads it again, and moves it', async () => {
  await writeFile(join(root, 'removed'), 'old');
  await interrupt('removed', start);
  const client = await connect();
  await client.call((sftp, done) => sftp.unlink(join(root, 'removed'), done));
  expect(await sizeOf(client, 'removed')).toBe(3);
  await nothingLeft('removed');
  await interrupt('repeated', start);
  const next = await connect();
  const handle = await open(next, 'repeated', 'w');
  await writeAt(next, handle, Buffer.from('short'), 0);
  await close(next, handle);
  await next.end();
  expect(await readFile(join(root, 'repeated'), 'utf8')).toBe('short');
  await nothingLeft('repeated');
  await interrupt('moved', start);
  await until(async () => (await sizeOf(client, 'moved').catch(() => 0)) > 0, 'the part is shown');
  await client.call((sftp, done) =>
    sftp.rename(join(root, 'moved'), join(root, 'moved-away'), done),
  );
  expect(await readFile(join(root, 'moved-away'))).toEqual(start);
  await nothingLeft('moved');
  await client.end();
});

it('continues after the target was lost, and never with a part that lost its bytes', async () => {
  await interrupt('lost', start, async () => proxy.cut());
  proxy.restore();
  // The target had not confirmed the last pieces.
  expect(await append('lost', whole)).toBeGreaterThan(100_000);
  expect(await readFile(join(root, 'lost'))).toEqual(whole);
  await interrupt('gone', start);
  for (const part of await parts('gone')) await writeFile(join(root, part), '');
  const client = await connect();
  await expect(sizeOf(client, 'gone')).rejects.toThrow('not found');
  await client.end();
});

it('hides a part whose file changed at the same size', async () => {
  await writeFile(join(root, 'same'), 'old');
  await interrupt('same', start);
  await writeFile(join(root, 'same'), 'new');
  await utimes(join(root, 'same'), 1_000_000, 1_000_000);
  const client = await connect();
  expect(await sizeOf(client, 'same')).toBe(3);
  const handle = await open(client, 'same', 'a');
  await writeAt(client, handle, Buffer.from('!'), 3);
  await close(client, handle);
  await client.end();
  expect(await readFile(join(root, 'same'), 'utf8')).toBe('new!');
  await nothingLeft('same');
});

it('removes expired parts, also later when the target was away, and says so in the log', async () => {
  await interrupt('expired', start);
  await sql`update kept_upload set date_expired = now() - interval '1 second'
    where convert_from(place, 'UTF8') = ${join(root, 'expired')}`.execute(world.test.db);
  proxy.cut();
  await runHousekeeping(world.test, 'remove-kept-uploads');
  expect(await rows('expired')).toMatchObject([{ attempts: 1 }]);
  expect(world.test.log()).toContain('the part of an interrupted upload could not be removed yet');
  proxy.restore();
  await runHousekeeping(world.test, 'remove-kept-uploads');
  expect(await parts('expired')).toHaveLength(1);
  await sql`update kept_upload set date_tried = now() - interval '1 day'`.execute(world.test.db);
  await runHousekeeping(world.test, 'remove-kept-uploads');
  await nothingLeft('expired');
});

it('gives up a part that can never be removed, and names it in the log', async () => {
  await interrupt('never', start);
  await sql`update kept_upload set date_expired = now() - interval '1 second', attempts = 34
    where convert_from(place, 'UTF8') = ${join(root, 'never')}`.execute(world.test.db);
  proxy.cut();
  await runHousekeeping(world.test, 'remove-kept-uploads');
  proxy.restore();
  expect(await rows('never')).toEqual([]);
  expect(world.test.log()).toMatch(/never\.sallyport-.*could not be removed and stays/);
});

it('removes an expired part when its account is used again', async () => {
  await interrupt('waiting', start);
  await sql`update kept_upload set date_expired = now() - interval '1 second'
    where convert_from(place, 'UTF8') = ${join(root, 'waiting')}`.execute(world.test.db);
  const client = await connect();
  await until(async () => (await parts('waiting')).length === 0, 'the part is removed');
  await until(async () => (await rows('waiting')).length === 0, 'its record is removed');
  await client.end();
});

it('keeps 50 uploads of a user, and expires the oldest one beyond', async () => {
  await interrupt('first', start);
  await sql`insert into kept_upload (asset_id, system_user_id, account, part, place, user_id, bytes,
      date_expired)
    select 'a', 's', 'ops', convert_to('/part' || n, 'UTF8'), '/', ${world.member.id}, 1,
      now() + interval '30 hours'
    from generate_series(1, 50) n`.execute(world.test.db);
  await interrupt('last', start);
  const client = await connect();
  await expect(sizeOf(client, 'first')).rejects.toThrow('not found');
  await client.end();
  const { rows: left } = await sql<{ count: number }>`
    select count(*)::int as count from kept_upload
    where user_id = ${world.member.id} and date_expired > now()`.execute(world.test.db);
  expect(left).toEqual([{ count: 50 }]);
  await sql`delete from kept_upload where asset_id = 'a'`.execute(world.test.db);
});

it('removes parts at once when the setting keeps none', async () => {
  await changeSettings([world.administrator], 'terminal', { TERMINAL_UPLOAD_KEEP_HOURS: 0 });
  const client = await connect();
  const handle = await open(client, 'off', 'w');
  await writeAt(client, handle, start, 0);
  expect(await parts('off')).toHaveLength(1);
  await client.kill();
  await until(async () => (await parts('off')).length === 0, 'the part is removed');
  await until(async () => (await rows('off')).length === 0, 'its record is removed');
  await changeSettings([world.administrator], 'terminal', { TERMINAL_UPLOAD_KEEP_HOURS: 24 });
});

it('continues an upload of the browser in a new connection, also over SFTP', async () => {
  const member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const base = `files/${world.asset}/${world.systemUser}`;
  const query = `path=%2Fweb&size=${whole.length}`;
  const put = (offset: number, bytes: Buffer) =>
    member.send(
      'PUT',
      `${base}/uploads/upload-1/?${query}&offset=${offset}`,
      new Uint8Array(bytes),
      'application/octet-stream',
    );
  expect((await put(0, start)).status).toBe(200);
  expect((await member.delete(`${base}/connect/`)).status).toBe(204);
  await kept('web');
  const { body } = await member.get<Json>(`${base}/uploads/upload-1/?${query}`);
  expect(body).toEqual({ offset: start.length - 1, complete: false });
  expect((await put(start.length - 1, whole.subarray(start.length - 1, 300_000))).status).toBe(200);
  expect((await member.delete(`${base}/connect/`)).status).toBe(204);
  await until(async () => (await rows('web'))[0]?.bytes === 299_999, 'the second part is kept');
  expect(await append('web', whole)).toBe(299_999);
  expect(await readFile(join(root, 'web'))).toEqual(whole);
  await nothingLeft('web');
});
