import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { unique } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../../testing/databases/client-world.ts';
import { freePort } from '../../../testing/free-port.ts';
import { bearer } from '../../../testing/sign-in.ts';

// Programs of users read a value at the beginning of an argument as an option.
const OPTIONS = ['-e\\! id', '--init-command=x', '-oProxyCommand=x', '-'];
const MISLEADING = ['a\nb', 'a\u009bb', 'a\u007fb', 'a\u2028b', 'a\u202eb'];

let world: DatabaseWorld;
let root: Client;
beforeAll(async () => {
  world = await startDatabaseWorld({ mysqlPort: await freePort() });
  root = await bearer(world.test);
});
afterAll(() => world.test.stop());

const DATABASE = { name: 'sales', type: 'mysql', host: 'db.example.com', port: 3306 };
const CASES: readonly (readonly [string, string, Json])[] = [
  ['applications/database-apps/', 'database', DATABASE],
  ['applications/database-apps/', 'name', DATABASE],
  ['applications/database-apps/', 'host', DATABASE],
  ['assets/assets/', 'hostname', { ip: '10.0.0.1', platform: 'Linux', protocols: ['ssh/22'] }],
  ['assets/assets/', 'ip', { hostname: 'web', platform: 'Linux', protocols: ['ssh/22'] }],
  ['assets/system-users/', 'username', { name: 'deploy', protocol: 'ssh' }],
  ['assets/admin-users/', 'username', { name: 'deploy' }],
];

it.each(CASES)('refuses options and control characters at %s for %s', async (path, field, body) => {
  for (const value of [...OPTIONS, ...MISLEADING]) {
    const name = path === 'assets/assets/' ? {} : { name: unique('name') };
    const sent = { ...body, ...name, [field]: value };
    const { status, body: answer } = await world.administrator.post(path, sent);
    expect([status, Object.keys(answer)]).toEqual([400, [field]]);
  }
});

it('says in both languages why a name is refused', async () => {
  const sent = { ...DATABASE, database: '-e\\! id' };
  const texts = await Promise.all(
    ['en', 'zh'].map(async (language) => {
      const client = world.administrator.with({ 'accept-language': language });
      return (await client.post('applications/database-apps/', sent)).body.database;
    }),
  );
  expect(texts).toEqual([
    ['This may not begin with a hyphen: programs would read it as an option.'],
    ['不能以 - 开头，否则程序会将其视为选项。'],
  ]);
});

it('refuses usernames of users that begin with a hyphen, and keeps hyphens inside', async () => {
  const user = (username: string) =>
    root.post('users/users/', { username, name: 'A', email: `${unique('a')}@example.com` });
  expect([(await user('-l')).status, (await user(unique('a-b'))).status]).toEqual([400, 201]);
});

it('keeps an earlier name readable, and issues no password for it', async () => {
  const grant = await world.add({ type: 'mysql', port: 1, username: 'u', password: 'p' });
  for (const name of ['-e\\! id', 'a\nb']) {
    await sql`update database_app set database = ${name} where id = ${grant.app}`.execute(
      world.test.db,
    );
    const url = `applications/database-apps/${grant.app}/`;
    expect((await world.administrator.get<Json>(url)).body.database).toBe(name);
    const wish = { database_app: grant.app, system_user: grant.systemUser };
    const refused = await world.person.post('terminal/databases/passwords/', wish);
    expect([refused.status, refused.body.code, refused.text]).toEqual([
      400,
      'database_unsafe_value',
      expect.stringContaining('Database begins with a hyphen'),
    ]);
    // Other fields can be changed; the name itself only to a safe one.
    expect((await world.administrator.patch(url, { comment: 'old' })).status).toBe(200);
    expect((await world.administrator.patch(url, { database: name })).status).toBe(400);
  }
  await world.administrator.patch(`applications/database-apps/${grant.app}/`, { database: 'x-y' });
  expect((await world.password(grant)).database).toBe('x-y');
});
