import { sql } from 'kysely';
import { type Caller, displayName } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { notFound, Rejected } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';

/**
 * A secret of an account, still sealed: `{table}.password.{id}` and `{table}.private_key.{id}` are
 * the contexts that open it.
 */
export interface SealedLogin {
  readonly table: 'asset_user' | 'admin_user' | 'system_account';
  readonly id: string;
  readonly username: string;
  readonly password: string | null;
  readonly private_key: string | null;
}

/** The admin user or system user that somebody works as. */
export interface PreferredAccount {
  readonly kind: 'admin_user' | 'system_user';
  readonly id: string;
}

/** A secret to be stored for an account on one asset; one of password and private key at least. */
export interface NewAssetSecret {
  readonly assetId: string;
  readonly username: string;
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly comment?: string | undefined;
  /** Which part of the product stores it. */
  readonly origin: 'user' | 'push' | 'change_auth';
}

/** One version of a stored secret, without the secret. */
export interface AssetSecretVersion {
  readonly id: string;
  readonly version: number;
  readonly isLatest: boolean;
  readonly origin: NewAssetSecret['origin'];
  readonly comment: string;
  readonly createdBy: string;
  readonly dateCreated: Date;
}

/** Who stores a secret; the operate log names them. */
type By = Pick<Caller, 'actor' | 'requestedBy'>;

/** The secrets of accounts on assets, by asset and username. */
export interface AssetAccounts {
  /**
   * The sealed secret that counts for a username on an asset: the latest that was stored for the
   * asset, otherwise that of the preferred account. Without a preference the asset's admin user and
   * then the system users that rules give on the asset follow, by their priority. Undefined where
   * there is no secret.
   */
  best(
    assetId: string,
    username: string,
    prefer?: PreferredAccount,
    db?: Db | Tx,
  ): Promise<SealedLogin | undefined>;
  /**
   * Stores a secret as the next version, which is the latest from then on; returns its id. The
   * operate log has it.
   * @throws NotFound for an asset that is gone
   */
  add(secret: NewAssetSecret, by: By, tx: Tx): Promise<string>;
  /** The stored versions of an account, the latest first. */
  versions(assetId: string, username: string, db?: Db | Tx): Promise<readonly AssetSecretVersion[]>;
  /**
   * Takes a stored version away; the caller writes the operate log. The latest goes only when it is
   * the only one, so that none comes back unseen.
   * @throws Rejected, NotFound
   */
  remove(id: string, tx: Tx): Promise<void>;
  /**
   * Stores the secret of an earlier version again, as the next one; returns its id.
   * @throws NotFound
   */
  restore(id: string, origin: NewAssetSecret['origin'], by: By, tx: Tx): Promise<string>;
}

const TABLE = 'asset_user';
const SECRETS = ['password', 'private_key', 'public_key'] as const;
const MASK = '******';

/** The context that a stored secret is sealed for. */
export const secretContext = (
  table: SealedLogin['table'],
  column: (typeof SECRETS)[number],
  id: string,
): string => `${table}.${column}.${id}`;

/**
 * How many points a stored secret has before its version; admin users have 200, system users their
 * priority.
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
 * Stores a secret as the next version of its account, which is the latest from then on. The caller
 * writes the operate log.
 * @throws NotFound for an asset that is gone
 */
export async function storeSecret(
  vault: Vault,
  { assetId, username, password, privateKey, publicKey, comment = '', origin }: NewAssetSecret,
  by: By,
  tx: Tx,
): Promise<{ readonly id: string; readonly version: number; readonly hostname: string }> {
  if (!password && !privateKey) throw new Error('an account without a secret');
  const { rows: found } = await sql<{
    hostname: string;
  }>`select hostname from asset where id = ${assetId} for key share`.execute(tx);
  const [asset] = found;
  if (!asset) throw notFound();
  // Two that store at once must not both be the next version.
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

/** Takes the secrets of a system user away; the operate log has it. */
export type ClearSecrets = (id: string, name: string, by: By, tx: Tx) => Promise<void>;

/**
 * Takes secrets of system users away. The one from before can be put back for a while, like after
 * every change.
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

/** Reads and stores them. */
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
    async best(assetId, username, prefer, db = pool) {
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
      const { rows } = await sql<SealedLogin>`
        select "table", id, username, password, private_key from (
          select ${STORED_SCORE} + version as score, 'asset_user' as "table", id, username,
            password, private_key from asset_user
          where asset_id = ${assetId} and username = ${username} and is_latest
          union all ${others}
        ) found where password is not null or private_key is not null order by score desc, id
        limit 1`.execute(db);
      return rows[0];
    },
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
