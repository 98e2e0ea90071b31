import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionMask } from '@sallyport/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FilePool } from '../../server/src/gateway/listeners/files/pool.ts';
import type { Grant } from '../../server/src/gateway/ports/grant.ts';
import {
  type GatewayServer,
  startGateway,
} from '../../server/src/testing/gateway/gateway-server.ts';
import {
  grantFor,
  type MemoryPorts,
  memoryPorts,
  PERSON,
} from '../../server/src/testing/gateway/memory-ports.ts';
import { sshClient } from '../../server/src/testing/ssh/ssh-client.ts';
import { TerminalClient } from '../../server/src/testing/terminals/terminal-client.ts';
import { type DemoTarget, generateHostKey, startDemoTarget } from './server.ts';

const ACCOUNT = { username: 'demo', password: 'only for this test' };
/** An account that no permission of the demo grants permanently. */
const SECOND = { username: 'ops', password: 'another one' };
let target: DemoTarget;
let ports: MemoryPorts;
let server: GatewayServer;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-demo-'));
  target = await startDemoTarget({ accounts: [ACCOUNT, SECOND], hostKey: generateHostKey() });
  const peer = {
    ...target,
    username: ACCOUNT.username,
    privateKey: '',
    keyFile: '',
    password: ACCOUNT.password,
    knownHostsFile: '',
    home: '',
  };
  const sshd = {
    ...peer,
    kill: async () => undefined,
    restartWithNewHostKey: async () => undefined,
  };
  const grant: Grant = grantFor(sshd);
  ports = memoryPorts(sshd);
  ports.grant = grant;
  ports.login = ACCOUNT;
  server = await startGateway(ports, directory, PERSON);
});
afterEach(async () => {
  await server.stop();
  await target.stop();
  await rm(directory, { recursive: true, force: true });
});

async function open(cols = 80, rows = 24): Promise<TerminalClient> {
  const client = await TerminalClient.connect(server.url, {
    asset: 'a',
    system_user: 's',
    cols,
    rows,
  });
  await client.waitFor('~\x1b[0m$ ');
  return client;
}

async function runs(client: TerminalClient, line: string): Promise<string> {
  const from = client.output.length;
  client.type(`${line}\r`);
  await client.until(`the prompt after ${line}`, () =>
    client.output.indexOf('\x1b[?2004h', from) >= 0 ? true : undefined,
  );
  const text = client.output.slice(
    client.output.indexOf('\x1b[?2004l\r', from) + 9,
    client.output.indexOf('\x1b[?2004h', from),
  );
  return text.replaceAll('\r\n', '\n');
}

