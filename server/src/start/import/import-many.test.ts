import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from '../../testing/client.ts';
import { buildSource, type Source } from '../../testing/jumpserver/source.ts';
import { buildLicense, importLicense, LICENSE_PUBLIC_KEY } from '../../testing/license.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

/** The drill of the operator guide has 10,000. */
const ASSETS = Number(process.env.SALLYPORT_TEST_ASSETS ?? 1_000);
const NODES = 100;
const USERS = 200;
const GROUPS = 20;
/** Nodes that each group reaches. */
const REACHED = 5;

let test: TestProgram;
let folder: string;
let source: Source;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
  [test, source] = await Promise.all([startTestProgram(), buildSource(2)]);
  await writeFile(join(folder, 'config.txt'), source.config);
  await fill();
});
afterAll(async () => {
  await test.stop();
  await source.drop();
  await rm(folder, { recursive: true });
});

/** The id of a row of the source, as SQL. */
const id = (kind: string, number: string) => `md5('${kind} ' || ${number})::uuid`;

/** Fills the source: each group reaches five nodes by one permission, as two accounts. */
async function fill(): Promise<void> {
  await source.run(`
    insert into users_user (id, username, name, email, password, date_expired)
      select ${id('user', 'n')}, 'user.' || n, 'User ' || n, 'user.' || n || '@example.com', '!',
        '2090-01-01' from generate_series(1, ${USERS}) n;
    insert into users_usergroup (id, name)
      select ${id('group', 'n')}, 'Group ' || n from generate_series(0, ${GROUPS - 1}) n;
    insert into users_user_groups (user_id, usergroup_id)
      select ${id('user', 'n')}, ${id('group', `n % ${GROUPS}`)}
      from generate_series(1, ${USERS}) n;
    insert into assets_node (id, key, value) values (${id('node', "'root'")}, '1', 'Default');
    insert into assets_node (id, key, value)
      select ${id('node', 'n')}, '1:' || n, 'Node ' || n from generate_series(1, ${NODES}) n;
    insert into assets_platform (id, name, base, internal) values (1, 'Linux', 'Linux', true);
    insert into assets_systemuser (id, name, username)
      select ${id('account', 'n')}, 'account ' || n, 'account' || n from generate_series(1, 2) n;
    insert into assets_asset (id, hostname, ip, platform_id, protocols)
      select ${id('asset', 'n')}, 'host-' || n, '10.1.' || n / 250 || '.' || n % 250, 1, 'ssh/22'
      from generate_series(1, ${ASSETS}) n;
    insert into assets_asset_nodes (asset_id, node_id)
      select ${id('asset', 'n')}, ${id('node', `n % ${NODES} + 1`)}
      from generate_series(1, ${ASSETS}) n;
    insert into perms_assetpermission (id, name)
      select ${id('permission', 'n')}, 'Permission ' || n from generate_series(0, ${GROUPS - 1}) n;
    insert into perms_assetpermission_user_groups (assetpermission_id, usergroup_id)
      select ${id('permission', 'n')}, ${id('group', 'n')} from generate_series(0, ${GROUPS - 1}) n;
    insert into perms_assetpermission_nodes (assetpermission_id, node_id)
      select ${id('permission', 'n')}, ${id('node', `n * ${REACHED} + m`)}
      from generate_series(0, ${GROUPS - 1}) n, generate_series(1, ${REACHED}) m;
    insert into perms_assetpermission_system_users (assetpermission_id, systemuser_id)
      select ${id('permission', 'n')}, ${id('account', 'm')}
      from generate_series(0, ${GROUPS - 1}) n, generate_series(1, 2) m;`);
}

async function run(words: readonly string[]) {
  const result = await runOperatorCommand(test, ['import', ...words], {
    SALLYPORT_LICENSE_PUBLIC_KEY: LICENSE_PUBLIC_KEY,
  });
  return { ...result, lines: result.stdout.trim().split('\n') };
}

it('plans, applies, proves and takes back many assets, and a second plan is empty', {
  timeout: 600_000,
}, async () => {
  const importSource = (word: string) =>
    run(['jumpserver', `--config=${join(folder, 'config.txt')}`, word]);
  const admin = await bearer(test);
  const countAssets = async () =>
    (await admin.get<Page>('assets/assets/?limit=1&offset=0')).body.count;

  // Too many assets for the license: one error before any asset is written.
  await importLicense(admin, buildLicense({ asset_count: ASSETS - 1 }));
  for (const words of [['--plan'], ['--apply'], ['--apply', '--skip-refused']]) {
    const config = `--config=${join(folder, 'config.txt')}`;
    expect(await run(['jumpserver', config, ...words])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The license covers [\d,]+ assets across all organizations, and [\d,]+ more do not fit\. .*\n$/,
      ),
    });
    expect(await countAssets()).toBe(0);
  }
  await importLicense(admin, buildLicense({ asset_count: 2 * ASSETS }));

  const plan = await importSource('--plan');
  expect(plan.lines).toContainEqual(
    expect.stringMatching(new RegExp(`^assets +${ASSETS} new, 0 same`)),
  );
  expect([await countAssets(), plan.code]).toEqual([0, 2]);
  const applied = await importSource('--apply');
  expect([applied.stderr, applied.code]).toEqual(['', 0]);
  expect(await countAssets()).toBe(ASSETS);

  const accesses = (USERS * REACHED * ASSETS * 2) / NODES;
  const proof = await importSource('--prove');
  expect(proof.lines).toEqual([`${USERS} users, ${accesses} accesses of users to accounts: equal`]);
  expect(proof.code).toBe(0);
  const again = await importSource('--plan');
  expect(again.lines.filter((line) => /[1-9]\d* (new|changed|refused)/.test(line))).toEqual([]);

  const list = await run(['undo']);
  const undone = await run(['undo', list.lines[0]?.split(' ')[0] ?? '', '--apply']);
  expect([undone.stderr, undone.code]).toEqual(['', 0]);
  expect(await countAssets()).toBe(0);
});
