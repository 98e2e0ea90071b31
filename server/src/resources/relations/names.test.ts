import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { nearestFirst } from './names.ts';

let test: TestProgram;
let organization: string;
let admin: Client;
let root: string;
beforeAll(async () => {
  test = await startTestProgram();
  organization = await buildOrganization(test.db);
  admin = await signInMember(test, organization);
  // The first request creates the root.
  await admin.get('assets/nodes/children/tree/');
  root = (await admin.get<Json[]>('assets/nodes/')).body.map(({ value }) => String(value))[0] ?? '';
});
afterAll(() => test.stop());

const upload = (
  file: string,
  { path = 'assets/assets', query = '', method = 'POST' as 'POST' | 'PUT', client = admin } = {},
) => client.send<Json[]>(method, `${path}/${query}`, file, 'text/csv');
const paths = async () =>
  (await admin.get<Json[]>('assets/nodes/')).body.map(
    ({ full_value }) => `/${String(full_value).split(' / ').join('/')}`,
  );
const HEAD = 'hostname,ip,platform,nodes,labels,domain,admin_user';
const row = (name: string, cells: string) => `${name},10.0.0.1,${cells}`;

describe('a CSV import', () => {
  it('accepts names in all link columns: node paths, labels as name:value, domains and admin users', async () => {
    const [domain, account, label] = [unique('domain'), unique('admin'), unique('env')];
    await admin.post('assets/domains/', { name: domain });
    await admin.post('assets/admin-users/', { name: account, username: 'root', password: 'x' });
    await admin.post('assets/labels/', { name: label, value: 'prod env' });
    await upload(`${HEAD}\r\n${row(unique('first'), `Linux,/${root}/East China/Web,,,`)}\r\n`, {
      query: '?create_missing=node',
    });
    const name = unique('web');
    const cells = [
      `linux,/${root.toLowerCase()}/East China/Web; ${root} / East China`,
      `${label}:prod env,${domain.toUpperCase()},${account}`,
    ];
    const created = await upload(`${HEAD}\r\n${row(name, cells.join(','))}\r\n`);
    expect([created.status, created.status === 201 ? '' : created.text]).toEqual([201, '']);
    expect(created.body[0]).toMatchObject({
      hostname: name,
      platform: 'Linux',
      domain_display: domain,
      admin_user_display: account,
    });
    expect([created.body[0]?.nodes, created.body[0]?.labels]).toEqual([
      [expect.any(String), expect.any(String)],
      [expect.any(String)],
    ]);
  });

  it('suggests similar names for an unknown one, and changes nothing', async () => {
    const before = (await admin.get<Page>('assets/assets/?limit=1')).body.count;
    const refused = await upload(
      `${HEAD}\r\n${row(unique('web'), `Linuxx,/${root}/Nowhere,no:label,,`)}\r\n${row(unique('web'), 'Linux,,,,')}\r\n`,
    );
    expect(refused.status).toBe(400);
    expect(refused.body[0]?.platform).toEqual([
      expect.stringMatching(/^No platform is named “Linuxx”\. Existing names: Linux, /),
    ]);
    expect(refused.body[0]?.nodes).toEqual([
      expect.stringContaining(`No node is named “/${root}/Nowhere”. Existing names: `),
    ]);
    expect(refused.headers.get('x-error-fields')).toContain('0.platform=unknown_name');
    expect(refused.body[1]).toEqual({});
    expect((await admin.get<Page>('assets/assets/?limit=1')).body.count).toBe(before);
    const chinese = await upload(`${HEAD}\r\n${row(unique('web'), 'Linuxx,,,,')}\r\n`, {
      client: admin.with({ 'accept-language': 'zh' }),
    });
    expect(chinese.body[0]?.platform).toEqual([
      expect.stringContaining('没有名为“Linuxx”的系统平台。现有：Linux'),
    ]);
  });

  it('rejects a name with a NUL character, which the database cannot search', async () => {
    for (const [column, cells] of [
      ['platform', 'Lin\0ux,,,,'],
      ['nodes', `Linux,/${root}/a\0b,,,`],
      ['labels', 'Linux,,env:\0,,'],
      ['domain', 'Linux,,,\0,'],
    ] as const) {
      const refused = await upload(`${HEAD}\r\n${row(unique('web'), cells)}\r\n`, {
        query: '?create_missing=node',
      });
      expect([refused.status, refused.headers.get('x-error-fields')]).toEqual([
        400,
        `0.${column}=nul_byte`,
      ]);
    }
  });

  it('creates and logs missing nodes once on request, but not in a dry run', async () => {
    const place = unique('place');
    const cells = `Linux,/${root}/${place}/deep,,,`;
    const file = `${HEAD}\r\n${row(unique('a'), cells)}\r\n${row(unique('b'), cells)}\r\n`;
    expect((await upload(file)).status).toBe(400);
    expect((await upload(file, { query: '?create_missing=node&dry_run=1' })).status).toBe(201);
    expect(await paths()).not.toContain(`/${root}/${place}`);
    const created = await upload(file, { query: '?create_missing=node' });
    expect([created.status, created.body[0]?.nodes]).toEqual([201, created.body[1]?.nodes]);
    expect((await paths()).filter((path) => path.includes(place)).toSorted()).toEqual([
      `/${root}/${place}`,
      `/${root}/${place}/deep`,
    ]);
    const { rows } = await sql<{ resource: string }>`
      select resource from operate_log
      where resource_type = 'node' and action = 'create' and resource like ${`%${place}%`}
      order by sequence`.execute(test.db);
    expect(rows.map(({ resource }) => resource)).toEqual([
      `${root} / ${place}`,
      `${root} / ${place} / deep`,
    ]);
    // Reject paths with an unknown root and paths that are too deep.
    for (const path of ['/Elsewhere/x', `/${root}${'/x'.repeat(40)}`]) {
      expect(
        (
          await upload(`${HEAD}\r\n${row(unique('c'), `Linux,${path},,,`)}\r\n`, {
            query: '?create_missing=node',
          })
        ).status,
      ).toBe(400);
    }
  });

  it('finds and reveals nothing of another organization', async () => {
    const stranger = await signInMember(test, await buildOrganization(test.db));
    const domain = unique('secret');
    await admin.post('assets/domains/', { name: domain });
    const refused = await upload(`${HEAD}\r\n${row(unique('web'), `Linux,,,${domain},`)}\r\n`, {
      client: stranger,
    });
    expect([refused.status, refused.body[0]?.domain]).toEqual([
      400,
      [`No domain is named “${domain}”. None exist yet.`],
    ]);
  });

  it('requires an id when several objects share the name', async () => {
    const names = [unique('Twice'), ''];
    names[1] = String(names[0]).toUpperCase();
    for (const name of names) await admin.post('assets/domains/', { name });
    const refused = await upload(
      `${HEAD}\r\n${row(unique('web'), `Linux,,,${String(names[0]).toLowerCase()},`)}\r\n`,
    );
    expect([refused.status, refused.body[0]?.domain]).toEqual([
      400,
      [expect.stringContaining('More than one domain')],
    ]);
    // In exact case the name is unique.
    expect(
      (await upload(`${HEAD}\r\n${row(unique('web'), `Linux,,,${names[0]},`)}\r\n`)).status,
    ).toBe(201);
  });

  it('requires a field that must have a value', async () => {
    const refused = await upload('name,users\r\nrule,nobody\r\n', {
      path: 'perms/asset-permissions',
    });
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body[0] ?? {}).toSorted()).toEqual(['system_users', 'users']);
  });
});

