import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildSystemUser, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let folder: string;
let organization: string;
let admin: Client;
let root: string;
let member: string;
let secret: string;
beforeAll(async () => {
  test = await startTestProgram();
  folder = await mkdtemp(join(tmpdir(), 'sallyport-apply-'));
});
afterAll(async () => {
  await test.stop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  const user = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  admin = (await bearer(test, user)).inOrganization(organization);
  const { body: key } = await admin.post<{ id: string; secret: string }>(
    'authentication/access-keys/',
    { password: user.password },
  );
  secret = key.secret;
  await writeFile(join(folder, 'key'), `${key.id}:${key.secret}\n`, { mode: 0o600 });
  member = (await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] })).username;
  await buildSystemUser(test.db, { organization, name: 'deploy' });
  const { rows } = await sql<{ name: string }>`
    select name from organization where id = ${organization}::uuid`.execute(test.db);
  root = rows[0]?.name ?? '';
});

type Run = typeof runOperatorCommand;

/** Runs `sallyport apply` on a file with this text. */
const apply = (text: string, ...words: string[]) => applyBy(runOperatorCommand, text, words);

const atServer = () => [
  `--key=${join(folder, 'key')}`,
  `--server=${test.visitor.url}`,
  `--organization=${organization}`,
];

/** Runs `sallyport apply export` for some sections, or for all. */
const exportBy = (...sections: string[]) =>
  runOperatorCommand(test, ['apply', 'export', ...atServer(), ...sections]);

async function applyBy(run: Run, text: string, words: readonly string[]) {
  const file = join(folder, 'wanted.yaml');
  await writeFile(file, text);
  const result = await run(test, ['apply', '-f', file, ...atServer(), ...words]);
  expect(`${result.stdout}${result.stderr}`).not.toContain(secret);
  return { ...result, lines: result.stdout.replaceAll(file, 'FILE').trim().split('\n') };
}

const fileText = () => `
nodes:
  - /${root}/Production
user_groups:
  - name: Operators
    users: [${member}]
assets:
  - hostname: web-1
    ip: 10.20.30.41
    platform: Linux
    nodes: [/${root}/Production]
asset_permissions:
  - name: Operators on production
    user_groups: [Operators]
    nodes: [/${root}/Production]
    system_users: [deploy]
command_filters:
  - name: No reboot
    rules:
      - content: reboot
        action: deny
`;

it('shows a plan, applies it with --yes, finds no difference, and shows later drift', async () => {
  const plan = await apply(fileText());
  expect(plan.lines).toEqual([
    `create node /${root}/Production`,
    'create user_group Operators',
    'create asset web-1',
    'create asset_permission Operators on production',
    expect.stringMatching(/^ {2}! gains access: 1 users \(.*\), 1 assets \(web-1\), 1 accounts/),
    'create command_filter No reboot',
    'Would be 5 created, 0 updated, 0 deleted, 0 unchanged. Nothing was changed: --yes makes the changes.',
  ]);
  expect(plan.code).toBe(2);
  expect((await admin.get<Json[]>('assets/assets/')).body).toEqual([]);

  const done = await applyBy(executeOperatorCommand, fileText(), ['--yes']);
  expect([done.code, done.lines.at(-1)]).toEqual([
    0,
    '5 created, 0 updated, 0 deleted, 0 unchanged.',
  ]);
  const again = await apply(fileText());
  expect([again.code, again.lines]).toEqual([0, ['0 created, 0 updated, 0 deleted, 5 unchanged.']]);

  const [asset] = (await admin.get<Json[]>('assets/assets/')).body;
  await admin.patch(`assets/assets/${asset?.id}/`, { ip: '10.20.30.99' });
  const drift = await apply(fileText());
  expect(drift.lines.slice(0, 2)).toEqual([
    'update asset web-1',
    '    ip: 10.20.30.99 → 10.20.30.41',
  ]);
  expect(drift.code).toBe(2);
});

it('names file, line and field of each problem', async () => {
  const { code, lines } = await apply(
    `user_groups:
  - name: Operators
    users:
      - nobody.here
users:
  - username: li.wei
    password: not for a file
command_filters:
  - name: F
    rules:
      - content: x
        priority: 900
`,
    '--yes',
  );
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringMatching(/^FILE:3: user_group\.users: .*nobody\.here/),
    'FILE:7: user.password: Secrets do not belong in a file. Set this value in the console.',
    expect.stringMatching(/^FILE:12: command_filter\.rules\.0\.priority: .*100/),
    'Nothing was changed.',
  ]);
});

