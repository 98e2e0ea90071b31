import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayServer, startGateway } from './testing/gateway-server.ts';
import { grantFor, type MemoryPorts, type MemoryRow, memoryPorts, PERSON } from './testing/memory-ports.ts';
import { keyLogin } from './testing/shell.ts';
import { freePort, startSshd, type TestSshd } from './testing/sshd.ts';
import { TerminalClient } from './testing/terminal-client.ts';

const run = promisify(execFile);
let sshd: TestSshd;
let directory: string;
let ports: MemoryPorts;
let server: GatewayServer;

beforeAll(async () => {
  sshd = await startSshd();
  await writeFile(join(sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
});
afterAll(() => sshd.stop());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-gateway-'));
  ports = memoryPorts(sshd);
  server = await startGateway(ports, directory, PERSON);
});
afterEach(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

const connect = () => TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });

async function openTerminal(): Promise<TerminalClient> {
  const client = await connect();
  await client.message('open');
  await client.waitFor('ready> ');
  return client;
}

async function finished(client: TerminalClient, row: MemoryRow = ports.row()): Promise<NonNullable<MemoryRow['end']>> {
  return client.until('the end of the row', () => row.end);
}

async function recordingOf(row: MemoryRow): Promise<string> {
  return join(directory, row.session.dateStart.toISOString().slice(0, 10), `${row.session.id}.cast.gz`);
}

describe('a session', () => {
  it('is a row, a shell, a recording that the player accepts, and a list of commands', async () => {
    const client = await openTerminal();
    const row = ports.row();
    expect(row.replay).toBe('recording');
    expect(client.messages.map((message) => (message.type === 'stage' ? message.stage : message.type))).toEqual([
      'checking',
      'connecting',
      'authenticating',
      'opening',
      'open',
    ]);
    client.type('echo he"ll"o 世界\r');
    await client.waitFor('hello 世界');
    client.send({ type: 'resize', cols: 101, rows: 31 });
    client.type('stty size\r');
    await client.waitFor('31 101');
    client.type('exit\r');
    expect(await client.message('closed')).toMatchObject({ code: 'connect_target_closed', retry: true });
    expect(await finished(client)).toMatchObject({ success: true, reason: 'connect_target_closed', replayState: 'finished' });
    expect(row.commands.map(({ input, output }) => ({ input, output }))).toEqual([
      { input: 'echo he"ll"o 世界', output: 'hello 世界' },
      { input: 'stty size', output: '31 101' },
      // A busy sshd may hang up before it has passed the last line on.
      { input: 'exit', output: client.output.includes('logout') ? 'logout' : '' },
    ]);
    const cast = gunzipSync(await readFile(await recordingOf(row)));
    const plain = join(directory, 'played.cast');
    await writeFile(plain, cast);
    const { stdout } = await run('script', ['-qec', `asciinema cat ${plain}`, '/dev/null'], { env: { ...process.env, HOME: directory, LC_ALL: 'C.UTF-8' } });
    expect(stdout).toContain('hello 世界');
    const lines = cast.toString('utf8').trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ version: 2, width: 80, height: 24 });
    expect(lines.some((line) => line.endsWith('"r", "101x31"]'))).toBe(true);
    const events = lines.slice(1).map((line) => JSON.parse(line));
    const shown = events.filter((event) => event[1] === 'o').map((event) => event[2]);
    expect(shown.join('')).toBe(client.output);
  });

  it('speaks the charset of its target', async () => {
    const grant = grantFor(sshd);
    ports.grant = { ...grant, asset: { ...grant.asset, charset: 'gbk' } };
    const client = await openTerminal();
    client.type("printf '\\304\\343\\272\\303\\n'\r");
    await client.waitFor('\r你好');
    client.type('printf %s 世界 | od -An -tx1\r');
    await client.waitFor(' ca c0 bd e7');
    await client.close();
  });

  it('ends with its browser, and says so in the row', async () => {
    const client = await openTerminal();
    await client.close();
    expect(await finished(client)).toMatchObject({ success: true, reason: 'session_finished', replayState: 'finished' });
    expect(server.gateway.hub.counts()).toEqual({ sessions: 0, connecting: 0, watchers: 0 });
  });
});

