import { asset, formatDatetime, type HostKey, isUuid, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Context } from '../../http/context.ts';
import { notFound } from '../../http/problem.ts';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import { type Engines, engineOf } from '../../http/resource/mount.ts';
import { parameter, route } from '../../http/route.ts';
import { HOST_KEY, HOST_KEYS } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';

interface Row {
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

const COLUMNS = sql`k.id, case when k.asset_id is not null then 'asset' else 'gateway' end as hop, coalesce(a.hostname, g.name) as name,
  k.host, k.port, k.key_type, k.fingerprint, k.date_pinned, k.offered_key_type, k.offered_fingerprint, k.date_offered`;
const TABLES = sql`host_key k left join asset a on a.id = k.asset_id left join gateway g on g.id = k.gateway_id`;

function toWire(row: Row, { zone }: Context): HostKey {
  const { offered_key_type: keyType, offered_fingerprint: fingerprint, date_offered: date, date_pinned, ...rest } = row;
  return {
    ...rest,
    date_pinned: formatDatetime(date_pinned, zone),
    offered: keyType && fingerprint && date ? { key_type: keyType, fingerprint, date: formatDatetime(date, zone) } : null,
  };
}

/** The pinned host keys of an asset and of the gateways towards it, and accepting a changed one. */
export function mountHostKeys(app: FastifyInstance, { db, engines, audit }: { db: Db; engines: Engines; audit: AuditWriter }): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/assets/assets/:id/host-keys/',
    access: Permission.ADMIN,
    summary: 'The pinned host keys of an asset and its gateways.',
    answer: HOST_KEYS,
    async handler(context) {
      const row = await engineOf(engines, asset).reader.retrieve(parameter(context, 'id'), context);
      const { rows } = await sql<Row>`
        select ${COLUMNS} from ${TABLES} where k.org_id = ${context.actor.organization.id}
          and (k.asset_id = ${row.id} or g.domain_id = ${row.domain ?? null}::uuid) order by hop, name, k.host, k.port`.execute(db);
      return rows.map((found) => toWire(found, context));
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/assets/host-keys/:id/accept/',
    access: Permission.ADMIN,
    summary: 'Pin the key that was offered instead of the pinned one.',
    answer: HOST_KEY,
    async handler(context) {
      const id = parameter(context, 'id');
      if (!isUuid(id)) throw notFound();
      return db.transaction().execute(async (tx) => {
        const { rows } = await sql<Row>`
          select ${COLUMNS} from ${TABLES} where k.id = ${id} and k.org_id = ${context.actor.organization.id} and k.offered_public_key is not null for update of k`.execute(
          tx,
        );
        const [before] = rows;
        if (!before) throw notFound();
        await sql`
          update host_key set key_type = offered_key_type, public_key = offered_public_key, fingerprint = offered_fingerprint, date_pinned = now(),
            offered_key_type = null, offered_public_key = null, offered_fingerprint = null, date_offered = null where id = ${id}`.execute(tx);
        await audit(tx, context, {
          action: 'accept',
          resourceType: 'host_key',
          resource: `${before.name} ${before.host}:${before.port}`,
          resourceId: id,
          changes: { fingerprint: [before.fingerprint, before.offered_fingerprint] },
        });
        const after = await sql<Row>`select ${COLUMNS} from ${TABLES} where k.id = ${id}`.execute(tx);
        return toWire(after.rows[0] ?? before, context);
      });
    },
  });
}