/** Returns a file of 300 bytes that stands for a hundred million values. */
function bombOf(open: string, close: string): string {
  const tenTimes = (name: string) => Array(10).fill(name).join(', ');
  const levels = Array.from(
    { length: 8 },
    (_, level) =>
      `  - {f: &a${level} ${open}${tenTimes(level === 0 ? 'x' : `*a${level - 1}`)}${close}}`,
  );
  return ['users:', ...levels].join('\n');
}

const nest = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Returns a file whose values are nested by aliases only. */
function chainOf(levels: number): string {
  const links = Array.from(
    { length: levels },
    (_, level) => `&a${level} [${level === 0 ? 'x' : `*a${level - 1}`}]`,
  );
  return `users:\n  - {f: [${links.join(', ')}]}`;
}

it('repeats the value of an alias', async () => {
  const { lines } = await apply(
    `user_groups:
  - {name: First, comment: &text From the file, users: &members [${member}]}
  - {name: Second, comment: *text, users: *members}
`,
    '--yes',
  );
  expect(lines.at(-1)).not.toContain('Nothing');
  const { body } = await admin.get<Json[]>('users/groups/?search=Second');
  expect(body).toEqual([expect.objectContaining({ name: 'Second', comment: 'From the file' })]);
});

it('takes __proto__ for the name of a field', async () => {
  const { code, lines } = await apply('users:\n  - username: a\n    __proto__: {state: absent}');
  const problem = expect.stringMatching(/^FILE:3: user\.__proto__: /);
  expect([code, lines]).toEqual([1, expect.arrayContaining([problem])]);
});

it.each([
  ['assets: [', /wanted\.yaml:1:\d+: /],
  ['a text', /wanted\.yaml:1: expected sections: nodes, users/],
  ['assets: []\nservers: []', /wanted\.yaml:2: unknown section "servers"/],
  ['assets: web-1', /wanted\.yaml:1: assets: expected a list/],
  ['assets:\n  - web-1', /wanted\.yaml:2: assets: expected an object/],
  [
    'assets:\n  - hostname: a\n    state: gone',
    /wanted\.yaml:2: state: expected present or absent/,
  ],
])('rejects the file %j before it asks a server', async (text, message) => {
  const { code, stderr } = await apply(text);
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
});

it.each([
  ['an alias in itself', 'users:\n  - &a\n    name: x\n    groups: *a', /:4: \*a is inside of &a/],
  ['an alias deep in itself', 'users:\n  - &a {name: [&b [1, *a]]}', /:2: \*a is inside of &a/],
  ['an alias of nothing', 'users:\n  - name: *b', /:2: no earlier value has the anchor &b/],
  ['lists that aliases multiply', bombOf('[', ']'), /:\d+: more than 200000 values/],
  ['objects that aliases multiply', bombOf('{k: [', ']}'), /:\d+: more than 200000 values/],
  ['70 lists in each other', `users:\n  - f: ${nest(70)}`, /:2: more than 64 lists/],
  ['9000 lists in each other', `users: ${nest(9_000)}`, /:1:\d+: more than 64 lists/],
  ['9000 items in each other', `users:\n  ${'- '.repeat(9_000)}a`, /:2:\d+: more than 64 lists/],
  ['70 lists that aliases nest', chainOf(70), /:2: more than 64 lists/],
  ['a field twice', 'users:\n  - {name: a,\n     name: b}', /:3:\d+: Map keys must be unique/],
  ['an unknown tag', 'users:\n  - name: !vault a', /:2:\d+: Unresolved tag: !vault/],
  ['infinity', 'users:\n  - name: .inf', /:2: expected a text, a number/],
  ['a list as the name of a field', 'users:\n  - {[a]: 1}', /:2: expected the name of a field/],
])('rejects a file with %s by its line before it asks a server', async (_what, text, message) => {
  const { code, stderr } = await apply(text);
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  expect(stderr).not.toContain('    at ');
});

it('says that a server does not answer, and that a key is none', async () => {
  expect((await apply('assets: []', '--server=http://127.0.0.1:9')).stderr).toContain(
    'http://127.0.0.1:9 does not answer',
  );
  await writeFile(join(folder, 'key'), 'no key');
  expect((await apply('assets: []')).stderr).toContain('as ID:SECRET');
});