describe('what does not open', () => {
  const refusedWith = async (code: string) => {
    const client = await connect();
    const closed = await client.message('closed');
    expect(closed.code).toBe(code);
    await client.until('close', () => client.closeCode);
    expect(client.received).toBe(0);
    return closed;
  };

  it('no permission: no row, no connection', async () => {
    ports.grant = undefined;
    expect(await refusedWith('connect_denied')).toMatchObject({ retry: false });
    expect(ports.rows.size).toBe(0);
  });

  it('an account whose protocol the gateway does not speak, or not the one that was asked for', async () => {
    const grant = grantFor(sshd);
    ports.grant = { ...grant, systemUser: { ...grant.systemUser, protocol: 'telnet' } };
    expect(await refusedWith('connect_protocol')).toMatchObject({ retry: false, message: 'This asset does not offer telnet.' });
    ports.grant = grant;
    const other = await TerminalClient.connect(server.url, { asset: 'a', system_user: 's', protocol: 'rdp' });
    expect(await other.message('closed')).toMatchObject({ code: 'connect_protocol', message: 'This asset does not offer rdp.' });
    const named = await TerminalClient.connect(server.url, { asset: 'a', system_user: 's', protocol: 'ssh' });
    expect(ports.rows.size).toBe(0);
    await named.message('open');
    await named.close();
  });

  it('nothing listens', async () => {
    const port = await freePort();
    ports.grant = { ...grantFor(sshd), asset: { ...grantFor(sshd).asset, port } };
    expect((await refusedWith('connect_refused')).message).toBe(`127.0.0.1:${port} refused the connection.`);
    expect(ports.row().end).toMatchObject({ success: false, reason: 'connect_refused', replayState: 'none' });
  });

  it('a name that leads nowhere', async () => {
    ports.grant = { ...grantFor(sshd), asset: { ...grantFor(sshd).asset, ip: 'no-such-host.invalid' } };
    await refusedWith('connect_unreachable');
  });

  it('something that does not answer, and something that is no SSH server', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    const strange = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    await Promise.all([once(silent, 'listening'), once(strange, 'listening')]);
    const portOf = (address: ReturnType<typeof silent.address>) => (address !== null && typeof address === 'object' ? address.port : 0);
    ports.limitValues = { ...ports.limitValues, connectSeconds: 0.3 };
    ports.grant = { ...grantFor(sshd), asset: { ...grantFor(sshd).asset, port: portOf(silent.address()) } };
    await refusedWith('connect_timeout');
    ports.rows.clear();
    ports.grant = { ...grantFor(sshd), asset: { ...grantFor(sshd).asset, port: portOf(strange.address()) } };
    await refusedWith('connect_protocol_error');
    silent.close();
    strange.close();
  });

  it('stored credentials that are wrong: the person is not asked', async () => {
    ports.login = { username: sshd.username, password: 'wrong' };
    await refusedWith('connect_credentials');
  });

  it('a stored key that cannot be read', async () => {
    ports.login = { username: sshd.username, privateKey: 'no key' };
    await refusedWith('connect_credentials');
  });

  it('a host key that has changed, before any secret is sent', async () => {
    const client = await openTerminal();
    await client.close();
    ports.rows.clear();
    await sshd.restartWithNewHostKey();
    const grant = ports.grant;
    expect((await refusedWith('connect_host_key')).retry).toBe(false);
    ports.pins.clear();
    ports.rows.clear();
    expect(ports.grant).toBe(grant);
    const again = await openTerminal();
    await again.close();
  });

  it('no place to record: nothing flows', async () => {
    await rm(directory, { recursive: true });
    await writeFile(directory, 'a file where the folder should be');
    await refusedWith('session_recording_failed');
    expect(ports.row().end).toMatchObject({ success: false, replayState: 'failed' });
  });
});

