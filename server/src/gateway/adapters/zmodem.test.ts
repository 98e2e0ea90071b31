import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WATCH_SOCKET_PATH } from '@sallyport/contract';
import {
  CANCEL,
  ENDS,
  encodeData,
  encodeHeader,
  TYPES,
} from '@sallyport/contract/zmodem/frames.ts';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildPermission, unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { loggedFiles } from '../../testing/files/file-log.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import type { SshShell } from '../../testing/ssh/ssh-calls.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

/** Prints the header of a program of lrzsz, as `rz` and `sz` do, and waits. */
const OFFERS = {
  rz: "printf '**\\030B0100000023be50\\r\\212\\021'",
  sz: "printf '**\\030B00000000000000\\r\\212\\021'",
};
const header = (type: number, value = 0) => encodeHeader({ format: 'binary32', type, value });
const DENY = 0;
const PROMPT = 'ready> ';

let world: SshWorld;
let shell: SshShell | undefined;
let output = '';
beforeAll(async () => {
  world = await startSshWorld();
  await writeFile(join(world.sshd.home, '.bash_profile'), `PS1='${PROMPT}'\n`);
});
afterEach(() => shell?.kill());
afterAll(() => world.stop());

async function open(): Promise<SshShell> {
  output = '';
  shell = world.ssh.shell({ login: world.login, password: world.member.password });
  shell.onOutput((chunk) => {
    output += chunk.toString('latin1');
  });
  await sees(PROMPT);
  return shell;
}

