import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from './testing/certificates.ts';
import { type HostileServer, startHostileServer } from './testing/sallyctl/hostile-server.ts';
import { type Machine, prepareMachine } from './testing/sallyctl/sallyctl.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPQ8v9R3l1C7Y7cW3r2nL0s3vJq1V3p5u8mXyZ0aBcD';
const ACCESS = { host: 'bastion.example.com', port: 2222, host_keys: [{ public_key: KEY }] };
/** Characters that a terminal obeys, and characters that change what the reader sees. */
const OBEYED = /(?!\n)[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

let machine: Machine;
let server: HostileServer;
let certificate: string;
beforeAll(async () => {
  machine = await prepareMachine();
  server = await startHostileServer(machine);
  certificate = await readFile((await makeCertificates(machine.home)).authority, 'utf8');
});
afterAll(async () => {
  await server?.stop();
  await machine?.stop();
});

const readCall = (stdout: string) =>
  JSON.parse(stdout) as { readonly args: readonly string[]; readonly files: readonly string[] };

describe('ssh and scp at a hostile server', () => {
  const answer = (change: object) =>
    server.answers.set('terminal/ssh/', { body: { ...ACCESS, ...change } });

  it('opens no server whose name is that of another one with an account', async () => {
    answer({});
    const asset = (hostname: string, org_name: string) => ({
      ...{ id: crypto.randomUUID(), hostname, ip: '10.0.0.1', org_name },
    });
    const results = [asset('web', 'mine'), asset('web@root', 'of others')];
    const before = server.answers.get('perms/users/assets/') ?? { body: {} };
    server.answers.set('perms/users/assets/', { body: { count: 2, next: null, results } });
    const { code, stdout, stderr } = await machine.run(['ssh', 'web@root']);
    server.answers.set('perms/users/assets/', before);
    expect([code, stdout]).toEqual([5, '']);
    for (const { id, org_name } of results) expect(stderr).toContain(`  ${id}  ${org_name}`);
  });

  it('names the host after the options', async () => {
    answer({});
    const { stdout } = await machine.run(['scp', '-r', 'report', 'web:-x']);
    expect(readCall(stdout).args.slice(-4)).toEqual([
      '-r',
      '--',
      'report',
      'bastion.example.com:-x',
    ]);
  });

  it.each([
    { host: '-oProxyCommand=touch PWNED' },
    { host: '-F/tmp/config' },
    { host: 'bastion -oProxyCommand=x' },
    { host: 'bastion\nProxyCommand x' },
    { host: '[::1]:22' },
    { host: ['bastion'] },
    { port: '22 -oProxyCommand=x' },
    { port: -1 },
    { port: 70_000 },
    { host_keys: [{ public_key: `${KEY}\n@cert-authority * ${KEY}` }] },
    { host_keys: [{ public_key: 7 }] },
  ])('starts no ssh and scp for the answer %j', async (change) => {
    answer(change);
    const [field = ''] = Object.keys(change);
    const words = field === 'host' ? ['scp', 'report', 'web:'] : ['ssh', 'web', 'uptime'];
    const { code, stdout, stderr } = await machine.run(words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`unsafe value for ${field}`);
    expect(stderr).not.toMatch(OBEYED);
  });

  it('keeps a local file that is called like an option after the options', async () => {
    answer({});
    const { stdout } = await machine.run(['scp', '-p', '--', '-oProxyCommand=x', 'web:']);
    expect(readCall(stdout).args.slice(-4)).toEqual([
      '-p',
      '--',
      '-oProxyCommand=x',
      'bastion.example.com:',
    ]);
  });
});

describe('db at a hostile server', () => {
  const issued = () => ({
    protocol: 'mysql',
    host: 'bastion.example.com',
    port: 3307,
    username: 'alice@root@sales',
    password: 'secret',
    database: 'sales',
    date_expired: '2036-01-31 08:30:00 +0800',
    tls: true,
    certificate,
    fingerprint: 'AB',
  });
  const answer = (change: object) =>
    server.answers.set('terminal/databases/passwords/', { body: { ...issued(), ...change } });

  it('gives the name of the database to mysql in the option file', async () => {
    answer({ database: 'sales -e x' });
    const { stdout } = await machine.run(['db', 'sales', '--batch']);
    const { args, files } = readCall(stdout);
    expect(args.slice(1)).toEqual(['--batch']);
    expect(files[0]).toContain('\nuser="alice@root@sales"\n');
    expect(files[0]).toContain('\ndatabase="sales -e x"\n');
  });

  it.each([
    { database: '-e\\! touch PWNED' },
    { database: '--init-command=x' },
    { database: 'a\nb' },
    { database: 'a\u009bb' },
    { database: null },
    { host: '-h' },
    { host: '/run/socket' },
    { port: '3306\npager=touch PWNED' },
    { port: 3306.5 },
    { username: 'alice\npager=touch PWNED' },
    { username: '-u' },
    { password: 'a\npager=touch PWNED' },
    { password: 7 },
  ])('starts no program for the answer %j', async (change) => {
    const [field = ''] = Object.keys(change);
    answer({ protocol: field === 'database' ? 'postgresql' : 'mysql', ...change });
    const { code, stdout, stderr } = await machine.run(['db', 'sales']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`unsafe value for ${field}`);
    expect(stderr).not.toMatch(OBEYED);
  });

  it('prints JSON and facts without a character that the terminal obeys', async () => {
    const odd = 'a\u001b]0;title\u0007\u009d52;c;eA==\u009c\u202eb';
    answer({ database: odd, host: odd });
    const { stdout } = await machine.run(['db', '--json', 'sales']);
    expect(stdout).not.toMatch(OBEYED);
    expect(JSON.parse(stdout)).toMatchObject({ database: odd });
    expect((await machine.run(['db', '--print', 'sales'])).stdout).not.toMatch(OBEYED);
  });
});

it.each([
  [403, { detail: '\u001b]52;c;eA==\u0007\u009bno' }],
  [400, { msg: 'a\u001b]0;title\u0007' }],
  [400, { 'na\u001bme': ['a\u009d0;title\u009c'], other: { deep: '\u001b[c' } }],
])('prints the error %d of the server without control characters', async (status, body) => {
  server.answers.set('terminal/ssh/', { status, body });
  const { code, stderr } = await machine.run(['ssh', 'web']);
  expect(code).not.toBe(0);
  expect(stderr).not.toMatch(OBEYED);
});