describe('asking the person', () => {
  it('asks for an account in manual mode, again after a wrong answer, and gives up after three', async () => {
    const grant = grantFor(sshd);
    ports.grant = { ...grant, systemUser: { ...grant.systemUser, loginMode: 'manual' } };
    const client = await connect();
    expect(await client.message('need_credentials')).toEqual({ type: 'need_credentials', username: sshd.username, reason: 'manual' });
    const asked = () => client.messages.filter((message) => message.type === 'need_credentials');
    client.send({ type: 'credentials', username: sshd.username, password: 'wrong' });
    await client.until('the second question', () => asked()[1]);
    expect(asked()[1]).toMatchObject({ reason: 'rejected' });
    client.send({ type: 'credentials', username: sshd.username, password: sshd.password ?? '' });
    await client.message('open');
    await client.waitFor('ready> ');
    await client.close();
    expect([...ports.rows.values()].map((row) => row.session.account)).toEqual([sshd.username, sshd.username]);

    const other = await connect();
    for (let i = 0; i < 3; i++) {
      await other.until('a question', () => other.messages.filter((message) => message.type === 'need_credentials')[i]);
      other.send({ type: 'credentials', username: 'nobody-here', password: `wrong${i}` });
    }
    expect((await other.message('closed')).code).toBe('connect_credentials');
    expect(JSON.stringify([...ports.rows.values()]) + ports.logged.join()).not.toContain('wrong');
  });
});

describe('the way through gateways', () => {
  it('goes hop by hop, each with a host key of its own', async () => {
    const hop = await startSshd();
    try {
      ports.hops = [
        { id: 'h1', name: 'first', host: hop.host, port: hop.port, login: keyLogin(hop) },
        { id: 'h2', name: 'second', host: sshd.host, port: sshd.port, login: { username: sshd.username, password: sshd.password ?? '' } },
      ];
      const client = await openTerminal();
      client.type('echo through\r');
      await client.waitFor('\rthrough');
      expect([...ports.pins.keys()].filter((owner) => owner.startsWith('gateway:'))).toEqual(['gateway:h1', 'gateway:h2']);
      await client.close();
      ports.rows.clear();
      await hop.restartWithNewHostKey();
      const refused = await connect();
      expect(await refused.message('closed')).toMatchObject({ code: 'connect_host_key' });
      ports.pins.clear();
      const port = await freePort();
      ports.grant = { ...grantFor(sshd), asset: { ...grantFor(sshd).asset, port } };
      const beyond = await connect();
      expect(await beyond.message('closed')).toMatchObject({ code: 'connect_refused' });
    } finally {
      await hop.stop();
    }
  });
});

