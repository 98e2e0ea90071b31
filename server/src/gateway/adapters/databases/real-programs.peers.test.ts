import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { actionMask } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildPermission, unique } from '../../../testing/builders.ts';
import { freePort } from '../../../testing/free-port.ts';
import { runOperatorCommand } from '../../../testing/operator-command.ts';
import { until } from '../../../testing/poll.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';

let world: OpenSshWorld;
let config: string;
let knownHosts: string;
beforeAll(async () => {
  world = await startOpenSshWorld();
  await writeFile(join(world.sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
  const publicKey = (await readFile(`${world.sshd.keyFile}.pub`, 'utf8')).trim();
  await sql`update account set public_key = ${publicKey} where id = ${world.member.id}`.execute(
    world.test.db,
  );
  const printed = await runOperatorCommand(world.test, ['host-keys'], {
    SALLYPORT_SSH_HOST: '127.0.0.1',
    SALLYPORT_SSH_PORT: String(world.port),
  });
  knownHosts = printed.stdout;
  config = await world.ssh.jumpConfig({ login: world.member.username, knownHosts });
});
afterAll(() => world.stop());

const target = () => `${world.sshd.username}@${world.hostname}`;

function start(
  program: string,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): ChildProcess & { readonly output: () => string } {
  const env = { ...world.ssh.environment({ login: '', password: world.member.password }), ...more };
  const child = spawn(program, words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  child.stdin.on('error', () => undefined);
  return Object.assign(child, { output: () => output });
}

async function run(
  program: string,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> {
  const child = start(program, words, more);
  child.stdin?.end();
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: child.output() };
}

const PARAMIKO = `
import base64, os, paramiko
port, login, user = int(os.environ["TEST_PORT"]), os.environ["TEST_LOGIN"], os.environ["TEST_USER"]
host, account = os.environ["TEST_HOST"], os.environ["TEST_ACCOUNT"]
password = os.environ["TEST_PASSWORD"]
known = paramiko.HostKeys(os.environ["TEST_KNOWN"])
own = known.lookup("[127.0.0.1]:%d" % port)

def opened(address, name, sock=None):
    client = paramiko.SSHClient()
    for kind, key in own.items():
        client.get_host_keys().add("[%s]:%d" % (address, port), kind, key)
    client.set_missing_host_key_policy(paramiko.RejectPolicy())
    client.connect(address, port, name, password, sock=sock, look_for_keys=False,
        allow_agent=False, banner_timeout=60, auth_timeout=60)
    return client

def check(client):
    stdin, stdout, stderr = client.exec_command("cat; echo err >&2; exit 3")
    data = os.urandom(300000)
    stdin.write(data)
    stdin.channel.shutdown_write()
    assert stdout.read() == data
    assert stderr.read() == b"err\\n"
    assert stdout.channel.recv_exit_status() == 3
    shell = client.invoke_shell(width=100, height=30)
    def wait(what):
        seen = b""
        while what not in seen:
            got = shell.recv(4096)
            assert got, seen
            seen += got
    wait(b"ready> ")
    shell.send("stty size\\n")
    wait(b"30 100")
    shell.resize_pty(width=90, height=20)
    shell.send("stty size\\n")
    wait(b"20 90")
    shell.send("exit 4\\n")
    assert shell.recv_exit_status() == 4

direct = opened("127.0.0.1", login)
check(direct)
direct.close()
outer = opened("127.0.0.1", user)
channel = outer.get_transport().open_channel("direct-tcpip", (host, 22), ("127.0.0.1", 0))
inner = opened(host, account, channel)
check(inner)
inner.close()
outer.close()
print("done")
`;

it('runs commands and shells for python3-paramiko, directly and through a forwarded connection, with verified host keys', async () => {
  const known = join(world.sshd.home, '..', 'paramiko_known_hosts');
  await writeFile(known, knownHosts);
  const facts = {
    TEST_PORT: String(world.port),
    TEST_LOGIN: world.login,
    TEST_USER: world.member.username,
    TEST_HOST: world.hostname,
  };
  const { code, output } = await run('/usr/bin/python3', ['-W', 'ignore', '-c', PARAMIKO], {
    ...facts,
    TEST_ACCOUNT: world.sshd.username,
    TEST_KNOWN: known,
  });
  expect([code, output]).toEqual([0, 'done\n']);
});

it('runs modules and copies files for ansible, through -J and directly, with multiplexed connections', async () => {
  const content = unique('content');
  const python = 'ansible_python_interpreter=/usr/bin/python3';
  const more = {
    ANSIBLE_SSH_ARGS: '-C -o ControlMaster=auto -o ControlPersist=2s',
    ANSIBLE_NOCOLOR: '1',
    ANSIBLE_TIMEOUT: '60',
  };
  const ansible = (host: string, user: string, words: readonly string[]) =>
    run(
      'ansible',
      [
        host,
        '-i',
        `${host},`,
        '-u',
        user,
        '-e',
        python,
        '--ssh-common-args',
        `-F ${config}`,
        ...words,
      ],
      more,
    );
  const copy = ['-m', 'copy', '-a', `content=${content} dest=${join(world.sshd.home, content)}`];
  const direct = ['--private-key', world.sshd.keyFile];
  for (const [host, user, words] of [
    [world.hostname, world.sshd.username, copy],
    [world.hostname, world.sshd.username, ['-m', 'shell', '-a', `cat ${content}`]],
    ['bastion', world.login, [...direct, '-m', 'shell', '-a', `cat ${content}`]],
  ] as const) {
    const { code, output } = await ansible(host, user, words);
    expect([code, output]).toEqual([0, expect.stringContaining('CHANGED')]);
  }
  expect(await readFile(join(world.sshd.home, content), 'utf8')).toBe(content);
});

/**
 * Does what the script of VS Code Remote-SSH does: starts a server in the background, prints its
 * port, and leaves the connection open.
 */
const BOOTSTRAP = `
echo "1a2b3c: running"
uname -rsv
mkdir -p "$HOME/.vscode-server/bin" && cd "$HOME/.vscode-server/bin" || exit 1
echo served > page
nohup python3 -u -c 'import http.server as h; s = h.HTTPServer(("127.0.0.1", 0), h.SimpleHTTPRequestHandler); print(s.server_port); s.serve_forever()' > log 2>/dev/null < /dev/null &
echo $! > pid
while ! [ -s log ]; do sleep 0.05; done
echo "listeningOn==$(head -1 log)=="
echo "osReleaseId==$(. /etc/os-release; echo $ID)=="
echo "arch==$(uname -m)=="
echo "1a2b3c: end"
`;

/** Requests a page through a SOCKS5 proxy (RFC 1928), as the editor does. */
async function pageThrough(proxy: number, port: number): Promise<string> {
  const socket = connect(proxy, '127.0.0.1');
  let output = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    output = Buffer.concat([output, chunk]);
  });
  const closed = once(socket, 'close');
  socket.write(Buffer.from([5, 1, 0]));
  await until(() => output.length >= 2, 'the proxy greets');
  socket.write(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255]));
  await until(() => output.length >= 12, 'the proxy is connected');
  socket.end('GET /page HTTP/1.0\r\n\r\n');
  await closed;
  return output.subarray(12).toString();
}

