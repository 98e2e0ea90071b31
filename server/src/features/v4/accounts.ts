import { asset, type assetUser, type LocalText, type Row } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AssetUserList } from '../asset-users/index.ts';
import { kindOfHost, readPlatforms } from './assets.ts';
import { readRelated } from './engine-source.ts';
import type { LaterRow, Source } from './lists.ts';
import { connectivityOf, labelledBy, organizationOf } from './values.ts';

const SECRET_TYPES = {
  password: { en: 'Password', zh: '密码' },
  ssh_key: { en: 'SSH key', zh: 'SSH 密钥' },
} as const satisfies Record<string, LocalText>;
const SOURCES = {
  local: { en: 'Local', zh: '本地' },
  template: { en: 'Template', zh: '模板' },
} as const satisfies Record<string, LocalText>;

/** Returns the ids of those owners of secrets that have a key. Reads no secret. */
async function ownersOfKeys(ids: readonly string[], db: Db): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from asset_user where id = any (${ids}::uuid[]) and private_key is not null
    union all
    select id from admin_user where id = any (${ids}::uuid[]) and private_key is not null
    union all
    select id from system_account where id = any (${ids}::uuid[]) and
      (private_key is not null or login_mode = 'certificate')`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Reads kinds of secrets by the owners of the secrets: system users, admin users, versions. */
export async function readSecretTypes(ids: readonly string[], { language }: Context, db: Db) {
  const keys = await ownersOfKeys(ids, db);
  return (id: string) => labelledBy(SECRET_TYPES, keys.has(id) ? 'ssh_key' : 'password', language);
}

type Account = Awaited<ReturnType<AssetUserList['retrieve']>>;

export interface AccountOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly list: AssetUserList;
}

/** Presents accounts on assets. Their secrets are not read. */
async function present(
  rows: readonly Account[],
  context: Context,
  { db, engines }: AccountOptions,
): Promise<LaterRow[]> {
  const { language } = context;
  const assets = await readRelated(
    engineOf(engines, asset),
    { values: rows.map((row) => row.asset), fields: ['platform'] },
    context,
  );
  const names = [...assets.values()].map(({ platform }) => String(platform));
  const [platforms, secretTypeOf] = await Promise.all([
    readPlatforms(engines, names, context),
    readSecretTypes(
      rows.map(({ origin_id }) => origin_id),
      context,
      db,
    ),
  ]);
  return (rows as readonly (Account & Row<typeof assetUser>)[]).map((row) => {
    const name = String(assets.get(row.asset)?.platform ?? '');
    const platform = platforms.get(name);
    return {
      id: row.id,
      name: row.username,
      username: row.username,
      secret_type: secretTypeOf(row.origin_id),
      has_secret: row.has_secret,
      privileged: row.backend === 'admin_user',
      is_active: true,
      version: row.version,
      source: labelledBy(SOURCES, row.backend === 'db' ? 'local' : 'template', language),
      source_id: row.backend === 'db' ? '' : row.origin_id,
      asset: {
        id: row.asset,
        name: row.hostname,
        address: row.ip,
        ...kindOfHost(platform?.base, language),
        platform: { id: String(platform?.id ?? name), name },
      },
      su_from: null,
      connectivity: connectivityOf(row.connectivity.status, language),
      labels: [],
      comment: row.comment,
      created_by: row.created_by,
      date_created: row.date_created,
      date_updated: row.date_updated,
      ...organizationOf(row),
    };
  });
}

/** Accounts on assets: stored secrets, admin users and the system users of permissions. */
export function accountSource(options: AccountOptions): Source {
  const { list } = options;
  return {
    filters: {
      id: 'id',
      search: 'search',
      asset: 'asset_id',
      asset_id: 'asset_id',
      asset_name: 'hostname',
      address: 'ip',
      username: 'username',
      name: 'username',
      node_id: 'node_id',
      category: (value) => value === 'host',
    },
    orders: { name: 'hostname', asset__name: 'hostname', address: 'ip' },
    async page({ query }, context) {
      const page = await list.list(query, context);
      return {
        count: page?.count ?? 0,
        results: await present(page?.results ?? [], context, options),
      };
    },
    async retrieve(id, context) {
      const [row] = await present([await list.retrieve(id, context)], context, options);
      return row ?? {};
    },
  };
}