describe('a CSV export with references=names', () => {
  it('imports again without changes', async () => {
    const label = unique('env');
    await admin.post('assets/labels/', { name: label, value: "O'Brien; x" });
    const name = unique('round');
    const created = await upload(
      `${HEAD}\r\n${row(name, `Linux,/${root}/Trip,"[""${label}:O'Brien; x""]",,`)}\r\n`,
      { query: '?create_missing=node' },
    );
    expect(created.status).toBe(201);
    const file = (await admin.get(`assets/assets/?format=csv&references=names&hostname=${name}`))
      .text;
    expect(file).toContain(`/${root}/Trip`);
    expect(file).toContain(`${label}:O'Brien; x`);
    const read = async () => (await admin.get<Json>(`assets/assets/${created.body[0]?.id}/`)).body;
    const before = await read();
    const again = await upload(file, { method: 'PUT' });
    expect([again.status, again.status === 200 ? '' : again.text, await read()]).toEqual([
      200,
      '',
      before,
    ]);
  });

  it('names users by username, and keeps the format for other clients', async () => {
    const user = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
    const { body: group } = await admin.post<Json>('users/groups/', {
      name: unique('group'),
      users: [user.id],
    });
    const files = await Promise.all(
      ['&references=names', ''].map(
        async (query) => (await admin.get(`users/groups/?format=csv&id=${group.id}${query}`)).text,
      ),
    );
    expect([files[0]?.includes(user.username), files[0]?.includes(user.id)]).toEqual([true, false]);
    expect([files[1]?.includes(user.username), files[1]?.includes(user.id)]).toEqual([false, true]);
    const copied = await upload(`name,users\r\n${unique('group')},Somebody(${user.username})\r\n`, {
      path: 'users/groups',
    });
    expect([copied.status, copied.body[0]?.users]).toEqual([201, [user.id]]);
  });

  it('requires read access to the list', async () => {
    const outsider = await bearer(test, await buildUser(test.db));
    expect((await outsider.get('assets/assets/?format=csv&references=names')).status).toBe(403);
  });
});

it('sorts similar names first', () => {
  expect(nearestFirst('Linuxx', ['Other', 'Windows', 'Linux', 'MacOS']).slice(0, 1)).toEqual([
    'Linux',
  ]);
  expect(nearestFirst('', ['b', 'aa'])).toEqual(['b', 'aa']);
});
