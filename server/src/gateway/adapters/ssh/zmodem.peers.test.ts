import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OUTPUT_WINDOW } from '@sallyport/contract';
import { CANCEL, encodeHeader, TYPES } from '@sallyport/contract/zmodem/frames.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildPermission, unique } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import { loggedFiles } from '../../../testing/files/file-log.ts';
import { requirePeers } from '../../../testing/peers.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import { ZmodemTerminal } from '../../../testing/ssh/zmodem-terminal.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';
import { runTransfer } from '../../../testing/terminals/web-zmodem.ts';

const PROMPT = 'ready> ';

let world: OpenSshWorld;
/** Folders of the user and of the account at the target. */
let here: string;
let there: string;
beforeAll(async () => {
  requirePeers('lrzsz');
  world = await startOpenSshWorld();
  await writeFile(join(world.sshd.home, '.bash_profile'), `PS1='${PROMPT}'\n`, { mode: 0o644 });
  here = await mkdtemp(join(tmpdir(), 'sallyport-zmodem-'));
  there = join(world.sshd.home, 'files');
  await mkdir(there);
  await chmod(there, 0o777);
});
afterAll(async () => {
  await world.stop();
  await rm(here, { recursive: true, force: true });
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function open(
  program: readonly [string, ...string[]],
  login = world.login,
): Promise<ZmodemTerminal> {
  const { ssh, member } = world;
  const terminal = new ZmodemTerminal({
    ssh,
    login,
    password: member.password,
    program,
    folder: here,
  });
  await terminal.sees(PROMPT);
  terminal.type(`cd ${there}; PS1='there''> '\r`);
  await terminal.sees('there> ');
  terminal.screen = '';
  return terminal;
}

async function openWeb(asset: string): Promise<TerminalClient> {
  const web = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const client = await TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset, system_user: world.systemUser },
    web.headers,
  );
  await client.waitFor(PROMPT);
  return client;
}

/** Ends the shell, and returns the recording and timeline of its session. */
async function closed(terminal: ZmodemTerminal): Promise<{ recording: string; timeline: Json[] }> {
  terminal.type('exit\r');
  await terminal.ends();
  return evidence();
}

/** Returns the recording and timeline of the session that ends. */
async function evidence(): Promise<{ recording: string; timeline: Json[] }> {
  await until(
    async () => (await world.lastSession()).is_finished === true,
    'the session has ended',
  );
  const { id } = await world.lastSession();
  const recording = await world.administrator.get(`terminal/sessions/${id}/replay/file/`);
  const { body } = await world.administrator.get<{ entries: Json[] }>(
    `terminal/sessions/${id}/timeline/`,
  );
  return { recording: recording.text, timeline: body.entries };
}

/** Bytes of every value, and a text that must not be recorded. */
const contents = () =>
  Buffer.concat([randomBytes(300_000), Buffer.from('\r\nnot recorded\r\n'), randomBytes(70_001)]);

it('sends files to rz at the target, and logs them', async () => {
  const [first, second] = [contents(), contents()];
  await writeFile(join(here, 'first.bin'), first);
  await writeFile(join(here, 'second 文件.bin'), second);
  const terminal = await open(['sz', 'first.bin', 'second 文件.bin']);
  terminal.type('rz\r');
  await terminal.ran(1);
  await terminal.isOpenForKeys();
  terminal.type('echo af"t"er\r');
  await terminal.sees('after\r\n');
  expect(terminal.exits).toEqual([0]);
  expect(sha256(await readFile(join(there, 'first.bin')))).toBe(sha256(first));
  expect(sha256(await readFile(join(there, 'second 文件.bin')))).toBe(sha256(second));
  const { recording, timeline } = await closed(terminal);
  expect(await loggedFiles(world.test.db, 'first.bin', 1)).toMatchObject([
    { operate: 'Upload', size: first.length, sha256: sha256(first), is_success: true },
  ]);
  expect(await loggedFiles(world.test.db, 'second', 1)).toMatchObject([
    { operate: 'Upload', size: second.length, sha256: sha256(second), is_success: true },
  ]);
  expect(recording).toContain('[file uploaded: first.bin, 370017 bytes]');
  expect(recording).not.toContain('not recorded');
  expect(recording.length).toBeLessThan(5000);
  expect(timeline.filter(({ kind }) => kind === 'file')).toHaveLength(2);
  expect(timeline.filter(({ kind }) => kind === 'command').map(({ text }) => text)).toEqual([
    expect.stringContaining('cd '),
    'rz',
    'echo af"t"er',
    'exit',
  ]);
});

