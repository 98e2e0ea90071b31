import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TransitConfig } from '../../config.ts';
import { unique } from '../../testing/builders.ts';
import { makeCertificates } from '../../testing/certificates.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Json } from '../../testing/client.ts';
import { runOperatorCommandIn } from '../../testing/operator-command.ts';
import { startTransitServer, type TransitServer } from '../../testing/services/transit-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const TOKEN = 'hvs.a-token-of-the-test';

let folder: string;
let service: TransitServer;
let test: TestProgram;
let authority: string;
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-transit-'));
  const certificates = await makeCertificates(folder);
  authority = certificates.authority;
  service = await startTransitServer(certificates);
  service.tokens.add(TOKEN);
  writeFileSync(at('token'), `${TOKEN}\n`);
  writeFileSync(at('secret-id'), service.role.secret);
  test = await startTestProgram();
});
afterAll(async () => {
  await test.stop();
  await service.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  service.answer = undefined;
  service.denied.clear();
});

const transit = (): TransitConfig => ({
  url: service.url,
  mount: 'security/transit',
  key: 'sallyport',
  token: undefined,
  tokenFile: at('token'),
  roleId: undefined,
  secretIdFile: undefined,
  namespace: undefined,
  caFile: authority,
});

const vault = (changes: Readonly<Record<string, string>> = {}) => ({
  SALLYPORT_VAULT_URL: service.url,
  SALLYPORT_VAULT_KEY: 'security/transit/sallyport',
  SALLYPORT_VAULT_TOKEN_FILE: at('token'),
  SALLYPORT_VAULT_CA_FILE: authority,
  ...changes,
});

const run = (environment: Readonly<Record<string, string>>, ...words: string[]) =>
  runOperatorCommandIn(test.dataDirectory, words, {
    SALLYPORT_DATABASE_URL: test.databaseUrl,
    ...environment,
  });

it('moves the master key from a file to the service, then to its next version', async () => {
  const key = join(test.dataDirectory, 'secret.key');
  const admin = await bearer(test);
  await changeSettings([admin], 'security', { SECURITY_VIEW_AUTH_NEED_MFA: false });
  const { body: user } = await admin.post<{ id: string }>('assets/system-users/', {
    name: unique('s'),
    username: 'root',
    password: 'a sealed secret',
  });
  const second = await startTestProgram({
    databaseUrl: test.databaseUrl,
    secretKeyFile: key,
    transit: transit(),
  });
  try {
    await test.program.stop();
    const other = await bearer(second);
    await changeSettings([other], 'security', { SECURITY_VIEW_AUTH_NEED_MFA: false });
    const read = async () =>
      (await other.get<Json>(`assets/system-users/${user.id}/auth-info/`)).body.password;
    expect(await read()).toBe('a sealed secret');

    const first = await run(vault(), 'key', 'rotate');
    expect([first.code, first.stderr, existsSync(key)]).toEqual([0, '', false]);
    expect(first.stdout).toContain('keep the old key as long as backups');
    const { stdout: status } = await run(vault(), 'key', 'status');
    expect(status).toContain('master key vault:security/transit/sallyport:v1: wraps');
    expect(status).toContain('values that wait to be sealed again: 0');
    expect(await read()).toBe('a sealed secret');

    const next = await run(vault(), 'key', 'rotate');
    expect([next.code, next.stderr]).toEqual([0, '']);
    expect(next.stdout).toContain('vault:security/transit/sallyport:v2 is new');
    expect((await run(vault(), 'key', 'status')).stdout).not.toContain('sallyport:v1');
    expect(await read()).toBe('a sealed secret');
    expect(`${first.stdout}${next.stdout}${second.log()}`).not.toContain(TOKEN);
    expect(service.requests.join()).not.toContain(TOKEN);
  } finally {
    await second.stop();
  }
});