const sees = (text: string) =>
  until(() => output.includes(text), `${text} on the screen`, 20_000).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(output)}`);
  });

it('types no line for a client that answers a shell instead of rz', async () => {
  const opened = await open();
  opened.type(`${OFFERS.rz}; read -r line; echo "read $line"\r`);
  await sees('**\x18B0100000023be50');
  const name = encodeData(Buffer.from('x\r\ntouch made\r\n\0'), ENDS.frameAnswer, true);
  opened.type(Buffer.concat([header(TYPES.file), name]));
  // The terminal of the target echoes the frames, which ends the transfer.
  await sees('\x18'.repeat(8));
  const before = output.length;
  await until(() => {
    // Input is dropped until the client has certainly ended its transfer.
    opened.type('\x03');
    return output.indexOf(PROMPT, before) >= 0;
  }, 'the prompt');
  // Bash may drop the first key after an interrupt.
  opened.type(' test -e made || echo mis"s"ing\r');
  await sees('missing\r\n');
  expect(output).not.toMatch(/^read /m);
});

const base = () => world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');

async function openWeb(): Promise<{ client: TerminalClient; headers: Record<string, string> }> {
  const web = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const { headers } = web;
  const request = { asset: world.asset, system_user: world.systemUser };
  const client = await TerminalClient.connect(base(), request, headers);
  await client.waitFor(PROMPT);
  return { client, headers };
}

/** A program of lrzsz sends it when it was cancelled, before the shell shows its prompt. */
const CANCELLED = "head -c 8 >got; stty sane; printf '\\030\\030\\030\\030\\030\\010\\010'";

/** A program at the target that offers a file and sends a part of it. */
async function beginFile(client: TerminalClient, name: string, content: string): Promise<string> {
  const { home } = world.sshd;
  const file = encodeData(Buffer.from(`${name}\0`), ENDS.frameAnswer, true);
  await writeFile(join(home, 'offer'), Buffer.concat([header(TYPES.file), file]));
  const part = encodeData(Buffer.from(content), ENDS.more, true);
  await writeFile(join(home, 'content'), Buffer.concat([header(TYPES.data), part]));
  const [ready, position] = [header(TYPES.init), header(TYPES.position)];
  let frames = '';
  client.onFrames = (bytes) => {
    frames += bytes.toString('latin1');
  };
  client.type(
    `stty raw -echo; ${OFFERS.sz}; head -c ${ready.length} >/dev/null; cat offer; ` +
      `head -c ${position.length} >/dev/null; cat content; ${CANCELLED}\r`,
  );
  await client.transfer(true);
  client.send({ type: 'transfer', on: true });
  client.sendFrames(ready);
  await client.until('the name', () => frames.includes(name) || undefined);
  client.sendFrames(position);
  await client.until('the content', () => frames.includes(content) || undefined);
  const { id } = await world.lastSession();
  return String(id);
}

it('cancels a transfer of a web terminal whose browser is lost, and says so when it returns', async () => {
  const { client, headers } = await openWeb();
  const session = await beginFile(client, 'lost.txt', 'not for long');
  const { received } = client;
  client.socket.terminate();
  expect(await loggedFiles(world.test.db, 'lost.txt', 1)).toMatchObject([
    { operate: 'Download', size: 12, is_success: false, reason: 'file_incomplete' },
  ]);
  const returned = await TerminalClient.resume(base(), { session, received }, headers);
  await returned.waitFor('[file not downloaded: lost.txt]');
  expect((await returned.message('resumed')).screen).toBe(false);
  // Keys of the browser are keys again.
  returned.type('\x15echo af"t"er\r');
  await returned.waitFor('\rafter');
  expect(client.output + returned.output).not.toContain('not for long');
  returned.type('exit\r');
  await returned.message('closed');
});

it('shows watchers of a web terminal only the lines about files, and cancels at Ctrl-C', async () => {
  const { client } = await openWeb();
  const { id } = await world.lastSession();
  const watcher = new TerminalClient(
    `${base()}${WATCH_SOCKET_PATH}?session=${id}`,
    world.administrator.headers,
  );
  await watcher.waitFor(PROMPT);
  await beginFile(client, 'watched.txt', 'not for watchers');
  client.sendFrames(CANCEL);
  await client.transfer(false);
  client.send({ type: 'transfer', on: false });
  await client.waitFor('[file not downloaded: watched.txt]');
  await watcher.waitFor('[file not downloaded: watched.txt]');
  await client.waitFor(PROMPT);
  client.type(`stty raw -echo; ${OFFERS.rz}; ${CANCELLED}\r`);
  await client.transfer(true);
  client.type('typed\x03');
  await client.transfer(false);
  await client.waitFor('[file transfer cancelled]');
  await client.waitFor(PROMPT);
  client.type('\x15echo af"t"er\r');
  await client.waitFor('\rafter');
  await watcher.waitFor('\rafter');
  expect(watcher.output).not.toMatch(/not for watchers|typed/);
  watcher.socket.terminate();
  client.type('exit\r');
  await client.message('closed');
});

it('shows text of a web terminal that only begins like an offer', async () => {
  const { client } = await openWeb();
  client.type(`${OFFERS.rz}; sleep 0.1; echo sh"o"wn\r`);
  await client.transfer(true);
  await client.transfer(false);
  await client.waitFor('**^XB0100000023be50');
  await client.waitFor('shown');
  client.type('exit\r');
  await client.message('closed');
});

it('cancels a transfer at both ends when an administrator locks the session', async () => {
  const { home } = world.sshd;
  const [name, content] = ['locked.txt', 'not for long'];
  await writeFile(
    join(home, 'offer'),
    Buffer.concat([
      header(TYPES.file),
      encodeData(Buffer.from(`${name}\0`), ENDS.frameAnswer, true),
    ]),
  );
  await writeFile(
    join(home, 'content'),
    Buffer.concat([header(TYPES.data), encodeData(Buffer.from(content), ENDS.more, true)]),
  );
  const [ready, position] = [header(TYPES.init), header(TYPES.position)];
  const opened = await open();
  // The program at the target continues when the answer of the client has come.
  opened.type(
    `stty raw -echo; ${OFFERS.sz}; head -c ${ready.length} >/dev/null; cat offer; ` +
      `head -c ${position.length} >/dev/null; cat content; head -c 8 >got; stty sane\r`,
  );
  await sees('**\x18B00000000000000');
  opened.type(Buffer.from(ready));
  await sees(name);
  opened.type(Buffer.from(position));
  await sees(content);
  const { id } = await world.lastSession();
  const lock = await world.administrator.post(`terminal/sessions/${id}/interventions/`, {
    action: 'lock',
    text: 'Wait.',
  });
  expect(lock.status).toBe(200);
  await sees('\x18'.repeat(8));
  expect(await loggedFiles(world.test.db, name, 1)).toMatchObject([
    { operate: 'Download', size: content.length, is_success: false, reason: 'file_incomplete' },
  ]);
  await sees('locked this session');
});

it('asks for the rights where programs of lrzsz run without a terminal', async () => {
  const asset = await buildAsset(world.test.db, {
    organization: world.organization,
    hostname: unique('look-only'),
    port: world.sshd.port,
  });
  await buildPermission(world.test.db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [asset],
    systemUsers: [world.systemUser],
    actions: 1,
  });
  const login = `${world.member.username}@${world.systemUser}@${asset}`;
  for (const [command, action] of [
    ['sz made', 'Download file'],
    ['/usr/bin/lrz', 'Upload file'],
  ] as const) {
    const { password } = world.member;
    const { code, stderr } = await world.ssh.run({ login, password, command });
    expect([code, stderr]).toEqual([255, expect.stringContaining(action)]);
  }
});

it('refuses an account whose commands are checked, and logs it', async () => {
  const filter = await world.administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [world.systemUser],
  });
  const rules = `assets/cmd-filters/${filter.body.id}/rules/`;
  const added = await world.administrator.post(rules, { content: 'reboot', action: DENY });
  expect(added.status).toBe(201);
  const opened = await open();
  opened.type(`${OFFERS.rz}; sleep 1\r`);
  await sees('rz and sz are not available here');
  expect(output).not.toContain('\x18B01');
  expect(await loggedFiles(world.test.db, 'rz', 1)).toMatchObject([
    { operate: 'Upload', is_success: false, reason: 'zmodem_checked' },
  ]);
  opened.type('\x15exit\r');
  await opened.ended;
  const { client } = await openWeb();
  client.type(`${OFFERS.sz}; sleep 1\r`);
  await client.waitFor('rz and sz are not available here');
  expect(client.messages.map(({ type }) => type)).not.toContain('transfer');
  client.type('\x15exit\r');
  await client.message('closed');
});
