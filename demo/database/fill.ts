import { randomUUID } from 'node:crypto';
import { actionMask } from '@sallyport/contract';
import type { Vault } from '../../server/src/platform/crypto/vault.ts';
import type { Db, Tx } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { inLanguage } from '../language.ts';
import { insertRows } from '../rows.ts';
import { setPassword } from '../set-password.ts';
import { STORE_DATABASE } from './mariadb.ts';
import { SHOP_DATABASE, SHOP_ROLE } from './start.ts';

/** A demo database: names of app and account, and the setting that stores their ids. */
export interface DemoPlace {
  readonly setting: string;
  readonly type: 'postgresql' | 'mariadb' | 'redis';
  readonly protocol: 'postgresql' | 'mysql' | 'redis';
  readonly name: string;
  readonly account: string;
  readonly username: string;
  readonly database: string;
  readonly permission: string;
  readonly comment: string;
}

/** The shop in the embedded PostgreSQL. */
export const SHOP_PLACE: DemoPlace = {
  setting: 'DEMO_DATABASE',
  type: 'postgresql',
  protocol: 'postgresql',
  name: '体验商店 demo-shop',
  account: '商店账号 demo-shop',
  username: SHOP_ROLE,
  database: SHOP_DATABASE,
  permission: '体验商店：所有人可试用',
  comment: '可以真正连接：在浏览器中查询、修改和导出',
};

/** The shop's keys in a separate Redis. */
export const CACHE_PLACE: DemoPlace = {
  setting: 'DEMO_REDIS',
  type: 'redis',
  protocol: 'redis',
  name: '体验缓存 demo-cache',
  account: '缓存账号 demo-cache',
  username: '',
  database: '',
  permission: '体验缓存：所有人可试用',
  comment: '可以真正连接：在浏览器中查看键和执行命令',
};

/** A store in a separate MariaDB. */
export const STORE_PLACE: DemoPlace = {
  setting: 'DEMO_MARIADB',
  type: 'mariadb',
  protocol: 'mysql',
  name: '体验仓库 demo-store',
  account: '仓库账号 demo-store',
  username: STORE_DATABASE,
  database: STORE_DATABASE,
  permission: '体验仓库：所有人可试用',
  comment: '可以真正连接：在浏览器中查询、修改和导出',
};

const YEAR_MS = 365 * 86_400_000;

interface Known {
  readonly app: string;
  readonly systemUser: string;
  readonly port: number;
}

async function known(db: Db | Tx, { setting }: DemoPlace): Promise<Known | undefined> {
  const { rows } = await sql<{
    value: Known;
  }>`select value from setting where name = ${setting}`.execute(db);
  return rows[0]?.value;
}

/** Returns the port of the last start; undefined on the first. */
export async function lastDatabasePort(db: Db, place: DemoPlace): Promise<number | undefined> {
  return (await known(db, place))?.port;
}

/**
 * Updates app, account and permission of a database to its current port and password. Keeps changes
 * and deletions by users.
 */
export async function leadToDatabase(
  db: Db,
  vault: Vault,
  place: DemoPlace,
  { port, password }: { readonly port: number; readonly password: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await known(tx, place);
    const now: Known = {
      app: before?.app ?? randomUUID(),
      systemUser: before?.systemUser ?? randomUUID(),
      port,
    };
    if (!before) await fill(tx, place, now);
    await sql`update database_app set port = ${port} where id = ${now.app} and host = '127.0.0.1' and port = ${before?.port ?? port}`.execute(
      tx,
    );
    await setPassword(tx, vault, now.systemUser, password);
    await sql`
      insert into setting (name, value) values (${place.setting}, ${JSON.stringify(now)}::jsonb)
      on conflict (name) do update set value = excluded.value`.execute(tx);
  });
}

async function fill(tx: Tx, place: DemoPlace, { app, systemUser, port }: Known): Promise<void> {
  const permission = randomUUID();
  await insertRows(tx, 'database_app', [
    {
      ...{
        id: app,
        name: place.name,
        type: place.type,
        host: '127.0.0.1',
        port,
        database: place.database,
        tls: 'off',
        ca_certificate: '',
      },
      ...{
        comment: place.comment,
        created_by: '林晓峰',
        date_created: new Date(),
        date_updated: new Date(),
      },
    },
  ]);
  await insertRows(tx, 'system_account', [
    {
      ...{
        id: systemUser,
        name: place.account,
        username: place.username,
        protocol: place.protocol,
        password: null,
        login_mode: 'auto',
        priority: 50,
      },
      ...{
        username_same_with_user: false,
        auto_push: false,
        comment: '密码每次启动随机生成并加密保存',
        created_by: '林晓峰',
      },
      ...{ date_created: new Date(), date_updated: new Date() },
    },
  ]);
  await insertRows(tx, 'database_app_permission', [
    {
      ...{
        id: permission,
        name: place.permission,
        is_active: true,
        date_start: new Date(),
        date_expired: new Date(Date.now() + 70 * YEAR_MS),
      },
      ...{
        comment: '语句会被记录和录像',
        created_by: '林晓峰',
        date_created: new Date(),
        actions: actionMask(['all']),
        is_read_only: false,
      },
    },
  ]);
  const link = (field: string, column: string, from: ReturnType<typeof sql>) =>
    sql`insert into ${sql.table(`database_app_permission_${field}`)} (database_app_permission_id,
      ${sql.ref(column)}) select ${permission}::uuid, id from (${from}) found`.execute(tx);
  await link('database_apps', 'database_app_id', sql`select ${app}::uuid as id`);
  await link('system_users', 'system_user_id', sql`select ${systemUser}::uuid as id`);
  await link('users', 'user_id', sql`select id from account where username in ('demo', 'admin')`);
  await link(
    'user_groups',
    'user_group_id',
    sql`select id from user_group where name = ${inLanguage('体验用户')}`,
  );
}
