import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENDS, encodeData, encodeHeader, TYPES } from '@sallyport/contract/zmodem/frames.ts';
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

it('refuses the web terminal, with a sentence, and keeps the session open', async () => {
  const web = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const client = await TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    web.headers,
  );
  await client.message('open');
  await client.waitFor(PROMPT);
  client.type(`${OFFERS.sz}; sleep 1\r`);
  await client.waitFor('This terminal cannot transfer files');
  client.type('\x15echo af"t"er\r');
  await client.waitFor('\rafter');
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
});
