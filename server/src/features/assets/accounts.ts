import { type Caller, displayName } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { executePrepared, sql } from '../../platform/db/sql.ts';
import { notFound, Rejected } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';

/**
 * A sealed secret of an account. Open it with the contexts `{table}.password.{id}` and
 * `{table}.private_key.{id}`.
 */
export interface SealedLogin {
  readonly table: 'asset_user' | 'admin_user' | 'system_account';
  readonly id: string;
  readonly username: string;
  readonly password: string | null;
  readonly private_key: string | null;
}

/** The admin user or system user to prefer. */
export interface PreferredAccount {
  readonly kind: 'admin_user' | 'system_user';
  readonly id: string;
}

/** A secret to store for an account on one asset. Password, private key or both are set. */
export interface NewAssetSecret {
  readonly assetId: string;
  readonly username: string;
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly comment?: string | undefined;
  /** The part of the product that stores it. */
  readonly origin: 'user' | 'push' | 'change_auth';
}

/** Metadata of a version of a stored secret. */
export interface AssetSecretVersion {
  readonly id: string;
  readonly version: number;
  readonly isLatest: boolean;
  readonly origin: NewAssetSecret['origin'];
  readonly comment: string;
  readonly createdBy: string;
  readonly dateCreated: Date;
}

/** The caller, recorded in the operate log. */
type By = Pick<Caller, 'actor' | 'requestedBy'>;

/** Secrets of accounts on assets, by asset and username. */
export interface AssetAccounts {
  /**
   * Returns the effective sealed secret of a username on an asset; undefined if there is none. The
   * latest version stored for the asset has priority, then the preferred account. Without a
   * preference, the admin user follows, then granted system users by priority.
   */
  best(
    assetId: string,
    username: string,
    prefer?: PreferredAccount,
    db?: Db | Tx,
  ): Promise<SealedLogin | undefined>;
  /**
   * Stores a secret as the next, latest version, logs the operation and returns the id.
   * @throws NotFound if the asset was deleted
   */
  add(secret: NewAssetSecret, by: By, tx: Tx): Promise<string>;
  /** Stored versions of an account, latest first. */
  versions(assetId: string, username: string, db?: Db | Tx): Promise<readonly AssetSecretVersion[]>;
  /**
   * Deletes a stored version; the caller writes the operate log. The latest version can only be
   * deleted last, so that no older one becomes effective unnoticed.
   * @throws Rejected, NotFound
   */
  remove(id: string, tx: Tx): Promise<void>;
  /**
   * Stores the secret of an earlier version again as the next version; returns its id.
   * @throws NotFound
   */
  restore(id: string, origin: NewAssetSecret['origin'], by: By, tx: Tx): Promise<string>;
}

const TABLE = 'asset_user';
const SECRETS = ['password', 'private_key', 'public_key'] as const;
const MASK = '******';

/** Vault context of a stored secret. */
export const secretContext = (
  table: SealedLogin['table'],
  column: (typeof SECRETS)[number],
  id: string,
): string => `${table}.${column}.${id}`;

/**
 * Base score of a stored secret, to which its version is added. Admin users score 200, system users
 * their priority.
 */
export const STORED_SCORE = 400;
export const ADMIN_SCORE = 200;

interface StoredSecret {
  asset_id: string;
  username: string;
  password: string | null;
  private_key: string | null;
  public_key: string | null;
  version: number;
}

/**
 * Stores a secret as the next, latest version of its account. The caller writes the operate log.
 * @throws NotFound if the asset was deleted
 */
export async function storeSecret(
  vault: Vault,
  { assetId, username, password, privateKey, publicKey, comment = '', origin }: NewAssetSecret,
  by: By,
  tx: Tx,
): Promise<{ readonly id: string; readonly version: number; readonly hostname: string }> {
  if (!password && !privateKey) throw new Error('the new version has neither password nor key');
  const { rows: assets } = await sql<{
    hostname: string;
  }>`select hostname from asset where id = ${assetId} for key share`.execute(tx);
  const [asset] = assets;
  if (!asset) throw notFound();
  // Serializes concurrent writers, so that versions are unique.
  await sql`select pg_advisory_xact_lock(hashtext('sallyport asset user'),
    hashtext(${`${assetId} ${username}`}))`.execute(tx);
  const id = crypto.randomUUID();
  const seal = (column: (typeof SECRETS)[number], value: string | undefined) =>
    value ? vault.seal(value, secretContext(TABLE, column, id)) : null;
  const actor = by.requestedBy ?? by.actor;
  await sql`update asset_user set is_latest = false, date_updated = now()
    where asset_id = ${assetId} and username = ${username} and is_latest`.execute(tx);
  const { rows } = await sql<{ version: number }>`
    insert into asset_user (id, org_id, asset_id, username, version, password, private_key,
      public_key, comment, origin, created_by)
    select ${id}, (select org_id from asset where id = ${assetId}), ${assetId}, ${username},
      coalesce(max(version), 0) + 1, ${seal('password', password)},
      ${seal('private_key', privateKey)}, ${seal('public_key', publicKey)}, ${comment}, ${origin},
        ${actor.username ? displayName(actor) : actor.name}
    from asset_user where asset_id = ${assetId} and username = ${username}
    returning version`.execute(tx);
  return { id, version: rows[0]?.version ?? 1, hostname: asset.hostname };
}