describe('what ends a session', () => {
  it('an administrator, whose name the person reads', async () => {
    const client = await openTerminal();
    expect(server.gateway.hub.terminate(ports.row().session.id, 'Boss')).toBe(true);
    expect(await client.message('closed')).toMatchObject({ code: 'session_terminated', message: 'An administrator ended this session: Boss.' });
    expect(await finished(client)).toMatchObject({ reason: 'session_terminated', replayState: 'finished' });
    expect(server.gateway.hub.terminate(ports.row().session.id, 'Boss')).toBe(false);
  });

  it('signing out, but only of the same sign-in', async () => {
    const client = await openTerminal();
    server.gateway.hub.signOut('another');
    client.type('echo still here\r');
    await client.waitFor('\rstill here');
    server.gateway.hub.signOut('login1');
    expect(await client.message('closed')).toMatchObject({ code: 'session_signed_out', retry: false });
  });

  it('a permission that is taken away', async () => {
    const client = await openTerminal();
    await server.gateway.hub.recheck();
    ports.grant = undefined;
    await server.gateway.hub.recheck((info) => info.person.userId === 'somebody else');
    expect(server.gateway.hub.counts().sessions).toBe(1);
    await server.gateway.hub.recheck((info) => info.person.userId === PERSON.userId);
    expect(await client.message('closed')).toMatchObject({ code: 'connect_expired' });
  });

  it('a permission that runs out, unless another one goes on', async () => {
    const soon = () => new Date(Date.now() + 400);
    ports.grant = { ...grantFor(sshd), validUntil: soon() };
    const client = await openTerminal();
    ports.grant = { ...grantFor(sshd), validUntil: soon() };
    const { check } = ports.access;
    let checks = 0;
    Object.assign(ports.access, {
      check: (...words: Parameters<typeof check>) => {
        checks++;
        return check(...words);
      },
    });
    await client.until('the second look at the permission', () => (checks > 0 ? true : undefined));
    expect(server.gateway.hub.counts().sessions).toBe(1);
    ports.grant = undefined;
    expect(await client.message('closed')).toMatchObject({ code: 'connect_expired' });
  });

  it('idleness and too long a time', async () => {
    ports.limitValues = { ...ports.limitValues, idleMinutes: 0.005, maximumHours: 24, connectSeconds: 10 };
    const idle = await openTerminal();
    expect(await idle.message('closed')).toMatchObject({ code: 'session_idle' });
    ports.limitValues = { ...ports.limitValues, idleMinutes: 30, maximumHours: 1 / 3600 / 2, connectSeconds: 10 };
    const long = await openTerminal();
    expect(await long.message('closed')).toMatchObject({ code: 'session_too_long' });
  });

  it('limits that become shorter while it is open', async () => {
    const idle = await openTerminal();
    server.gateway.hub.setLimits({ ...ports.limitValues, idleMinutes: 0.005, maximumHours: 24, connectSeconds: 10 });
    expect(await idle.message('closed')).toMatchObject({ code: 'session_idle' });
    const other = await openTerminal();
    server.gateway.hub.setLimits({ ...ports.limitValues, idleMinutes: 30, maximumHours: 1 / 3600 / 100, connectSeconds: 10 });
    expect(await other.message('closed')).toMatchObject({ code: 'session_too_long' });
  });

  it('a disk that is full: what cannot be recorded is not allowed to go on', async () => {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', directory]).catch((error: Error) => {
      throw new Error('This test fills a small file system and may not mount one: run it as root, in a container with the capability SYS_ADMIN.', {
        cause: error,
      });
    });
    try {
      const client = await openTerminal();
      client.type('seq 200000\r');
      expect(await client.message('closed')).toMatchObject({ code: 'session_recording_failed' });
      expect(await finished(client)).toMatchObject({ success: true, replayState: 'failed' });
      expect(client.received).toBeLessThan(1_300_000);
    } finally {
      await run('umount', [directory]);
    }
  });

  it('a target that breaks down', async () => {
    const fragile = await startSshd();
    try {
      await writeFile(join(fragile.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
      ports.grant = grantFor(fragile);
      ports.login = keyLogin(fragile);
      const client = await openTerminal();
      await fragile.kill();
      expect(await client.message('closed')).toMatchObject({ code: 'connect_target_lost', retry: true });
      expect(await finished(client)).toMatchObject({ success: true, replayState: 'finished' });
    } finally {
      await fragile.stop();
    }
  });

  it('the server stopping: recordings are finished before it does', async () => {
    const client = await openTerminal();
    await server.gateway.drain();
    expect(ports.row().end).toMatchObject({ reason: 'session_server_stopping', replayState: 'finished' });
    expect(await client.message('closed')).toMatchObject({ code: 'session_server_stopping' });
    const late = await connect();
    expect(await late.message('closed')).toMatchObject({ code: 'session_server_stopping' });
    expect(await readdir(join(directory, ports.row().session.dateStart.toISOString().slice(0, 10)))).toEqual([`${ports.row().session.id}.cast.gz`]);
  });
});

describe('after a crash', () => {
  it('the next start closes the rows and finishes the recordings', async () => {
    const client = await openTerminal();
    await client.close();
    const row = ports.row();
    await finished(client);
    const finishedPath = await recordingOf(row);
    // As a crash leaves it: the row open, the recording plain and torn.
    row.end = undefined;
    row.replay = 'recording';
    const cast = gunzipSync(await readFile(finishedPath));
    await rm(finishedPath);
    await writeFile(finishedPath.slice(0, -3), Buffer.concat([cast, Buffer.from('[9.0, "o", "torn')]));
    await server.gateway.recover();
    expect(row.end).toMatchObject({ reason: 'interrupted', success: true, replayState: 'recovered' });
    expect(gunzipSync(await readFile(finishedPath)).equals(cast)).toBe(true);
  });
});

