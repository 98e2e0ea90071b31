import { Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../http/problem.ts';
import type { Engines } from '../../../http/resource/mount.ts';
import { parameter, route } from '../../../http/route.ts';
import { hasCsrfToken } from '../authenticator.ts';
import { accountEntry, managedAccount } from '../managed-account.ts';
import { endOtherSignIns } from '../sign-ins.ts';
import { assertSignedIn } from '../signed-in.ts';
import { DONE } from '../wire-shapes.ts';
import type { MfaOptions } from './routes.ts';

/** Taking all second factors of somebody away who has lost them (identity reference §3.1). */
export function mountMfaReset(app: FastifyInstance, options: MfaOptions & { readonly engines: Engines }): void {
  const { db, factors, audit } = options;
  route(app, {
    // The established clients use GET.
    method: ['GET', 'POST'],
    url: '/api/v1/users/users/:id/otp/reset/',
    access: Permission.ADMIN,
    summary: "Take somebody's second factors away.",
    answer: DONE,
    async handler(context) {
      // A GET that changes something must not be reachable by a link from elsewhere.
      if (context.actor.session.kind === 'browser' && !hasCsrfToken(context.request)) throw new Refusal(403, 'csrf_failed');
      assertSignedIn(context);
      const id = parameter(context, 'id').toLowerCase();
      if (id === context.actor.userId) throw new Refusal(401, 'self_mfa_reset', {}, { error: 'self_mfa_reset' });
      const account = await managedAccount(context, options.engines);
      await db.transaction().execute(async (tx) => {
        const before = await factors.removeAll(account.id, tx);
        await endOtherSignIns(tx, account.id);
        await audit(tx, context, accountEntry(account, { totp: [before.totp, false], passkeys: [before.passkeys, 0] }));
      });
      return { msg: 'success' };
    },
  });
}
