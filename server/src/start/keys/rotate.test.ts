import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESOURCES } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serverIdOf } from '../../features/servers/index.ts';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import {
  COMMANDS,
  executeOperatorCommand,
  runOperatorCommand,
} from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';

let one: TestProgram;
let other: TestProgram;
let admins: readonly Client[];
let keyFile: string;
const commands: ChildProcess[] = [];
beforeAll(async () => {
  one = await startTestProgram();
  keyFile = join(one.dataDirectory, 'secret.key');
  other = await startTestProgram({ databaseUrl: one.databaseUrl, secretKeyFile: keyFile });
  const [first, second] = [await bearer(one), await bearer(other)];
  admins = [first, second];
  await changeSettings([first, second], 'security', { SECURITY_VIEW_AUTH_NEED_MFA: false });
});
afterAll(async () => {
  for (const child of commands) child.kill('SIGKILL');
  await other.stop();
  await one.stop();
});

/** Kills a rotation with SIGKILL when it prints a line. Returns its output. */
async function killRotationAt(line: string): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_NO_WARNINGS: '1',
    SALLYPORT_DATA_DIR: one.dataDirectory,
    SALLYPORT_DATABASE_URL: one.databaseUrl,
  };
  const child = spawn(process.execPath, [COMMANDS, 'key', 'rotate'], { env });
  commands.push(child);
  let output = '';
  const hear = (chunk: unknown) => {
    output += String(chunk);
    if (output.includes(line)) child.kill('SIGKILL');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  await once(child, 'close');
  return output;
}

const keysInFile = () => readFileSync(keyFile, 'utf8').trim().split('\n');
const rotate = () => runOperatorCommand(one, ['key', 'rotate']);

/** Returns the passwords of a system user as both servers give them. */
const passwordsOf = (id: string) =>
  Promise.all(
    admins.map(async (admin) => {
      const { body, text } = await admin.get<Json>(`assets/system-users/${id}/auth-info/`);
      return body.password ?? text;
    }),
  );

/** Returns each column of the database that holds values of other data keys than the active one. */
async function oldValues(): Promise<string[]> {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select c.relname as table, a.attname as column from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and a.atttypid in ('text'::regtype, 'jsonb'::regtype)`.execute(one.db);
  const { rows: active } = await sql<{ id: string }>`
    select id from data_key where purpose = 'secrets' and state = 'active'`.execute(one.db);
  const places: string[] = [];
  for (const { table, column } of columns) {
    const { rows } = await sql<{ was: boolean }>`select exists (
      select from ${sql.table(table)} t, regexp_matches(to_jsonb(t) ->> ${column},
        '(?:^|")v2\\$([0-9a-f]{12})\\$[A-Za-z0-9+/=]{16}\\$', 'g') m
      where m[1] <> ${active[0]?.id ?? ''}) as was`.execute(one.db);
    if (rows[0]?.was) places.push(`${table}.${column}`);
  }
  return places;
}

it('knows every place of sealed fields', () => {
  const known = new Set(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`));
  // Passwords of accounts are hashed and public keys plain. A password confirms the creation of a
  // key or an agent, and is not stored.
  const own = [
    'account.password',
    'account.public_key',
    'access_key.password',
    'ssh_key.password',
    'agent.password',
  ];
  const declared = RESOURCES.flatMap(({ table, fields }) =>
    Object.entries(fields).flatMap(([name, { kind }]) =>
      kind === 'secret' ? [`${table}.${name}`] : [],
    ),
  ).filter((place) => !own.includes(place));
  expect(declared.length).toBeGreaterThan(15);
  expect(declared.filter((place) => !known.has(place))).toEqual([]);
});

