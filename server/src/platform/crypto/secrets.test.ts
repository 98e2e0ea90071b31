import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { generateSshKeyPair } from '@sallyport/ssh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { sql } from '../db/sql.ts';

let test: TestProgram;
let admin: Client;
/** Texts of all responses. */
const answers: string[] = [];
const secrets: string[] = [];
const paths: string[] = [];

function secret(): string {
  const text = `Sealed-${crypto.randomUUID()}`;
  secrets.push(text);
  return text;
}

async function keep(answer: Promise<{ text: string; status: number; body: Json }>): Promise<Json> {
  const { text, body } = await answer;
  answers.push(text);
  return body;
}

beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  const { private: privateKey } = generateSshKeyPair('');
  secrets.push(privateKey.split('\n')[3] ?? '');
  const domain = (await keep(admin.post('assets/domains/', { name: unique('domain') }))).id;
  const bodies: [string, Json][] = [
    ['assets/system-users/', { name: unique('s'), username: 'root', password: secret() }],
    ['assets/system-users/', { name: unique('s'), username: 'root', private_key: privateKey }],
    [
      'assets/admin-users/',
      { name: unique('a'), username: 'root', password: secret(), private_key: '' },
    ],
    [
      'assets/gateways/',
      { name: unique('g'), ip: '10.0.0.1', domain, username: 'root', password: secret() },
    ],
    [
      'users/users/',
      { name: 'x', username: unique('u'), email: `${unique('u')}@example.com`, password: secret() },
    ],
  ];
  for (const [path, body] of bodies) {
    const row = await keep(admin.post(path, body));
    expect(row.id, JSON.stringify(row)).toBeDefined();
    paths.push(`${path}${row.id}/`);
    await keep(admin.patch(`${path}${row.id}/`, { password: secret() }));
    await keep(admin.put(`${path}${row.id}/`, { ...body, password: secret() }));
    // Rejected requests must not return secrets either.
    await keep(admin.post(path, { ...body, password: secret() }));
    await keep(admin.post(path, { ...body, name: '', password: secret(), surplus: secret() }));
    await keep(admin.patch(`${path}${row.id}/`, { password: [secret()] }));
    await keep(admin.patch(`${path}${row.id}/`, { password: 'x'.repeat(600) + secret() }));
    await keep(
      admin.send('PATCH', `${path}${row.id}/`, `{"password": "${secret()}`, 'application/json'),
    );
    for (const query of ['', '?limit=5', `?search=${secret()}`, `?password=${secret()}`])
      if (!query.includes('Sealed')) await keep(admin.get(`${path}${query}`));
    await keep(admin.options(path));
    await keep(admin.options(`${path}${row.id}/`));
    await keep(admin.get(`${path}${row.id}/`));
  }
  for (const wrong of [secret(), secret()])
    await keep(test.visitor.post('authentication/auth/', { username: 'admin', password: wrong }));
  await keep(admin.get('audits/operate-logs/'));
  await keep(admin.get('audits/login-logs/'));
  await keep(admin.get('/api/docs/openapi.json'));
});
afterAll(() => test.stop());

function assertClean(text: string, where: string): void {
  for (const one of secrets) {
    expect(text.includes(one), `${where} holds a secret`).toBe(false);
    expect(
      text.includes(Buffer.from(one).toString('base64').slice(0, 30)),
      `${where} holds a secret in base64`,
    ).toBe(false);
  }
}

describe('a secret that was stored', () => {
  it('keeps stored secrets out of every response, including rejections', () => {
    expect(answers.length).toBeGreaterThan(50);
    assertClean(answers.join('\n'), 'an answer');
  });

  it('keeps stored secrets out of the log', () => {
    assertClean(test.log(), 'the log');
    expect(test.log()).not.toContain((admin.headers.authorization ?? '').slice(7));
  });

  it('keeps stored secrets and the sealing key out of every database row', async () => {
    const { rows: tables } = await sql<{
      name: string;
    }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(test.db);
    const key = readFileSync(join(test.dataDirectory, 'secret.key'), 'utf8').trim();
    for (const { name } of tables) {
      const { rows } = await sql<{
        row: string;
      }>`select to_jsonb(t)::text as row from ${sql.table(name)} t`.execute(test.db);
      const text = rows.map(({ row }) => row).join('\n');
      assertClean(text, name);
      expect(text.includes(key)).toBe(false);
    }
  });

  it('seals stored secrets with a fresh nonce and hashes passwords of accounts', async () => {
    const { rows } = await sql<{ password: string }>`
      select password from system_account where password is not null
      union all select password from admin_user
      union all select password from gateway`.execute(test.db);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    for (const { password } of rows)
      expect(password).toMatch(/^v2\$[0-9a-f]{12}\$[\w+/=]{16}\$[\w+/=]+$/);
    const { rows: people } = await sql<{
      password: string;
    }>`select password from account where username <> 'admin'`.execute(test.db);
    expect(people.length).toBeGreaterThan(0);
    for (const { password } of people)
      expect(password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('shows a changed secret as `******` in the operate log', async () => {
    const { body } = await admin.get<{ changes: Json }[]>('audits/operate-logs/');
    const passwords = body.map(({ changes }) => changes?.password).filter(Boolean);
    expect(passwords.length).toBeGreaterThan(5);
    for (const pair of passwords)
      expect([null, '******', ['******', '******'], [null, '******']]).toContainEqual(pair);
  });

  it("makes keys and passwords readable only for the server's own account", () => {
    for (const file of readdirSync(test.dataDirectory).filter((name) => /key|password/.test(name)))
      expect(statSync(join(test.dataDirectory, file)).mode & 0o077).toBe(0);
  });
});

it('seals a private key in PEM and rejects a truncated one', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const { status, text } = await admin.post('assets/system-users/', {
    name: unique('s'),
    username: 'root',
    private_key: privateKey,
  });
  expect([status, text.includes('PRIVATE')]).toEqual([201, false]);
  const broken = await admin.post('assets/system-users/', {
    name: unique('s'),
    username: 'root',
    private_key: privateKey.slice(0, 200),
  });
  expect([broken.status, Object.keys(broken.body), broken.text.includes('PRIVATE')]).toEqual([
    400,
    ['private_key'],
    false,
  ]);
});