describe('how much one person may have', () => {
  it('sessions at a time: one more is refused before anything is connected, and there is room again when one ends', async () => {
    ports.limitValues = { ...ports.limitValues, sessionsPerPerson: 2 };
    const [first] = [await openTerminalOfMany(), await openTerminalOfMany()];
    const refused = await (await connect()).message('closed');
    expect([refused.code, refused.message]).toEqual(['session_limit', 'You have 2 sessions open, which is the most. Close one first.']);
    expect(ports.rows.size).toBe(2);
    await first.close();
    await first.until('room for another', () => (server.gateway.hub.counts().sessions === 1 ? true : undefined));
    await openTerminalOfMany();
  });

  async function openTerminalOfMany(): Promise<TerminalClient> {
    const client = await connect();
    await client.message('open');
    return client;
  }
});

describe('recordings and the disk they are on', () => {
  const flooding = async (): Promise<TerminalClient> => {
    const client = await openTerminalAt('ready> ');
    client.keepsOutput = false;
    client.type('yes 0123456789012345678901234567890123456789\r');
    return client;
  };
  const openTerminalAt = async (prompt: string): Promise<TerminalClient> => {
    const client = await connect();
    await client.message('open');
    await client.waitFor(prompt);
    return client;
  };

  it('a recording that is as large as it may become ends its session, and is whole', async () => {
    ports.limitValues = { ...ports.limitValues, recordingBytes: 3 * 1024 * 1024 };
    const client = await flooding();
    expect(await client.message('closed')).toMatchObject({ code: 'session_recording_full', message: expect.stringContaining('3 MiB') });
    expect(await finished(client)).toMatchObject({ reason: 'session_recording_full', replayState: 'finished' });
  });

  it('a disk that is nearly full ends the session that writes most, then all, and opens no new one', async () => {
    const quiet = await openTerminalAt('ready> ');
    const loud = await flooding();
    await loud.until('a large recording', () => (loud.received > 1_000_000 ? true : undefined));
    ports.limitValues = { ...ports.limitValues, diskReserveBytes: 1000 };
    ports.freeBytes = 900;
    await server.gateway.checkDisk();
    expect(await loud.message('closed')).toMatchObject({ code: 'session_disk_full' });
    quiet.type('echo still he"re"\r');
    await quiet.waitFor('still here');
    expect(await (await connect()).message('closed')).toMatchObject({ code: 'session_disk_full' });
    ports.freeBytes = 400;
    await server.gateway.checkDisk();
    expect(await quiet.message('closed')).toMatchObject({ code: 'session_disk_full' });
    for (const row of ports.rows.values()) await quiet.until('the end of the row', () => row.end);
    expect([...ports.rows.values()].map((row) => row.end?.replayState).sort()).toEqual(['finished', 'finished', 'none']);
  });
});

describe('lines without echo', () => {
  it('are counted in the commands and marked in the recording, without what they said', async () => {
    const client = await openTerminal();
    client.type('stty -echo\r');
    await client.waitFor('ready> ');
    for (const line of ['touch secret-one', 'touch secret-two']) {
      client.type(`${line}\r`);
      await client.waitFor('ready> ');
    }
    client.type('stty echo\r');
    await client.waitFor('ready> ');
    client.type('echo se"en"\r');
    await client.waitFor('seen');
    client.type('exit\r');
    await finished(client);
    const { commands } = ports.row();
    expect(commands.map(({ input }) => input)).toEqual(['stty -echo', '# 3 lines typed without echo', 'echo se"en"', 'exit']);
    const cast = gunzipSync(await readFile(await recordingOf(ports.row()))).toString('utf8');
    expect(cast).toContain('"m", "# 3 lines typed without echo"');
    expect(cast + JSON.stringify(commands)).not.toContain('secret');
  });
});

