import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { ensureServerId, serverIdOf, writeNewServerId } from './identity.ts';
import { holderOf, inheritedBy, processOf } from './store.ts';

const RANDOM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
let database: TestDatabase;
let opened: Database;
let dataDirectory: string;
beforeAll(async () => {
  database = await createTestDatabase();
  opened = openDatabase(database.url, 2);
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'sallyport-identity-'));
});
afterEach(async () => {
  await sql`delete from session`.execute(opened.db);
  await sql`delete from terminal`.execute(opened.db);
  await rm(dataDirectory, { recursive: true, force: true });
});

const ensure = async (databaseUrl: string | undefined = database.url) => {
  await ensureServerId(opened.db, { dataDirectory, databaseUrl });
  return serverIdOf({ dataDirectory });
};
const register = (holder: string, heartbeat = new Date()) =>
  sql`insert into terminal (name, holder, date_heartbeat)
    values (${holder.slice(0, 32)}, ${holder}, ${heartbeat})`.execute(opened.db);
const record = async (day: string, holder: string) => {
  const id = crypto.randomUUID();
  await mkdir(join(dataDirectory, 'recordings', day), { recursive: true });
  await writeFile(join(dataDirectory, 'recordings', day, `${id}.cast.gz`), '');
  await sql`insert into session (id, "user", asset, "system_user", date_start, holder)
    values (${id}, '', '', '', ${day}::date, ${holder})`.execute(opened.db);
};

describe('the identity of a data folder', () => {
  it('stays random, private and the same for each start', async () => {
    const id = await ensure();
    expect(id).toMatch(RANDOM);
    expect(await ensure()).toBe(id);
    expect((await stat(join(dataDirectory, 'server.id'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(dataDirectory, 'server.id'), 'utf8')).toBe(`${id}\n`);
    const worker = { number: 12, isFirst: false };
    expect(holderOf({ dataDirectory, worker } as never)).toBe(`${id}//12`);
    expect(processOf(`${id}//12`)).toEqual({ server: id, number: 12 });
    expect(inheritedBy({ dataDirectory } as never)).toContain(`${id}//12`);
  });

  it('becomes a new one for a folder without recordings, although a server had its host name and path', async () => {
    await register(`${hostname()}:${dataDirectory}`);
    expect(await ensure()).toMatch(RANDOM);
  });

  it('stays the one of an earlier version, by host name and path', async () => {
    const former = `${hostname()}:${dataDirectory}`;
    await register('other:/data');
    await register(former, new Date(0));
    await record('2026-01-02', 'other:/data');
    expect(await ensure()).toBe(former);
  });

  it.each([
    ['an external database', true],
    ['the embedded database', false],
  ])(
    'stays the one that made the newest recording when the host or the folder was renamed, with %s',
    async (_name, isExternal) => {
      await register('third:/data');
      await register('former:/data', new Date(0));
      await record('2026-01-02', 'third:/data');
      await record('2026-01-03', 'former:/data//3');
      expect(await ensure(isExternal ? database.url : undefined)).toBe('former:/data');
    },
  );

  it('stays the newest one of an embedded database without recordings', async () => {
    await register('former:/data', new Date(0));
    await register('later:/data');
    await ensureServerId(opened.db, { dataDirectory, databaseUrl: undefined });
    expect(serverIdOf({ dataDirectory })).toBe('later:/data');
  });

  it('changes on request', async () => {
    const id = await ensure();
    const next = await writeNewServerId({ dataDirectory });
    expect(next).toMatch(RANDOM);
    expect(next).not.toBe(id);
    expect(await ensure()).toBe(next);
  });

  it.each(['', '\n', 'two\nlines', 'x'.repeat(5000), '\u0000'])(
    'rejects a damaged file %#',
    async (text) => {
      await writeFile(join(dataDirectory, 'server.id'), text);
      await expect(ensure()).rejects.toThrow(
        /server\.id does not hold the identity of a server\..* server new-identity$/,
      );
    },
  );
});