describe('the demo target through the bastion', () => {
  it('answers a frame full of Enter keys and keeps running', async () => {
    const client = await open();
    client.keepsOutput = false;
    client.socket.send(Buffer.alloc(64 * 1024, '\r'));
    await client.until('a prompt for many of them', () =>
      client.received > 1_000_000 ? true : undefined,
    );
    client.keepsOutput = true;
    client.type('echo he"re"\r');
    await client.waitFor('here');
    await client.close();
  });

  it('simulates a machine with files, pipes and redirections', async () => {
    const client = await open();
    expect(await runs(client, 'whoami; hostname')).toBe('demo\ndemo\n');
    expect(await runs(client, 'uname; uname -sr; uname -n')).toBe('Demo\nDemo 1.0.0\ndemo\n');
    expect(await runs(client, 'uptime')).toMatch(/ up 41 days, 3:27, /);
    expect(await runs(client, 'grep 500 /var/log/nginx/access.log | wc -l')).toMatch(/^\d+\n$/);
    expect(await runs(client, 'mkdir -p x; cd notes && pwd')).toBe('/home/demo/notes\n');
    expect(
      await runs(
        client,
        'echo "a b" > new; echo $USER >> new; cat new; cp new copy; mv copy ../moved; ls; cat < ../moved | head -1',
      ),
    ).toBe('a b\ndemo\nnew  todo.md\na b\n'.replace('new  todo.md', 'new      todo.md'));
    expect(await runs(client, 'rm new; cat new')).toBe('cat: new: No such file or directory\n');
    expect(await runs(client, 'echo x > /etc/passwd; rm -r /etc; echo $?')).toBe(
      'echo: x: Permission denied\nrm: /etc: Permission denied\n1\n',
    );
    expect(await runs(client, "nothing-here || echo 'it says no' | sort -r")).toBe(
      'sh: nothing-here: command not found (try help)\nit says no\n',
    );
    expect(await runs(client, 'cat ../../../../proc/self/environ')).toContain('No such file');
    expect(await runs(client, 'echo "open')).toBe('sh: a " is not closed\n');
    client.type('exit\r');
    expect(await client.message('closed')).toMatchObject({ code: 'connect_target_closed' });
    await client.until('the row', () => ports.row().end);
    expect(ports.row().commands.map((command) => command.input)).toContain(
      'grep 500 /var/log/nginx/access.log | wc -l',
    );
  });

  it('keeps input from before its first prompt', async () => {
    const client = await TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });
    await client.message('open');
    client.type('whoami\r');
    await client.waitFor('\x1b[?2004l\rdemo\r\n');
    client.type('exit\r');
    await client.message('closed');
    await client.until('the row', () => ports.row().end);
    expect(ports.row().commands.map((command) => command.input)).toEqual(['whoami', 'exit']);
  });

  it('edits lines, completes words, recalls history, and handles Ctrl-C and Ctrl-D', async () => {
    const client = await open(40, 10);
    client.type('eco abc\x01\x1b[C\x1b[Ch\x05 你好\x1b[D\x7f\r');
    await client.waitFor('\x1b[?2004l\rabc 好\r\n');
    client.type('cat READ\t\r');
    await client.waitFor('Welcome to the demo');
    client.type('\x1b[A\x1b[A\x15echo '.concat('0123456789 '.repeat(8), '\x01\x1b[C\x05end\r'));
    await client.waitFor('789 end\r\n');
    client.type('sleep 100\r');
    await client.waitFor('sleep 100');
    await client.waitFor('\x1b[?2004l');
    client.type('\x03');
    await client.waitFor('^C');
    await client.waitFor('$ ');
    client.type('\x04');
    await client.message('closed');
    await client.until('the row', () => ports.row().end);
    expect(ports.row().commands.map((command) => command.input)).toEqual([
      'echo abc 好',
      'cat README.txt',
      `echo ${'0123456789 '.repeat(8)}end`,
      'sleep 100',
    ]);
  });

  it('draws full screens that follow the size, and restores the shell', async () => {
    const client = await open();
    client.type('top\r');
    await client.waitFor('load average');
    client.send({ type: 'resize', cols: 60, rows: 12 });
    client.type('q');
    await client.waitFor('\x1b[?1049l');
    await client.waitFor('$ ');
    client.type('less /var/log/nginx/access.log\r');
    await client.waitFor('%');
    client.type('jjG');
    await client.waitFor('(END)');
    client.type('q');
    await client.waitFor('\x1b[?1049l');
    await client.waitFor('$ ');
    expect(await runs(client, 'echo after')).toBe('after\n');
    await client.close();
    await client.until('the row', () => ports.row().end);
    expect(ports.row().commands.map((command) => command.input)).toEqual([
      'top',
      'less /var/log/nginx/access.log',
      'echo after',
    ]);
  });

  it('accepts each account with its own password only, and runs its shell as this account', async () => {
    const { grant } = ports;
    if (!grant) throw new Error('no grant');
    const connectAs = (login: typeof ACCOUNT) => {
      ports.login = login;
      ports.grant = { ...grant, systemUser: { ...grant.systemUser, username: login.username } };
    };
    connectAs(SECOND);
    const client = await open();
    expect(await runs(client, 'whoami; echo $USER')).toBe('ops\nops\n');
    await client.close();
    for (const login of [
      { ...SECOND, password: ACCOUNT.password },
      { ...ACCOUNT, password: SECOND.password },
    ]) {
      connectAs(login);
      const refused = await TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });
      expect(await refused.message('closed')).toMatchObject({ code: 'connect_credentials' });
    }
  });

  it('rejects a wrong password, and runs a command for an SSH client', async () => {
    ports.login = { ...ACCOUNT, password: 'wrong' };
    const refused = await TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });
    expect(await refused.message('closed')).toMatchObject({ code: 'connect_credentials' });
    const client = sshClient(target.port);
    const call = { login: ACCOUNT.username, password: ACCOUNT.password, command: 'uname -a; ls /' };
    const { stdout } = await client.run(call);
    expect(stdout.toString()).toBe('Demo demo 1.0.0 pretended-in-memory\netc\nhome\ntmp\nvar\n');
  });
});

it('lists, reads, writes, renames and removes files for the file manager, and discards them after the visit', async () => {
  if (ports.grant)
    ports.grant = {
      ...ports.grant,
      actions: actionMask(['connect', 'upload_file', 'download_file']),
    };
  const pool = new FilePool(ports, server.gateway.hub);
  const person = { ...PERSON, loginId: 'one' };
  const account = { assetId: 'a', systemUserId: 's' };
  const { session, uploads } = await pool.connect(person, account);
  const names = async () => {
    const entries: string[] = [];
    for await (const batch of session.files.list('/'))
      entries.push(...batch.map(({ name }) => name));
    return entries.sort();
  };
  expect(await names()).toEqual(['README.txt', 'notes', 'scripts']);
  const bytes = Buffer.from([0, 0xff, 0x80, ...Buffer.from('bytes')]);
  const upload = {
    id: 'demo-upload',
    path: '/new.bin',
    size: bytes.length,
    overwrite: false,
    modifiedAt: undefined,
  };
  async function* body() {
    yield bytes;
  }
  expect(await uploads.take(upload, 0, body())).toMatchObject({
    complete: true,
    offset: bytes.length,
  });
  async function* other() {
    yield Buffer.from('second');
  }
  expect(
    await uploads.take({ ...upload, id: 'demo-upload-2', size: 6, overwrite: true }, 0, other()),
  ).toMatchObject({ complete: true });
  await session.files.makeFolder('/folder');
  await session.files.rename('/new.bin', '/folder/moved', { overwrite: false });
  const pieces: Buffer[] = [];
  for await (const piece of await session.files.read('/folder/moved')) pieces.push(piece as Buffer);
  expect(Buffer.concat(pieces).toString()).toBe('second');
  await session.files.remove('/folder', { recursive: true });
  expect(await names()).toEqual(['README.txt', 'notes', 'scripts']);
  await expect(session.files.read('/nothing')).rejects.toMatchObject({
    problem: { code: 'file_not_found' },
  });
});
