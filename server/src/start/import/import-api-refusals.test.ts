import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeSelfSigned } from '../../testing/certificates.ts';
import type { Json } from '../../testing/client.ts';
import { API_KEY, type ApiServer, startApiServer } from '../../testing/jumpserver/api-server.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let server: ApiServer;
let folder: string;
beforeAll(async () => {
  test = await startTestProgram();
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
  await writeFile(join(folder, 'key'), `${API_KEY.id}:${API_KEY.secret}\n`, { mode: 0o600 });
});
afterAll(async () => {
  await test.stop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  server = await startApiServer();
  fill(server);
});
afterEach(() => server.stop());

const users = (number: number) =>
  Array.from({ length: number }, (_, at) => ({
    id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    ...{ username: `user${at}`, name: `User ${at}`, email: `user${at}@example.com` },
    ...{ role: 'User', source: 'local', is_active: true },
  }));

function fill({ lists }: ApiServer): void {
  lists.set('users/users/', users(3));
  lists.set('assets/platforms/', []);
}

async function runImport(url = server.url, words: readonly string[] = []) {
  const from = [`--url=${url}`, `--access-key-file=${join(folder, 'key')}`];
  const result = await runOperatorCommand(test, ['import', 'jumpserver', ...from, ...words]);
  expect(`${result.stdout}${result.stderr}`).not.toContain(API_KEY.secret);
  return result;
}

/** Plans an import that fails, and returns what it says. */
async function refusedPlan(url?: string, words: readonly string[] = []): Promise<string> {
  const { code, stdout, stderr } = await runImport(url, ['--plan', ...words]);
  expect([code, stdout]).toEqual([1, '']);
  return stderr;
}

it('reads pages that are shorter than it asked for', async () => {
  await server.stop();
  server = await startApiServer(undefined, 2);
  fill(server);
  const { stdout, code } = await runImport(server.url, ['--plan']);
  expect([stdout, code]).toEqual([expect.stringMatching(/^users +3 new/m), 2]);
});

it('stops at a page that never ends', async () => {
  server.interfere = (path, response) => {
    if (path !== 'users/users/') return false;
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    };
    response.writeHead(200).on('drain', more);
    more();
    return true;
  };
  expect(await refusedPlan()).toContain('A page of the source has more than 16777216 bytes.');
});

it('stops at a list that never ends', async () => {
  let at = 0;
  server.interfere = (path, response) => {
    if (path !== 'users/users/') return false;
    at += 1;
    response.end(JSON.stringify({ count: 10 ** 9, results: at > 3 ? [] : [{ id: at }] }));
    return true;
  };
  expect(await refusedPlan()).toContain('users/users/ changed while it was read.');
});

it('stops when the source changes between two pages', async () => {
  server.lists.set('users/users/', users(501));
  let isFirst = true;
  server.interfere = (path) => {
    const list = server.lists.get(path) ?? [];
    // An object that was added before the first page moves the others.
    if (path === 'users/users/' && server.requests.filter((one) => one === path).length === 3)
      server.lists.set(path, isFirst ? [{ id: 'new' }, ...list] : list.toReversed());
    return false;
  };
  expect(await refusedPlan()).toContain('Run the command again in a quiet hour.');
  isFirst = false;
  server.requests.length = 0;
  server.lists.set('users/users/', users(501));
  expect(await refusedPlan()).toContain('Run the command again in a quiet hour.');
});

it('does not follow a redirect, which would give the key to another host', async () => {
  const other = await startApiServer();
  server.interfere = (path, response) => {
    if (path === 'users/users/') response.writeHead(302, { location: other.url }).end();
    return path === 'users/users/';
  };
  try {
    expect(await refusedPlan()).toContain('redirects users/users/: name the final address');
    expect(other.requests).toEqual([]);
  } finally {
    await other.stop();
  }
});

it('sends nothing to a server whose certificate it cannot verify', async () => {
  const tls = await makeSelfSigned('DNS:localhost');
  const protectedServer = await startApiServer(tls);
  fill(protectedServer);
  try {
    expect(await refusedPlan(protectedServer.url)).toMatch(/cannot be read: .*self-signed/);
    expect(protectedServer.requests).toEqual([]);
    await writeFile(join(folder, 'ca.pem'), tls.certificate);
    const ca = `--ca=${join(folder, 'ca.pem')}`;
    const { stdout } = await runImport(protectedServer.url, ['--plan', ca]);
    expect(stdout).toMatch(/^users +3 new/m);
    const elsewhere = protectedServer.url.replace('localhost', '127.0.0.1');
    expect(await refusedPlan(elsewhere, [ca])).toContain('cannot be read');
  } finally {
    await protectedServer.stop();
  }
});

it.each([
  ['http://jumpserver.example.com', 'must be an address with https'],
  ['https://admin:password@jumpserver.example.com', 'must be an address with https'],
  ['jumpserver', 'must be an address with https'],
])('refuses the address %s', async (url, text) => {
  expect(await refusedPlan(url)).toContain(text);
});

it.each([
  [403, 'The owner of the access key may not read users/users/.'],
  [404, 'users/users/ answers with status 404.'],
  [502, 'users/users/ answers with status 502.'],
])('says what a status %i means, and changes nothing', async (status, text) => {
  server.refused.set('users/users/', status);
  const { stderr, code } = await runImport(server.url, ['--apply']);
  expect([stderr, code]).toEqual([expect.stringContaining(text), 1]);
  const { body } = await (await bearer(test)).get<Json[]>('users/users/');
  expect(body).toHaveLength(1);
});

it('says when the answer is no JSON', async () => {
  server.interfere = (_path, response) => {
    response.end('<html>');
    return true;
  };
  expect(await refusedPlan()).toContain('answers with no JSON: is this JumpServer?');
});

it('names neither two sources nor none', async () => {
  expect(await refusedPlan(undefined, ['--config=config.txt'])).toContain('and the source: ');
  const { stderr } = await runOperatorCommand(test, ['import', 'jumpserver', '--plan']);
  expect(stderr).toContain('and the source: ');
});
