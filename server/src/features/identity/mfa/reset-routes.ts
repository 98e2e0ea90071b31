import { Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, route } from '../../../http/route.ts';
import { transact } from '../../../platform/db/database.ts';
import { Forbidden, Unauthenticated } from '../../../platform/errors.ts';
import type { Engines } from '../../../resources/engines.ts';
import { accountEntry, managedAccount } from '../accounts/managed-account.ts';
import { hasCsrfToken } from '../authenticator.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { endAllAccess, endedKeys } from '../sign-in-sessions/store.ts';
import { DONE } from '../wire-shapes.ts';
import type { MfaOptions } from './routes.ts';

/** Route that removes all second factors of a user who has lost them. */
export function mountMfaReset(
  app: FastifyInstance,
  options: MfaOptions & { readonly engines: Engines },
): void {
  const { db, factors, audit } = options;
  route(app, {
    // Existing clients use GET.
    method: ['GET', 'POST'],
    url: '/api/v1/users/users/:id/otp/reset/',
    access: Permission.ADMIN,
    area: 'users',
    summary: 'Remove the second factors of an account.',
    answer: DONE,
    async handler(context) {
      // A GET with side effects must not be reachable by a link from another site.
      if (context.actor.session.kind === 'browser' && !hasCsrfToken(context.request))
        throw new Forbidden('csrf_failed');
      assertSignedIn(context);
      const id = parameter(context, 'id').toLowerCase();
      if (id === context.actor.userId) throw new Unauthenticated('self_mfa_reset');
      const account = await managedAccount(context, 'factors', options);
      await transact(db, async (tx) => {
        const before = await factors.removeAll(account.id, tx);
        const ended = await endAllAccess(tx, account.id);
        await audit(
          tx,
          context,
          accountEntry(account, {
            totp: [before.totp, false],
            passkeys: [before.passkeys, 0],
            ...endedKeys(ended),
          }),
        );
      });
      return { msg: 'success' };
    },
  });
}