it('rotates all keys while two servers run, and continues after each kill', async () => {
  const [admin] = admins as [Client];
  const { body: user } = await admin.post<{ id: string }>('assets/system-users/', {
    name: unique('s'),
    username: 'root',
    password: 'first secret',
  });
  await admin.patch(`assets/system-users/${user.id}/`, { password: 'second secret' });
  await changeSettings([admin], 'email', {
    EMAIL_HOST: 'mail.example.com',
    EMAIL_HOST_USER: 'ops',
  });
  await admin.patch('settings/setting/', { email: { EMAIL_HOST_PASSWORD: 'mail secret' } });
  expect(await rowOf(user.id)).toMatchObject({ previous: expect.stringMatching(/^v2\$/) });
  const before = await rowOf(user.id);
  const [oldKey = ''] = keysInFile();

  expect(await killRotationAt('is new')).toContain('master key');
  expect(keysInFile()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), oldKey]);
  expect(await passwordsOf(user.id)).toEqual(['second secret', 'second secret']);

  expect(await killRotationAt('are in use')).not.toContain('is new');
  expect(await passwordsOf(user.id)).toEqual(['second secret', 'second secret']);
  await admin.patch(`assets/system-users/${user.id}/`, { comment: 'between' });

  const { code, stdout, stderr } = await rotate();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('The rotation is complete');
  expect(`${stdout}${one.log()}${other.log()}`).not.toContain(oldKey);
  expect(keysInFile()).toHaveLength(1);
  expect(keysInFile()).not.toContain(oldKey);

  expect(await passwordsOf(user.id)).toEqual(['second secret', 'second secret']);
  const after = await rowOf(user.id);
  expect(after.changed).toEqual(before.changed);
  expect(after.previous).not.toBe(before.previous);
  expect(one.program.vault.open(after.previous, `system_account.password.${user.id}`)).toBe(
    'first secret',
  );
  expect(await oldValues()).toEqual([]);
  const { rows: mail } = await sql<{ value: string }>`
    select value from setting where name = 'EMAIL_HOST_PASSWORD'`.execute(one.db);
  expect(other.program.vault.open(mail[0]?.value ?? '', 'setting.value.EMAIL_HOST_PASSWORD')).toBe(
    'mail secret',
  );

  const status = await executeOperatorCommand(one, ['key', 'status']);
  expect(status.stdout).toContain('values that wait to be sealed again: 0');
  const { code: verified } = await runOperatorCommand(one, ['audit', 'verify']);
  expect(verified).toBe(0);
  const { body: log } = await admin.get<Page>('audits/operate-logs/?resource_type=data_key');
  expect(log.results ?? log).toMatchObject([
    { user: 'Command line', action: 'update' },
    { user: 'Command line', action: 'update' },
  ]);
});

async function rowOf(id: string) {
  const { rows } = await sql<{ previous: string; changed: Date }>`
    select previous_secrets ->> 'password' as previous, date_secret_changed as changed
      from system_account where id = ${id}`.execute(one.db);
  const [row] = rows;
  if (!row) throw new Error('there is no such system user');
  return row;
}

it('waits for a server without the new key, and rejects a start with the old one', async () => {
  const separate = join(other.dataDirectory, 'own.key');
  writeFileSync(separate, readFileSync(keyFile), { mode: 0o600 });
  const third = await startTestProgram({ databaseUrl: one.databaseUrl, secretKeyFile: separate });
  try {
    const output = await killRotationAt('waiting: ');
    const { rows } = await sql<{ name: string }>`select name from terminal
      where holder = ${serverIdOf(third)}`.execute(one.db);
    expect(output).toContain(rows[0]?.name ?? 'the name of the third server');
    expect(output).toContain('does not have the new secret key');
    const rotation = rotate();
    writeFileSync(separate, readFileSync(keyFile), { mode: 0o600 });
    expect((await rotation).code).toBe(0);
  } finally {
    await third.stop();
  }
  writeFileSync(separate, `${readFileSync(separate, 'utf8').trim().split('\n')[1]}\n`);
  await expect(
    startTestProgram({ databaseUrl: one.databaseUrl, secretKeyFile: separate }),
  ).rejects.toThrow('sealed with another key');
});

it('rejects a rotation of a key in a variable', async () => {
  const { code, stderr } = await runOperatorCommand(one, ['key', 'rotate'], {
    SALLYPORT_SECRET_KEY: keysInFile()[0] ?? '',
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('cannot change while a server runs')]);
});