it('receives files from sz at the target, and logs them', async () => {
  const file = contents();
  await writeFile(join(there, 'third.bin'), file);
  const terminal = await open(['rz', '-y']);
  terminal.type('sz third.bin\r');
  await terminal.ran(1);
  await terminal.isOpenForKeys();
  terminal.type('echo af"t"er\r');
  await terminal.sees('after\r\n');
  expect(terminal.exits).toEqual([0]);
  expect(sha256(await readFile(join(here, 'third.bin')))).toBe(sha256(file));
  const { recording } = await closed(terminal);
  expect(await loggedFiles(world.test.db, 'third.bin', 1)).toMatchObject([
    { operate: 'Download', size: file.length, sha256: sha256(file), is_success: true },
  ]);
  expect(recording).toContain('[file downloaded: third.bin, 370017 bytes]');
  expect(recording).not.toContain('not recorded');
  expect(recording.length).toBeLessThan(5000);
});

it('passes files of a web terminal in both directions, and records and shows only lines about them', async () => {
  const [up, down] = [contents(), contents()];
  await writeFile(join(here, 'up.bin'), up);
  await writeFile(join(there, 'down.bin'), down);
  const client = await openWeb(world.asset);
  client.type(`cd ${there}; PS1='there''> '\r`);
  await client.waitFor('there> ');
  client.type('rz\r');
  expect(await runTransfer(client, ['sz', 'up.bin'], here)).toBe(0);
  await client.waitFor('[file uploaded: up.bin, 370017 bytes]');
  await client.waitFor('there> ');
  client.type('sz down.bin\r');
  expect(await runTransfer(client, ['rz', '-y'], here)).toBe(0);
  await client.waitFor('[file downloaded: down.bin, 370017 bytes]');
  await client.waitFor('there> ');
  client.type('exit\r');
  await client.message('closed');
  expect(sha256(await readFile(join(there, 'up.bin')))).toBe(sha256(up));
  expect(sha256(await readFile(join(here, 'down.bin')))).toBe(sha256(down));
  for (const [name, operate, file] of [
    ['up.bin', 'Upload', up],
    ['down.bin', 'Download', down],
  ] as const)
    expect(await loggedFiles(world.test.db, name, 1)).toMatchObject([
      { operate, size: file.length, sha256: sha256(file), is_success: true },
    ]);
  expect(client.output).not.toContain('not recorded');
  const { recording } = await evidence();
  expect(recording).toContain('[file uploaded: up.bin, 370017 bytes]');
  expect(recording.length).toBeLessThan(5000);
});

it('shows the prompt at once after a web terminal cancelled', async () => {
  await writeFile(join(there, 'unwanted.bin'), contents());
  const client = await openWeb(world.asset);
  client.type(`cd ${there}; PS1='there''> '\r`);
  await client.waitFor('there> ');
  for (const [command, answer] of [
    ['sz unwanted.bin', encodeHeader({ format: 'hexadecimal', type: TYPES.init, value: 0 })],
    ['rz', undefined],
  ] as const) {
    let frames = '';
    client.onFrames = (bytes) => {
      frames += bytes.toString('latin1');
    };
    client.type(`${command}; echo ended-$?\r`);
    await client.transfer(true);
    client.send({ type: 'transfer', on: true });
    if (answer) {
      client.sendFrames(answer);
      await client.until('the name', () => frames.includes('unwanted.bin') || undefined);
    }
    client.sendFrames(CANCEL);
    await client.transfer(false);
    client.send({ type: 'transfer', on: false });
    await client.waitFor('[file transfer cancelled]');
    await client.waitFor('ended-128');
    await client.waitFor('there> ');
  }
  client.type('exit\r');
  await client.message('closed');
});

