import {
  asset,
  controlledHostKey,
  formatDatetime,
  type HostKey,
  isUuid,
  Permission,
  parseBody,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { parameter, route } from '../../http/route.ts';
import { ACCEPTED_HOST_KEY, HOST_KEY, HOST_KEYS } from '../../http/wire-shapes.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { Invalid, notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { acceptHostKey, forgetHostKey } from './host-key-changes.ts';
import { type HostKeyRow, hostKeysOf } from './host-keys.ts';

function toWire(row: HostKeyRow, { zone }: Context): HostKey {
  const {
    offered_key_type: keyType,
    offered_fingerprint: fingerprint,
    date_offered: date,
    date_pinned,
    ...rest
  } = row;
  return {
    ...rest,
    date_pinned: formatDatetime(date_pinned, zone),
    offered:
      keyType && fingerprint && date
        ? { key_type: keyType, fingerprint, date: formatDatetime(date, zone) }
        : null,
  };
}

/** Mounts the host keys of an asset and its gateways: list, accept a changed key, forget a pin. */
export function mountHostKeys(
  app: FastifyInstance,
  { db, engines, audit }: { db: Db; engines: Engines; audit: AuditWriter },
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/assets/assets/:id/host-keys/',
    access: Permission.ADMIN,
    area: 'assets',
    summary: 'The pinned host keys of an asset and its gateways.',
    answer: HOST_KEYS,
    async handler(context) {
      const row = await engineOf(engines, asset).reader.retrieve(parameter(context, 'id'), context);
      const rows = await hostKeysOf(
        {
          organizationId: context.actor.organization.id,
          assetId: String(row.id),
          domainId: (row.domain ?? null) as string | null,
        },
        db,
      );
      return rows.map((key) => toWire(key, context));
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/assets/host-keys/:id/accept/',
    access: Permission.ADMIN,
    area: 'assets',
    summary:
      'Pin the key that was offered instead of the pinned one. The fingerprint says which key was reviewed.',
    bodyShape: ACCEPTED_HOST_KEY,
    answer: HOST_KEY,
    async handler(context) {
      const id = parameter(context, 'id');
      if (!isUuid(id)) throw notFound();
      const parsed = parseBody(controlledHostKey.fields, context.request.body, 'create');
      if (Object.keys(parsed.problems).length > 0) throw new Invalid(parsed.problems);
      const fingerprint = String(parsed.values.fingerprint);
      return transact(db, async (tx) => {
        const { after } = await acceptHostKey({ id, fingerprint }, { audit, caller: context, tx });
        return toWire(after, context);
      });
    },
  });
  route(app, {
    method: 'DELETE',
    url: '/api/v1/assets/host-keys/:id/',
    access: Permission.ADMIN,
    area: 'assets',
    summary:
      'Forget a pinned key. The next connection pins what the server shows then, unless another pin of the same kind is known for the same owner.',
    status: 204,
    async handler(context) {
      const id = parameter(context, 'id');
      if (!isUuid(id)) throw notFound();
      await transact(db, (tx) => forgetHostKey(id, { audit, caller: context, tx }));
      return context.reply.code(204).send();
    },
  });
}
