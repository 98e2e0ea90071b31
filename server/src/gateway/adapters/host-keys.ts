import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { HostKeys } from '../ports.ts';

/** The fingerprint as OpenSSH writes it. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The pins in the database: the first key is kept, another one is refused until an administrator accepts it. */
export function createHostKeys(db: Db): HostKeys {
  return {
    async verify({ kind, ownerId, host, port, keyType, key }) {
      const table = sql.table(kind);
      const column = sql.ref(`${kind}_id`);
      return db.transaction().execute(async (tx) => {
        const owner = await sql<{
          org_id: string;
          name: string;
        }>`select org_id, ${sql.ref(kind === 'asset' ? 'hostname' : 'name')} as name from ${table} where id = ${ownerId} for key share`.execute(tx);
        const { org_id: organizationId, name } = owner.rows[0] ?? { org_id: '', name: '' };
        await sql`
          insert into host_key (org_id, ${column}, host, port, key_type, public_key, fingerprint)
          values (${organizationId}, ${ownerId}, ${host}, ${port}, ${keyType}, ${key}, ${fingerprintOf(key)}) on conflict do nothing`.execute(tx);
        const { rows } = await sql<{ id: string; public_key: Buffer; fingerprint: string; is_new: boolean }>`
          select id, public_key, fingerprint, xmin = pg_current_xact_id()::xid as is_new from host_key where ${column} = ${ownerId} and host = ${host} and port = ${port} for update`.execute(
          tx,
        );
        const [pinned] = rows;
        if (!pinned) throw new Error('a host key was neither found nor pinned');
        if (pinned.public_key.equals(key)) return pinned.is_new ? 'first-use' : 'pinned';
        await sql`
          update host_key set offered_key_type = ${keyType}, offered_public_key = ${key}, offered_fingerprint = ${fingerprintOf(key)}, date_offered = now() where id = ${pinned.id}`.execute(
          tx,
        );
        await sql`
          insert into operate_log (org_id, "user", action, resource_type, resource, resource_id, remote_addr, changes)
          values (${organizationId}, 'System', 'refuse', 'host_key', ${`${name} ${host}:${port}`.slice(0, 256)}, ${ownerId}, ${host},
            ${JSON.stringify({ fingerprint: [pinned.fingerprint, fingerprintOf(key)] })}::jsonb)`.execute(tx);
        return 'changed';
      });
    },
  };
}
