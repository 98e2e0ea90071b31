import { type AccessKeyRow, formatDatetime, isUuid, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { parameter, route } from '../../../http/route.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import { notFound } from '../../../platform/errors.ts';
import type { Engines } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { accountEntry, managedAccount } from '../accounts/managed-account.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { ACCESS_KEYS } from '../wire-shapes.ts';
import { keysOf, revokeAccessKeys } from './store.ts';

export interface AccessKeyRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
}

const BASE = '/api/v1/users/users/:id/access-keys/';

/** Routes with which administrators list and revoke access keys of users. */
export function mountManagedAccessKeys(app: FastifyInstance, options: AccessKeyRouteOptions): void {
  const { db, audit } = options;

  route(app, {
    method: 'GET',
    url: BASE,
    access: Permission.ADMIN,
    area: 'users',
    summary: 'The access keys of an account.',
    answer: ACCESS_KEYS,
    async handler(context): Promise<AccessKeyRow[]> {
      const owner = await managedAccount(context, 'access_keys', options);
      const rows = await keysOf(owner.id, db);
      const moment = (date: Date | null) => date && formatDatetime(date, context.zone);
      return rows.map((row) => ({
        ...row,
        date_created: formatDatetime(row.date_created, context.zone),
        date_expired: moment(row.date_expired),
        date_last_used: moment(row.date_last_used),
      }));
    },
  });

  const revoke = async (context: Context, keyId?: string): Promise<void> => {
    assertSignedIn(context);
    const owner = await managedAccount(context, 'access_keys', options);
    await transact(db, async (tx) => {
      const count = await revokeAccessKeys(tx, owner.id, keyId);
      if (keyId !== undefined && count === 0) throw notFound();
      if (count > 0) await audit(tx, context, accountEntry(owner, { access_keys: [count, 0] }));
    });
    context.reply.code(204);
  };

  route(app, {
    method: 'DELETE',
    url: `${BASE}:key/`,
    access: Permission.ADMIN,
    area: 'users',
    summary: 'Revoke an access key of an account, and end what it had opened.',
    status: 204,
    async handler(context) {
      const id = parameter(context, 'key').toLowerCase();
      if (!isUuid(id)) throw notFound();
      await revoke(context, id);
    },
  });

  route(app, {
    method: 'DELETE',
    url: BASE,
    access: Permission.ADMIN,
    area: 'users',
    summary: 'Revoke every access key of an account.',
    status: 204,
    handler: (context) => revoke(context),
  });
}
