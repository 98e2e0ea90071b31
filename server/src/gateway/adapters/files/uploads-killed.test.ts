import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { useCommands } from '../../../testing/command.ts';
import { type GatewayWorld, startGatewayWorld } from '../../../testing/files/killed-gateway.ts';
import { until } from '../../../testing/poll.ts';
import { openSftp } from '../../../testing/ssh/sftp-calls.ts';

const { start } = useCommands();
let world: GatewayWorld | undefined;
afterAll(() => world?.stop());

it('continues an upload after the server was stopped or killed, and removes the part of a brief one', async () => {
  world = await startGatewayWorld(start);
  const { db, port, login, password, root, first, begin } = world;

  const whole = randomBytes(900_000);
  const path = join(root, 'file');
  await writeFile(path, 'the old file');
  const connect = () => openSftp({ port, login, password });
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
  const brief = await connect();
  await brief.call<Buffer>((sftp, done) => sftp.open(join(root, 'brief'), 'w', done));
  second.command.child.kill('SIGKILL');
  await second.command.ended;
  expect(await readFile(path, 'utf8')).toBe('the old file');
  const left = (await readdir(root)).find((name) => name.startsWith('.brief.'));
  expect(left).toBeDefined();

  await begin();
  // The server was killed before it recorded the brief upload.
  const known = async () =>
    (
      await sql<{ hours: number }>`
        select round(extract(epoch from date_expired - now()) / 3600)::int as hours
        from kept_upload k join session s on s.id = k.session
        where s.is_finished and convert_from(k.part, 'UTF8') = ${join(root, String(left))}`.execute(
        db,
      )
    ).rows;
  await until(async () => (await known()).length === 1, 'the part is known');
  expect(await known()).toEqual([{ hours: 24 }]);
  await sql`update kept_upload set date_expired = now() where bytes = 0`.execute(db);

  // The next session of the account removes it.
  const { client, handle } = await writeMore('a', 599_999, whole.length);
  await client.call((sftp, done) => sftp.close(handle, done));
  await client.end();
  expect(await readFile(path)).toEqual(whole);
  await until(async () => (await readdir(root)).length === 1, 'the part is removed');
}, 300_000);
