import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAgent, LEASH } from '../server/src/testing/agents.ts';
import { unique } from '../server/src/testing/builders.ts';
import type { Client, Json } from '../server/src/testing/client.ts';
import { freePort } from '../server/src/testing/free-port.ts';
import { notePeers } from '../server/src/testing/peers.ts';
import { until } from '../server/src/testing/poll.ts';
import { bearer } from '../server/src/testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../server/src/testing/ssh/ssh-world.ts';

const run = promisify(execFile);
const HERE = join(import.meta.dirname, 'agents');
/** Time of a program from its start to its end, with the browser between. */
const PATIENCE_MS = 300_000;

let world: SshWorld;
let owner: Client;
let folder: string;
let site: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-agents-'));
  await copyFile(join(HERE, 'package.json'), join(folder, 'package.json'));
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
  const { dependencies } = JSON.parse(await readFile(join(HERE, 'package.json'), 'utf8'));
  notePeers(...Object.entries(dependencies).map(([name, version]) => `${name} ${version}`));
  world = await startSshWorld();
  owner = await bearer(world.test, world.member);
  site = world.test.program.url.replace(/\/$/, '');
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

const installed = (...path: string[]) => join(folder, 'node_modules', ...path);
const MCP_REMOTE = 'mcp-remote/dist/client.js';
const CONFORMANCE = '@modelcontextprotocol/conformance/dist/index.js';

/** A program that runs in an empty home, and everything that it printed. */
async function start(command: string, words: readonly string[]) {
  const home = await mkdtemp(join(folder, 'home-'));
  const bin = join(home, 'bin');
  await mkdir(bin);
  // The browser of the program: it prints the address instead of opening it.
  const browser = '#!/bin/sh\nfor last; do :; done\necho "$last" >> "$HOME/opened"\n';
  for (const name of ['xdg-open', 'www-browser', 'x-www-browser', 'firefox'])
    await writeFile(join(bin, name), browser, { mode: 0o755 });
  const child = spawn(command, words, {
    cwd: home,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      BROWSER: join(bin, 'xdg-open'),
      NO_COLOR: '1',
    },
    // mcp-remote ends once its input does.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return {
    home,
    child,
    ended,
    printed: () => printed,
    /** The address that the program opens or prints. */
    async address(): Promise<string> {
      let address = '';
      await until(
        async () => {
          const opened = await readFile(join(home, 'opened'), 'utf8').catch(() => '');
          const text = `${printed}\n${opened}`.replaceAll(/\r/g, '');
          address = /https?:\/\/\S+\/oauth\/authorize\?\S+/.exec(text)?.[0] ?? '';
          return address !== '';
        },
        'the program asks for a browser',
        PATIENCE_MS,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${printed}`);
      });
      return address;
    },
  };
}

/** Does what the user does in the browser: sets a leash and allows the program. */
async function allow(address: string): Promise<Json> {
  const page = await fetch(address, { redirect: 'manual' });
  const request = new URL(page.headers.get('location') ?? '').searchParams.get('request');
  const answer = await owner.post<Json>('agents/agents/', {
    name: unique('program'),
    ...LEASH,
    hosts: world.hostname,
    password: world.member.password,
    request,
  });
  expect(answer.status, answer.text).toBe(201);
  await fetch(String(answer.body.redirect));
  return answer.body;
}

it('signs mcp-remote in, which lists the tools', async () => {
  const program = await start(process.execPath, [
    installed(MCP_REMOTE),
    `${site}/mcp`,
    '--allow-http',
  ]);
  const { id } = await allow(await program.address());
  expect(await program.ended, program.printed()).toBe(0);
  expect(program.printed()).toContain('write_file');
  const { body } = await owner.get<Json>(`agents/agents/${id}/`);
  expect(body).toMatchObject({ state: 'active', token: null });
});

it('signs Codex in', async () => {
  const words = ['-c', `mcp_servers.sallyport.url="${site}/mcp"`, 'mcp', 'login', 'sallyport'];
  const program = await start(process.execPath, [
    installed('@openai/codex/bin/codex.js'),
    ...words,
  ]);
  const { client } = await allow(await program.address());
  expect(client).toMatch(/codex/i);
  expect(await program.ended, program.printed()).toBe(0);
  expect(program.printed()).toMatch(/success/i);
});

it('signs opencode in, which lists the server as connected', async () => {
  const program = installed('opencode-linux-x64/bin/opencode');
  const config = { mcp: { sallyport: { type: 'remote', url: `${site}/mcp` } } };
  const words = ['mcp', 'auth', 'sallyport'];
  const signIn = await start('sh', [
    '-c',
    `printf %s "$0" > opencode.json; exec "$@"`,
    JSON.stringify(config),
    program,
    ...words,
  ]);
  await allow(await signIn.address());
  expect(await signIn.ended, signIn.printed()).toBe(0);
  const { stdout } = await run(program, ['mcp', 'list'], {
    cwd: signIn.home,
    env: {
      PATH: process.env.PATH,
      HOME: signIn.home,
      XDG_CONFIG_HOME: join(signIn.home, 'config'),
    },
  });
  expect(stdout).toMatch(/sallyport.*connected/s);
});

/** Adds the token of an agent to each request: the suite has no option for it. */
async function withToken(token: string) {
  const { hostname, port } = new URL(site);
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const options = {
      hostname,
      port,
      method,
      path,
      headers: { ...headers, authorization: `Bearer ${token}` },
    };
    const passed = forward(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}/mcp`, stop: () => server.close() };
}

it.each(['2026-07-28', '2025-11-25'])(
  'passes the conformance suite of revision %s, except for the listed scenarios',
  async (revision) => {
    const leash = { hosts: world.hostname, password: world.member.password };
    const { token } = await createAgent(owner, leash);
    const proxy = await withToken(token);
    const words = ['server', '--url', proxy.url, '--spec-version', revision];
    const baseline = join(HERE, `expected-failures-${revision}.yml`);
    const suite = await start(process.execPath, [
      installed(CONFORMANCE),
      ...words,
      '--expected-failures',
      baseline,
    ]);
    expect(await suite.ended, suite.printed()).toBe(0);
    proxy.stop();
  },
);

it('passes the conformance suite of an authorization server', async () => {
  const port = await freePort();
  const { body } = await world.test.visitor.post<Json>('/oauth/register', {
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
  });
  const suite = await start(process.execPath, [
    installed(CONFORMANCE),
    ...['authorization', '--url', site, '--client-id', String(body.client_id)],
    ...['--resource', `${site}/mcp`, '--port', String(port)],
  ]);
  await allow(await suite.address());
  expect(await suite.ended, suite.printed()).toBe(0);
  expect(suite.printed()).toMatch(/0 failed/);
});