it('prints plan, result and problems as JSON for programs', async () => {
  const resultOf = async (text: string, ...words: string[]) => {
    const { code, stdout } = await apply(text, '--json', ...words);
    return { code, content: JSON.parse(stdout) as Json };
  };
  const plan = await resultOf(fileText());
  expect([plan.code, plan.content.applied, plan.content.counts]).toEqual([
    2,
    false,
    { create: 5, update: 0, delete: 0, unchanged: 0 },
  ]);
  expect(plan.content.objects).toContainEqual(
    expect.objectContaining({ kind: 'asset', name: 'web-1', action: 'create' }),
  );
  const done = await resultOf(fileText(), '--yes');
  expect([done.code, done.content.applied]).toEqual([0, true]);
  const refused = await resultOf('user_groups:\n  - name: Operators\n    users: [nobody.here]\n');
  expect(refused.code).toBe(1);
  expect(refused.content).toEqual({
    applied: false,
    problems: [
      {
        ...{ file: join(folder, 'wanted.yaml'), line: 3, kind: 'user_group', field: 'users' },
        reason: expect.stringContaining('nobody.here'),
      },
    ],
  });
});

it('exports the present objects as a file that changes nothing', async () => {
  await apply(fileText(), '--yes');
  const [asset] = (await admin.get<Json[]>('assets/assets/')).body;
  await admin.patch(`assets/assets/${asset?.id}/`, {
    protocols: ['ssh/2222', 'rdp/3389'],
    comment: 'a: "text"\n# of two lines, with: {braces} and 中文',
    number: '0012',
  });
  await admin.post('users/groups/', { name: 'no', comment: '~' });
  const all = await exportBy();
  expect(all.code).toBe(0);
  expect(all.stdout).toMatch(/^nodes:\n.*\nassets:\n.*\ncommand_filters:\n/s);
  const again = await apply(all.stdout);
  expect(again.lines).toEqual([expect.stringMatching(/^0 created, 0 updated, 0 deleted, \d+ un/)]);

  const { stdout } = await exportBy('user_groups', 'nodes');
  expect(stdout).toContain(`/${root}/Production`);
  expect(stdout).toMatch(/name: "no"\n +comment: "~"/);
  expect(stdout).not.toContain('web-1');
});

it('exports into an empty organization what makes the same objects there', async () => {
  await apply(fileText(), '--yes');
  const { stdout } = await exportBy('nodes', 'assets', 'command_filters');
  organization = await buildOrganization(test.db);
  const user = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  const other = (await bearer(test, user)).inOrganization(organization);
  const { body: key } = await other.post<{ id: string; secret: string }>(
    'authentication/access-keys/',
    { password: user.password },
  );
  secret = key.secret;
  await writeFile(join(folder, 'key'), `${key.id}:${key.secret}\n`);
  const { rows } = await sql<{ name: string }>`
    select name from organization where id = ${organization}::uuid`.execute(test.db);
  expect((await exportBy()).stdout).not.toContain('web-1');
  const { lines } = await apply(stdout.replaceAll(`/${root}/`, `/${rows[0]?.name}/`), '--yes');
  expect(lines.at(-1)).toBe('3 created, 0 updated, 0 deleted, 0 unchanged.');
});

it('lets no name or value command the terminal, and keeps values in JSON', async () => {
  const obeyed = /[\p{Cc}\p{Bidi_Control}]/u;
  const clean = (text: string) => expect(text.replaceAll('\n', '')).not.toMatch(obeyed);
  const unknown = await apply('"\\e]0;owned\\a\\u202E": []\n');
  expect(unknown.stderr).toContain('unknown section');
  clean(unknown.stderr);
  const comment = 'x\u001b]52;c;eA==\u0007\u009b31m\u202ey';
  const group = { name: unique('group'), comment };
  const created = await admin.post('users/groups/', group);
  expect(created.status, created.text).toBe(201);
  const file = `user_groups:\n  - name: ${group.name}\n    comment: other\n`;
  const { stdout } = await apply(file);
  expect(stdout).toContain('comment: x');
  clean(stdout);
  const json = (await apply(file, '--json')).stdout;
  clean(json);
  expect(JSON.parse(json)).toMatchObject({
    objects: [{ changes: [{ field: 'comment', before: comment }] }],
  });
});

it('refuses sections that do not exist, and exports by others than administrators', async () => {
  expect(await exportBy('servers')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no section "servers"'),
  });
  const person = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  const client = (await bearer(test, person)).inOrganization(organization);
  expect((await client.get('common/resources/apply/')).status).toBe(403);
  const wrong = await admin.get('common/resources/apply/?kind=user,setting');
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('setting')]);
});