it('starts with a role, and signs in again when its token has ended', async () => {
  const started = await startTestProgram({
    databaseUrl: test.databaseUrl,
    transit: {
      ...transit(),
      tokenFile: undefined,
      roleId: service.role.id,
      secretIdFile: at('secret-id'),
    },
  });
  try {
    service.tokens.clear();
    service.tokens.add(TOKEN);
    const { code } = await run(vault(), 'key', 'rotate');
    expect(code).toBe(0);
    expect(started.log()).not.toContain('the data keys could not be read again');
  } finally {
    await started.stop();
  }
});

it('makes a backup without the master key, and restores it with the service', async () => {
  const kept = at('backup');
  const refused = await run(vault(), 'backup', at('with-keys'), `--keys=${at('keys.json')}`);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('never leaves') });
  expect(await run(vault(), 'backup', kept)).toMatchObject({ code: 0 });
  const { code, stderr } = await runOperatorCommandIn(at('restored'), ['restore', kept], vault());
  expect([code, stderr]).toEqual([0, '']);
});

it('rejects a service with another key of the same name', async () => {
  const [...versions] = service.versions;
  service.versions.splice(0, versions.length, ...versions.map((key) => Buffer.from(key).fill(7)));
  try {
    const { stderr } = await run(vault(), 'key', 'rotate');
    expect(stderr).toContain('sealed with another key');
  } finally {
    service.versions.splice(0, versions.length, ...versions);
  }
});

const page = '<html>an error page of a proxy</html>';
it.each([
  ['the token is unknown', { SALLYPORT_VAULT_TOKEN: 'hvs.unknown' }, 'the token ended'],
  ['the role is unknown', { SALLYPORT_VAULT_ROLE_ID: 'unknown' }, 'rejects the role'],
  ['the key is missing', { SALLYPORT_VAULT_KEY: 'security/transit/other' }, 'vault write -f'],
  ['the authority is missing', { SALLYPORT_VAULT_CA_FILE: '' }, 'is not trusted'],
  ['nothing listens', { SALLYPORT_VAULT_URL: 'https://127.0.0.1:1' }, 'ECONNREFUSED'],
])('says what to do when %s', async (_, changes, problem) => {
  const isSignIn = Object.keys(changes).some((name) => /TOKEN|ROLE/.test(name));
  const { code, stdout, stderr } = await run(
    { ...vault(), ...(isSignIn && { SALLYPORT_VAULT_TOKEN_FILE: '' }), ...changes },
    'key',
    'status',
  );
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(problem)]);
  expect(stderr).not.toMatch(/hvs\.|secret-/);
});

it.each([
  ['is sealed', { status: 503, body: '{"errors":["Vault is sealed"]}' }, 'is sealed. Unseal it'],
  ['answers a page', { status: 502, body: page }, 'with the status 502'],
  ['never stops', { status: 200, body: 'a'.repeat(400_000) }, 'its answer is too long'],
  ['never answers', 'never', 'no answer within 10 seconds'],
] as const)('says what to do when the service %s', async (_, answer, problem) => {
  service.answer = answer;
  const { code, stderr } = await run(vault(), 'key', 'status');
  expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
});

it('says which path a policy lacks', async () => {
  service.denied.add('security/transit/keys/sallyport/rotate');
  const { code, stderr } = await run(vault(), 'key', 'rotate');
  expect([code, stderr]).toEqual([1, expect.stringContaining('keys/sallyport/rotate')]);
});

it('refuses a plain connection to another machine, and a service without a sign-in', async () => {
  const stderr = async (environment: Readonly<Record<string, string>>) =>
    (await run(environment, 'key', 'status')).stderr;
  expect(await stderr({ SALLYPORT_VAULT_URL: 'http://192.0.2.1:8200' })).toContain(
    'would show the token',
  );
  expect(await stderr({ SALLYPORT_VAULT_URL: service.url })).toContain('needs one of');
  expect(await stderr({ SALLYPORT_VAULT_TOKEN: TOKEN })).toContain('without SALLYPORT_VAULT_URL');
});
