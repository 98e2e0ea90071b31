import { formatDatetime, type LockedAddress, Permission, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { networkOf } from '../../../platform/network-of.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { EVERYWHERE, isAddressFull } from './lockout.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;
const MOST_LISTED = 200;
const BODY = { address: text({ label: { en: 'Address', zh: '地址' }, max: 64 }) };

interface Options {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly audit: AuditWriter;
}

/** Mounts the list of the locked addresses, and their reset. */
export function mountLockedAddresses(app: FastifyInstance, { db, settings, audit }: Options): void {
  const url = '/api/v1/users/locked-addresses/';
  route(app, {
    method: 'GET',
    url,
    access: SUPER,
    area: 'users',
    summary:
      'List the addresses that are locked by failed sign-ins of several names, the latest first.',
    answer: samples<readonly LockedAddress[]>([
      { address: '192.0.2.7', failures: 70, names: 64, date_last: '2026-01-31 08:30:00 +0800' },
    ]),
    async handler({ zone }): Promise<readonly LockedAddress[]> {
      const { rows } = await sql<Omit<LockedAddress, 'date_last'> & { date_last: Date }>`
        select remote_addr as address, sum(failures)::integer as failures,
          count(*)::integer as names, max(date_last) as date_last
        from login_attempt ${isAddressFull(settings)}
        order by max(date_last) desc, remote_addr limit ${MOST_LISTED}`.execute(db);
      return rows.map((row) => ({ ...row, date_last: formatDatetime(row.date_last, zone) }));
    },
  });
  route(app, {
    method: 'POST',
    url: `${url}reset/`,
    access: SUPER,
    area: 'users',
    summary: 'Reset the failed sign-ins from an address.',
    body: BODY,
    status: 204,
    async handler(context) {
      const address = networkOf(readBody(context, BODY).address.trim());
      await transact(db, async (tx) => {
        // Wrong second factors are counted for an account, under no address.
        const { rows } = await sql<{ failures: number }>`
          delete from login_attempt where remote_addr = ${address} and remote_addr <> ${EVERYWHERE}
          returning failures`.execute(tx);
        if (rows.length === 0) return;
        const failures = rows.reduce((sum, row) => sum + row.failures, 0);
        await audit(tx, context, {
          action: 'update',
          resourceType: 'locked_address',
          resource: address,
          resourceId: address,
          changes: { login_blocked: [failures, 0] },
        });
      });
      return context.reply.code(204).send();
    },
  });
}
