import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { unique } from '../testing/builders.ts';
import type { Client, Json } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { buildTwoOrganizations } from '../testing/two-organizations.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const upload = (file: string) => admin.send<Json[]>('POST', 'assets/labels/', file, 'text/csv');

describe('a CSV file', () => {
  it('ignores unknown columns of an existing client and names them in the answer', async () => {
    const name = unique('label');
    const created = await upload(`name,value,color,备注2\r\n${name},b,red,x\r\n`);
    expect([created.status, created.body.map((row) => [row.name, row.value])]).toEqual([
      201,
      [[name, 'b']],
    ]);
    expect(created.headers.get('x-ignored-columns')).toBe(`color, ${encodeURIComponent('备注2')}`);
  });

  it.each([
    ['a million columns', `name,value${',x'.repeat(1_000_000)}\r\na,b\r\n`, 'too_many_columns'],
    [
      'wide rows',
      `name,value\r\n${`a,b${','.repeat(900)}\r\n`.repeat(10_000)}`,
      'too_many_columns',
    ],
    [
      'too many cells',
      `name,value\r\n${`a,b${','.repeat(150)}\r\n`.repeat(9_000)}`,
      'too_many_cells',
    ],
    ['a cell without end', `name,value\r\na,${'b'.repeat(500_000)}\r\n`, 'cell_too_long'],
    ['no CSV', 'name,"value\r\na,b\r\n', 'malformed_csv'],
  ])('with %s is refused as a whole: a list with one sentence', async (_what, file, code) => {
    const refused = await upload(file);
    expect([refused.status, refused.headers.get('x-error-code'), refused.body]).toEqual([
      400,
      code,
      [expect.any(String)],
    ]);
  });

  it('imports a file whose characters lie across the borders of chunks', async () => {
    const names = Array.from({ length: 400 }, () => unique('label'));
    const lines = names.map((name) => `${name},${'😀'.repeat(60)}\r\n`);
    const created = await upload(`name,value\r\n${lines.join('')}`);
    expect(created.body.map(({ value }) => value)).toEqual(names.map(() => '😀'.repeat(60)));
  });

  it.each(['=1+1', '＝1+1', '＋1', '－1', '＠SUM(A1)', '\t=1+1', 'x;=1+1', 'x\t=1+1'])(
    'disarms formulas in cells: %j',
    async (comment) => {
      const name = unique('label');
      await sql`insert into label (org_id, name, value, comment) values ('', ${name}, 'b', ${comment})`.execute(
        test.db,
      );
      const { text } = await admin.get(
        `assets/labels/?format=csv&name=${name}&fields=name,comment`,
      );
      const cell = text.split('\r\n')[1]?.slice(name.length + 1) ?? '';
      // Quote a cell with semicolons or tabs, where programs could split it.
      expect(cell).toMatch(/^x/.test(comment) ? /^".*"$/ : /^"?'/);
    },
  );
});

describe('the id of a new object', () => {
  it('ignores ids chosen by administrators of an organization, which would reveal other objects', async () => {
    const world = await buildTwoOrganizations(test);
    for (const id of [world.foreign['assets/labels'] ?? '', crypto.randomUUID()]) {
      const created = await world.insider.post('assets/labels/', {
        id,
        name: unique('label'),
        value: 'x',
      });
      expect([created.status, created.body.id === id]).toEqual([201, false]);
    }
  });

  it('differs from the id of a deleted object', async () => {
    const id = crypto.randomUUID();
    const body = { id, name: unique('label'), value: 'x' };
    expect((await admin.post('assets/labels/', body)).body.id).toBe(id);
    expect((await admin.delete(`assets/labels/${id}/`)).status).toBe(204);
    const again = await admin.post('assets/labels/', body);
    expect([again.status, Object.keys(again.body)]).toEqual([400, ['id']]);
  });
});

describe('a stored secret', () => {
  const email = {
    EMAIL_HOST: 'mail.example.com',
    EMAIL_PORT: '587',
    EMAIL_HOST_USER: 'robot@example.com',
    EMAIL_USE_TLS: true,
    EMAIL_USE_SSL: false,
  };
  const ldap = {
    AUTH_LDAP_SERVER_URI: 'ldap://ldap.example.com',
    AUTH_LDAP_BIND_DN: 'cn=reader',
    AUTH_LDAP_START_TLS: true,
  };
  const save = (category: string, values: Json) =>
    admin.patch<Record<string, Json>>('settings/setting/', { [category]: values });
  const stored = async (name: 'EMAIL_HOST_PASSWORD' | 'AUTH_LDAP_BIND_PASSWORD') => {
    const { rows } = await sql<{
      value: unknown;
    }>`select value from setting where name = ${name}`.execute(test.db);
    return JSON.stringify(rows[0]?.value ?? null);
  };

  it.each([
    [
      'email',
      'EMAIL_HOST_PASSWORD',
      email,
      [
        { EMAIL_HOST: 'evil.example' },
        { EMAIL_PORT: '25' },
        { EMAIL_USE_TLS: false },
        { EMAIL_HOST_USER: 'other' },
      ],
    ],
    [
      'ldap',
      'AUTH_LDAP_BIND_PASSWORD',
      ldap,
      [
        { AUTH_LDAP_SERVER_URI: 'ldap://evil.example' },
        { AUTH_LDAP_START_TLS: false },
        { AUTH_LDAP_BIND_DN: 'cn=other' },
      ],
    ],
  ] as const)(
    'requires the secret of %s again when server, port or encryption change',
    async (category, secret, values, moves) => {
      expect((await save(category, { ...values, [secret]: 'hunter2 secret' })).status).toBe(200);
      const before = await stored(secret);
      for (const move of moves) {
        const refused = await save(category, { ...move, [secret]: '' });
        expect([move, refused.status, Object.keys(refused.body[category] ?? {})]).toEqual([
          move,
          400,
          [secret],
        ]);
      }
      expect((await save(category, { ...values })).status).toBe(200);
      expect(await stored(secret)).toBe(before);
      expect((await save(category, { ...moves[0], [secret]: 'another secret' })).status).toBe(200);
    },
  );

  it('deletes the stored secret with a server that needs no name, and withholds it from the next server', async () => {
    expect(
      (
        await save('email', {
          ...email,
          EMAIL_HOST: 'first.example',
          EMAIL_HOST_PASSWORD: 'hunter3 secret',
        })
      ).status,
    ).toBe(200);
    expect((await save('email', { EMAIL_HOST: 'open.example', EMAIL_HOST_USER: '' })).status).toBe(
      200,
    );
    expect((await save('email', { EMAIL_HOST_USER: 'robot@example.com' })).status).toBe(200);
    expect(await stored('EMAIL_HOST_PASSWORD')).not.toContain('hunter3');
  });
});