it('holds sz while the browser does not write, and continues', async () => {
  const file = randomBytes(2_000_000);
  await writeFile(join(there, 'slow.bin'), file);
  const client = await openWeb(world.asset);
  client.type(`cd ${there}; PS1='there''> '\r`);
  await client.waitFor('there> ');
  client.acknowledges = false;
  client.type('sz slow.bin\r');
  const ended = runTransfer(client, ['rz', '-y'], here);
  await client.until('a full window', () => client.frameBytes >= OUTPUT_WINDOW || undefined);
  // A piece that was read before is still on its way.
  expect(client.frameBytes).toBeLessThan(OUTPUT_WINDOW + 256 * 1024);
  client.acknowledge();
  expect(await ended).toBe(0);
  await client.waitFor('[file downloaded: slow.bin, 2000000 bytes]');
  await client.waitFor('there> ');
  expect(sha256(await readFile(join(here, 'slow.bin')))).toBe(sha256(file));
  client.type('exit\r');
  await client.message('closed');
});

it('cancels both without the rights, with a sentence, and logs the refusals', async () => {
  const hostname = unique('look-only');
  const server = await buildAsset(world.test.db, {
    organization: world.organization,
    hostname,
    port: world.sshd.port,
  });
  await buildPermission(world.test.db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [server],
    systemUsers: [world.systemUser],
    actions: 1,
  });
  const web = await openWeb(server);
  for (const [command, action] of [
    ['sz /etc/hostname', 'Download file'],
    ['rz', 'Upload file'],
  ]) {
    web.type(`${command}; echo ended-$?\r`);
    await web.waitFor(`Your permission does not include: ${action}.`);
    await web.waitFor('ended-1');
  }
  expect(web.messages.map(({ type }) => type)).not.toContain('transfer');
  await web.close();
  await writeFile(join(there, 'kept.bin'), contents());
  const login = `${world.member.username}@${world.accountName}@${hostname}`;
  const terminal = await open(['rz', '-y'], login);
  terminal.type('sz kept.bin; echo sent-$?\r');
  await terminal.sees('Your permission does not include: Download file.');
  await terminal.sees('sent-1');
  terminal.type('rz; echo received-$?\r');
  await terminal.sees('Your permission does not include: Upload file.');
  await terminal.sees('received-1');
  expect(terminal.exits).toEqual([]);
  expect(await readdir(here)).not.toContain('kept.bin');
  const downloads = { operate: 'Download', is_success: false, reason: 'transfer_denied' };
  expect(await loggedFiles(world.test.db, 'sz', 2)).toMatchObject([downloads, downloads]);
  const uploads = { operate: 'Upload', is_success: false, reason: 'transfer_denied' };
  expect(await loggedFiles(world.test.db, 'rz', 2)).toMatchObject([uploads, uploads]);
  terminal.type('exit\r');
  await terminal.ends();
});

it('shows a file that contains a header, and the shell still answers', async () => {
  const header = '**\x18B00000000000000\r\x8a\x11';
  await writeFile(join(there, 'text'), Buffer.from(`before ${header}\nafter\n${header}`, 'latin1'));
  const terminal = await open(['rz', '-y']);
  terminal.type('cat text; echo af"t"er\r');
  await terminal.sees('after\r\n');
  terminal.type('echo la"s"t\r');
  await terminal.sees('last\r\n');
  terminal.kill();
});