it('runs the bootstrap of VS Code: a script on standard input, a server in the background, and dynamic forwarding to it', async () => {
  const forward = {
    users: [world.member.id],
    assets: [world.asset],
    systemUsers: [world.systemUser],
    actions: actionMask(['forward_port']),
  };
  await buildPermission(world.test.db, { organization: world.organization, ...forward });
  const proxy = await freePort();
  const child = start('ssh', ['-F', config, '-T', '-D', `127.0.0.1:${proxy}`, target(), 'bash']);
  child.stdin?.write(BOOTSTRAP);
  await until(
    () => child.output().includes('1a2b3c: end') || child.exitCode !== null,
    'the script has ended',
  );
  const port = Number(/listeningOn==(\d+)==/.exec(child.output())?.[1]);
  expect([child.output(), port > 0]).toEqual([
    expect.stringMatching(/osReleaseId==\w+==\narch==\w+==\n/),
    true,
  ]);
  const pages = await Promise.all([pageThrough(proxy, port), pageThrough(proxy, port)]);
  for (const page of pages) expect(page).toMatch(/200 OK[\s\S]*\r\n\r\nserved\n$/);
  child.stdin?.end('kill $(cat pid)\nexit 0\n');
  expect((await once(child, 'close'))[0]).toBe(0);
});
