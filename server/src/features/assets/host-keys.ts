import { systemCaller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { executePrepared, type Sql, sql } from '../../platform/db/sql.ts';
import { fingerprintOf, wireOf } from '../../platform/ssh-keys.ts';
import type { AuditWriter } from '../../resources/hooks.ts';

export interface OfferedHostKey {
  readonly kind: 'asset' | 'gateway';
  /**
   * Id of the asset or gateway. Pins are separate, so a target never accepts the key of a gateway.
   */
  readonly ownerId: string;
  readonly host: string;
  readonly port: number;
  readonly keyType: string;
  /** The key in SSH wire form. */
  readonly key: Buffer;
}

export interface HostKeyPins {
  /**
   * Compares an offered key with the pin, and pins the first key. `changed` means that another key
   * is pinned; the offered one is stored for review and the refusal is logged.
   */
  verify(offered: OfferedHostKey): Promise<'pinned' | 'first-use' | 'changed'>;
  /** Returns true if the owner has a pinned key of this type, at any address. */
  isPinned(key: Pick<OfferedHostKey, 'kind' | 'ownerId' | 'keyType'>): Promise<boolean>;
}

/** Pins are per family: all SSH key types form one family, each certificate type another. */
const familyOf = (type: Sql) =>
  sql`case when ${type}::text like 'x509%' then ${type}::text else 'ssh' end`;

/** A host key that an operator knows before the first connection. */
export interface KnownHostKey {
  readonly assetId: string;
  readonly host: string;
  readonly port: number;
  /** The public key as a line. */
  readonly line: string;
}

/** Pins the key of a new asset. An existing pin stays. */
export async function pinHostKey(
  { assetId, host, port, line }: KnownHostKey,
  tx: Tx,
): Promise<void> {
  const key = wireOf(line);
  if (!key) return;
  await sql`
    insert into host_key (org_id, asset_id, host, port, key_type, public_key, fingerprint)
    select org_id, id, ${host}, ${port}::integer, ${line.split(' ')[0] ?? ''}, ${key},
      ${fingerprintOf(key)}
    from asset where id = ${assetId} on conflict do nothing`.execute(tx);
}

/**
 * Creates the store of pins. The first key is pinned; another key is refused until an administrator
 * accepts it.
 */
export function createHostKeys(db: Db, audit: AuditWriter): HostKeyPins {
  return {
    async verify({ kind, ownerId, host, port, keyType, key }) {
      const table = sql.table(kind);
      const column = sql.ref(`${kind}_id`);
      const [known] = await executePrepared(
        sql<{ is_pinned: boolean }>`
          select public_key = ${key} as is_pinned from host_key
          where ${column} = ${ownerId} and host = ${host} and port = ${port}`,
        db,
      );
      if (known?.is_pinned) return 'pinned';
      return db.transaction(async (tx) => {
        const owner = await sql<{
          org_id: string;
          name: string;
        }>`select org_id, ${sql.ref(kind === 'asset' ? 'hostname' : 'name')} as name from ${table}
          where id = ${ownerId} for key share`.execute(tx);
        const { org_id: organizationId, name } = owner.rows[0] ?? { org_id: '', name: '' };
        // The pin follows an asset to a new address. If the server there shows another key, it is
        // reviewed before any secret is sent.
        await sql`
          insert into host_key (org_id, ${column}, host, port, key_type, public_key, fingerprint)
          select ${organizationId}, ${ownerId}::uuid, ${host}, ${port}::integer,
            coalesce(known.key_type, ${keyType}), coalesce(known.public_key, ${key}),
            coalesce(known.fingerprint, ${fingerprintOf(key)})
          from (select 1) one left join lateral (
            select key_type, public_key, fingerprint from host_key
            where ${column} = ${ownerId}
              and ${familyOf(sql`key_type`)} = ${familyOf(sql`${keyType}`)}
            order by public_key = ${key} desc, date_pinned desc limit 1) known on true
          on conflict do nothing`.execute(tx);
        const { rows } = await sql<{
          id: string;
          public_key: Buffer;
          fingerprint: string;
          is_new: boolean;
        }>`
          select id, public_key, fingerprint, xmin = pg_current_xact_id()::xid as is_new
          from host_key where ${column} = ${ownerId} and host = ${host}
            and port = ${port} for update`.execute(tx);
        const [pinned] = rows;
        if (!pinned) throw new Error('the host key could not be pinned');
        if (pinned.public_key.equals(key)) return pinned.is_new ? 'first-use' : 'pinned';
        await sql`
          update host_key set offered_key_type = ${keyType}, offered_public_key = ${key},
            offered_fingerprint = ${fingerprintOf(key)}, date_offered = now()
          where id = ${pinned.id}`.execute(tx);
        const { actor } = systemCaller('System', host);
        await audit(
          tx,
          { actor: { ...actor, organization: { id: organizationId, name: '' } } },
          {
            action: 'refuse',
            resourceType: 'host_key',
            resource: `${name} ${host}:${port}`,
            resourceId: ownerId,
            changes: { fingerprint: [pinned.fingerprint, fingerprintOf(key)] },
          },
        );
        return 'changed';
      });
    },
    async isPinned({ kind, ownerId, keyType }) {
      const { rows } = await sql`select from host_key where ${sql.ref(`${kind}_id`)} = ${ownerId}
          and key_type = ${keyType} limit 1`.execute(db);
      return rows.length > 0;
    },
  };
}

/** A pinned host key with its asset or gateway. */
export interface HostKeyRow {
  id: string;
  hop: 'asset' | 'gateway';
  name: string;
  host: string;
  port: number;
  key_type: string;
  fingerprint: string;
  date_pinned: Date;
  offered_key_type: string | null;
  offered_fingerprint: string | null;
  date_offered: Date | null;
}

/** Columns of {@link HostKeyRow} in {@link PINS}. */
export const PIN_COLUMNS = sql`k.id, case when k.asset_id is not null then 'asset'
  else 'gateway' end as hop, coalesce(a.hostname, g.name) as name,
  k.host, k.port, k.key_type, k.fingerprint, k.date_pinned, k.offered_key_type,
    k.offered_fingerprint, k.date_offered`;
export const PINS = sql`host_key k left join asset a on a.id = k.asset_id
  left join gateway g on g.id = k.gateway_id`;

/** Pinned keys of an asset and of the gateways on the way to it. */
export async function hostKeysOf(
  {
    organizationId,
    assetId,
    domainId,
  }: {
    readonly organizationId: string;
    readonly assetId: string;
    readonly domainId: string | null;
  },
  db: Db,
): Promise<readonly HostKeyRow[]> {
  const { rows } = await sql<HostKeyRow>`
    select ${PIN_COLUMNS} from ${PINS} where k.org_id = ${organizationId}
      and (k.asset_id = ${assetId}
        or g.domain_id in (select domain_id from domain_route(${domainId}::uuid)))
      order by hop, name, k.host, k.port`.execute(db);
  return rows;
}