/** Deletes the secrets of a system user and logs the operation. */
export type ClearSecrets = (id: string, name: string, by: By, tx: Tx) => Promise<void>;

/**
 * Creates the function that deletes secrets. As after any change, the previous secret can be
 * restored for some days.
 */
export const createClearSecrets =
  (audit: AuditWriter): ClearSecrets =>
  async (id, name, by, tx) => {
    const { rows } = await sql<{ password: boolean; key: boolean }>`
      update system_account t set password = null, private_key = null, public_key = null,
        date_updated = now() from system_account before
      where t.id = ${id} and before.id = t.id
      returning before.password is not null as password,
        before.private_key is not null as key`.execute(tx);
    const [had] = rows;
    if (!had?.password && !had?.key) return;
    const changes = {
      ...(had.password && { password: [MASK, null] as const }),
      ...(had.key && { private_key: [MASK, null] as const }),
    };
    await audit(tx, by, {
      action: 'update',
      resourceType: 'system_user',
      resource: name,
      resourceId: id,
      changes,
    });
  };

/** Returns the best stored secret of a username on an asset. */
async function bestLogin(
  assetId: string,
  username: string,
  prefer: Parameters<AssetAccounts['best']>[2],
  db: Db | Tx,
): ReturnType<AssetAccounts['best']> {
  if (username === '') return undefined;
  const others =
    prefer === undefined
      ? sql`
        select ${ADMIN_SCORE}::int as score, 'admin_user' as "table", u.id, u.username,
          u.password, u.private_key
        from asset a join admin_user u on u.id = a.admin_user_id
        where a.id = ${assetId} and u.username = ${username}
        union all
        select s.priority, 'system_account', s.id, s.username, s.password, s.private_key
        from system_account s
        where s.username = ${username} and s.login_mode = 'auto'
          and not s.username_same_with_user and s.id in (
          select used.system_user_id from asset_permission_system_users used
          where used.asset_permission_id in (
            select link.asset_permission_id from asset_permission_assets link
            where link.asset_id = ${assetId}
            union all
            select link.asset_permission_id from asset_ancestor above
              join asset_permission_nodes link on link.node_id = above.node_id
            where above.asset_id = ${assetId}))`
      : prefer.kind === 'admin_user'
        ? sql`select ${ADMIN_SCORE}::int as score, 'admin_user' as "table", id,
          ${username}::text as username, password, private_key from admin_user
          where id = ${prefer.id}`
        : sql`select priority as score, 'system_account' as "table", id,
          ${username}::text as username, password, private_key from system_account
          where id = ${prefer.id}`;
  const query = sql<SealedLogin>`
    select "table", id, username, password, private_key from (
      select ${STORED_SCORE} + version as score, 'asset_user' as "table", id, username,
        password, private_key from asset_user
      where asset_id = ${assetId} and username = ${username} and is_latest
      union all ${others}
    ) found where password is not null or private_key is not null order by score desc, id
    limit 1`;
  return (await executePrepared(query, db))[0];
}

export function createAssetAccounts({
  db: pool,
  vault,
  audit,
}: {
  readonly db: Db;
  readonly vault: Vault;
  readonly audit: AuditWriter;
}): AssetAccounts {
  const add: AssetAccounts['add'] = async (secret, by, tx) => {
    const { id, version, hostname } = await storeSecret(vault, secret, by, tx);
    await audit(tx, by, {
      action: 'create',
      resourceType: TABLE,
      resource: `${secret.username}@${hostname}`,
      resourceId: id,
      changes: {
        version: [null, version],
        ...(secret.password && { password: [null, MASK] as const }),
        ...(secret.privateKey && { private_key: [null, MASK] as const }),
      },
    });
    return id;
  };
  return {
    add,
    best: (assetId, username, prefer, db = pool) => bestLogin(assetId, username, prefer, db),
    async remove(id, tx) {
      const { rows } = await sql<{ removed: boolean }>`
        with gone as (
          delete from asset_user r where r.id = ${id} and (
            not r.is_latest or not exists (select 1 from asset_user other
              where other.asset_id = r.asset_id and other.username = r.username
              and other.id <> r.id))
          returning 1)
        select exists (select 1 from gone) as removed from asset_user where id = ${id}`.execute(tx);
      if (!rows[0]) throw notFound();
      if (!rows[0].removed) throw new Rejected('asset_user_in_use');
    },
    async versions(assetId, username, db = pool) {
      const { rows } = await sql<AssetSecretVersion>`
        select id, version, is_latest as "isLatest", origin, comment, created_by as "createdBy",
          date_created as "dateCreated"
        from asset_user where asset_id = ${assetId} and username = ${username}
        order by version desc`.execute(db);
      return rows;
    },
    async restore(id, origin, by, tx) {
      const { rows } = await sql<StoredSecret>`
        select asset_id, username, password, private_key, public_key, version from asset_user
        where id = ${id}`.execute(tx);
      const [row] = rows;
      if (!row) throw notFound();
      const open = (column: (typeof SECRETS)[number]) => {
        const sealed = row[column];
        return sealed === null ? undefined : vault.open(sealed, secretContext(TABLE, column, id));
      };
      const secrets = {
        password: open('password'),
        privateKey: open('private_key'),
        publicKey: open('public_key'),
      };
      return add({ assetId: row.asset_id, username: row.username, ...secrets, origin }, by, tx);
    },
  };
}