describe('watching', () => {
  it('ends with the permission for it, however long the session goes on', async () => {
    const client = await openTerminal();
    const watcher = TerminalClient.watch(server.url, ports.row().session.id);
    await watcher.message('resize');
    ports.mayWatch = false;
    await server.gateway.hub.recheck();
    expect(await watcher.message('closed')).toMatchObject({ code: 'session_watch_ended', retry: false });
    expect(server.gateway.hub.counts()).toMatchObject({ sessions: 1, watchers: 0 });
    client.type('echo still he"re"\r');
    await client.waitFor('still here');
    await client.close();
  });

  it('ends with the sign-in it was opened by', async () => {
    await openTerminal();
    const watcher = TerminalClient.watch(server.url, ports.row().session.id);
    await watcher.message('resize');
    server.gateway.hub.signOut('login1');
    expect(await watcher.message('closed')).toMatchObject({ code: 'session_signed_out' });
  });

  it('shows the screen as it is, then what comes, and cannot type', async () => {
    const client = await openTerminal();
    client.type('echo before watching\r');
    await client.waitFor('\rbefore watching');
    const watcher = TerminalClient.watch(server.url, ports.row().session.id);
    expect(await watcher.message('resize')).toEqual({ type: 'resize', cols: 80, rows: 24 });
    await watcher.waitFor('before watching');
    client.type('echo while watching\r');
    await watcher.waitFor('\rwhile watching');
    client.send({ type: 'resize', cols: 90, rows: 30 });
    await watcher.until('the new size', () => watcher.messages.find((message) => message.type === 'resize' && message.cols === 90));
    const intruder = TerminalClient.watch(server.url, ports.row().session.id);
    await intruder.message('resize');
    intruder.type('touch intruded\r');
    expect(await intruder.until('close', () => intruder.closeCode)).toBe(1008);
    await client.close();
    expect(await watcher.message('closed')).toMatchObject({ code: 'session_finished' });
    const late = TerminalClient.watch(server.url, ports.row().session.id);
    expect(await late.message('closed')).toMatchObject({ code: 'session_not_watchable' });
  });
});

describe('a browser that does not keep to the protocol', () => {
  const closedWith = async (send: (client: TerminalClient) => void, open = false) => {
    const client = open ? await openTerminal() : new TerminalClient(`${server.url}/ws/terminal/`);
    if (!open) await client.until('open', () => (client.socket.readyState === 1 ? true : undefined));
    send(client);
    const code = await client.until('close', () => client.closeCode);
    await client.until('nothing left', () => (server.gateway.hub.counts().sessions + server.gateway.hub.counts().connecting === 0 ? true : undefined));
    return code;
  };

  it('is sent away with a code that says why', async () => {
    expect(await closedWith((client) => client.socket.send('{'))).toBe(1007);
    expect(await closedWith((client) => client.socket.send('{"type":"connect","asset":"a","system_user":"s","cols":1,"rows":24}'))).toBe(1007);
    expect(await closedWith((client) => client.socket.send('{"type":"connect","asset":"a","system_user":"s","cols":80,"rows":1001}'))).toBe(1007);
    expect(await closedWith((client) => client.socket.send('{"type":"connect","asset":"a\\u0000","system_user":"s","cols":80,"rows":24}'))).toBe(1007);
    expect(await closedWith((client) => client.socket.send('{"type":"connect","asset":"a","system_user":"s","protocol":"gopher","cols":80,"rows":24}'))).toBe(
      1007,
    );
    expect(await closedWith((client) => client.send({ type: 'ack', bytes: 1 }))).toBe(1008);
    expect(await closedWith((client) => client.send({ type: 'ack', bytes: 1_000_000 }), true)).toBe(1008);
    expect(await closedWith((client) => client.send({ type: 'credentials', username: 'a', password: 'b' }), true)).toBe(1008);
    expect(await closedWith((client) => client.socket.send(Buffer.alloc(64 * 1024 + 1)), true)).toBe(1009);
    expect(await closedWith((client) => client.send({ type: 'connect', asset: 'a', system_user: 's', cols: 80, rows: 24 }), true)).toBe(1008);
  });
});
