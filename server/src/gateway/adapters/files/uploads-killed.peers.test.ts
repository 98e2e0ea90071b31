import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { useCommands } from '../../../testing/command.ts';
import { type GatewayWorld, startGatewayWorld } from '../../../testing/files/killed-gateway.ts';
import { requirePeers } from '../../../testing/peers.ts';
import { until } from '../../../testing/poll.ts';
import { FileZillaEngine } from '../../../testing/ssh/filezilla-engine.ts';
import { type OpenSsh, openSshClients } from '../../../testing/ssh/open-ssh.ts';

requirePeers('filezilla', 'openssh-client');

const SIZE = 8_000_000;
/** Bytes of each upload on the target before the server is killed. */
const ENOUGH = 500_000;
/** Kilobits in a second: OpenSSH sends for half a minute, and the server is killed long before. */
const SLOW = '2000';

const { start } = useCommands();
let here: string;
let world: GatewayWorld;
let ssh: OpenSsh;
const engines: FileZillaEngine[] = [];
const bytes = randomBytes(SIZE);
/** A client that began again would send this start. */
const changed = Buffer.concat([Buffer.alloc(1000), bytes.subarray(1000)]);
beforeAll(async () => {
  here = await mkdtemp(join(tmpdir(), 'sallyport-killed-'));
});
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.stop()));
  await ssh?.stop();
  await world?.stop();
  await rm(here, { recursive: true, force: true });
});

/** Waits until the server has recorded enough bytes of an upload, which it does each second. */
const halfway = (name: string) =>
  until(async () => {
    const { rows } = await sql<{ bytes: number }>`select bytes from kept_upload
      where convert_from(place, 'UTF8') = ${join(world.root, name)}`.execute(world.db);
    return Number(rows[0]?.bytes ?? 0) > ENOUGH;
  }, `enough of ${name} is recorded`);

async function connectEngine(): Promise<FileZillaEngine> {
  const { engine, signIn } = await FileZillaEngine.connect(world, [world.password]);
  engines.push(engine);
  expect(signIn.isDone, signIn.log.join('\n')).toBe(true);
  return engine;
}

/** Commands of `sftp` that continue an upload, by the names of their files. */
const COMMANDS = { reput: 'reput', appended: 'put -a' } as const;
const names = ['reput', 'appended'] as const;
const sftp = (command: string, name: string) => ({
  program: 'sftp' as const,
  login: world.login,
  password: world.password,
  batch: `${command} ${join(here, name)} ${join(world.root, name)}\n`,
});

const uploadPath = () => `${world.files}/uploads/upload-1/?path=%2Fbrowser&size=${SIZE}`;

/** Sends the first bytes of a piece and leaves the request open. */
function beginPiece({ url, headers }: Client): ClientRequest {
  const piece = request(new URL(`/api/v1/${uploadPath()}&offset=0`, url), {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
  });
  piece.on('error', () => undefined);
  piece.write(bytes.subarray(0, ENOUGH * 2));
  return piece;
}

async function finishPiece(member: Client): Promise<void> {
  const { body } = await member.get<Json>(uploadPath());
  const offset = Number(body.offset);
  expect(body).toEqual({ complete: false, offset });
  expect(offset).toBeGreaterThan(0);
  const { status, text } = await member.send(
    'PUT',
    `${uploadPath()}&offset=${offset}`,
    new Uint8Array(bytes.subarray(offset)),
    'application/octet-stream',
  );
  expect([status, text]).toEqual([200, expect.stringContaining('"complete":true')]);
}

it('continues the uploads of FileZilla, OpenSSH and the browser after the server was killed', async () => {
  world = await startGatewayWorld(start);
  ssh = await openSshClients(world.port);
  for (const name of ['engine', ...names]) await writeFile(join(here, name), bytes);
  const engine = await connectEngine();
  const piece = beginPiece(await world.first.signIn());
  const ended = names.map((name) =>
    once(ssh.startTransfer({ ...sftp('put', name), words: ['-l', SLOW] }), 'close'),
  );
  for (const name of ['browser', ...names]) await halfway(name);
  const { child } = world.first.command;
  engine.onBuffer = async (position) => {
    if (position < SIZE / 2 || child.killed) return;
    await halfway('engine');
    child.kill('SIGKILL');
  };
  const remote = join(world.root, 'engine');
  expect(await engine.put(join(here, 'engine'), remote)).toMatchObject({ isDone: false });
  await world.first.command.ended;
  await Promise.all(ended);
  piece.destroy();

  const next = await world.begin();
  for (const name of ['engine', ...names]) await writeFile(join(here, name), changed);
  const again = await connectEngine();
  const { isDone, log } = await again.put(join(here, 'engine'), remote, 'reput');
  expect(isDone, log.join('\n')).toBe(true);
  for (const name of names) {
    const { code, stderr } = await ssh.transfer(sftp(COMMANDS[name], name));
    expect([name, code, stderr]).toEqual([name, 0, '']);
  }
  await finishPiece(await next.signIn());
  const all = ['appended', 'browser', 'engine', 'reput'];
  expect((await readdir(world.root)).sort()).toEqual(all);
  for (const name of all)
    expect([name, (await readFile(join(world.root, name))).equals(bytes)]).toEqual([name, true]);
});
