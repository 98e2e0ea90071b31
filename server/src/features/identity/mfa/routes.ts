import type {
  MfaEnrolled,
  MfaState,
  OtpVerified,
  PasskeyBegin,
  RecoveryCodes,
  TotpBegin,
} from '@sallyport/contract';
import { formatDatetime, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { readBody, route } from '../../../http/route.ts';
import type { Shape } from '../../../http/shapes.ts';
import { displayName } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { Rejected } from '../../../platform/errors.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { mfaLevelOf } from '../accounts/store.ts';
import { CODE, objectBody, readProof } from '../sign-in/bodies.ts';
import { assertSignedIn } from '../sign-in-sessions/signed-in.ts';
import { lastProofOf } from '../sign-in-sessions/store.ts';
import * as shapes from '../wire-shapes.ts';
import { assertConfirmed, type ConfirmServices, isVerified } from './confirmed.ts';
import { siteOf } from './passkeys.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';
import { hasFactor } from './second-factors.ts';
import { markProved } from './store.ts';

export interface MfaOptions extends ConfirmServices {
  readonly audit: AuditWriter;
  readonly publicUrl: string | undefined;
}

const BASE = '/api/v1/authentication/';

/** Returns the holder of challenges of a signed-in user: the sign-in that requested them. */
export const holderOfActor = ({ actor }: Context) => `session ${actor.session.id}`;

/** Logs a change of the caller's own factors. */
export function auditFactors(
  audit: AuditWriter,
  context: Context,
  tx: Tx,
  what: Readonly<Record<string, readonly [unknown, unknown]>>,
): Promise<void> {
  const { actor } = context;
  return audit(tx, context, {
    action: 'update',
    resourceType: 'user',
    resource: displayName(actor),
    resourceId: actor.userId,
    changes: what,
  });
}

/** Routes of the caller's own second factors. */
export function mountMfa(app: FastifyInstance, options: MfaOptions): void {
  const { db, factors, audit, publicUrl } = options;

  /** Shapes of the request and the response of a route. */
  type Wire = { readonly bodyShape?: Shape; readonly answer: Shape };
  const own = (
    method: 'GET' | 'POST',
    url: string,
    summary: string,
    wire: Wire,
    handler: (context: Context) => Promise<unknown>,
  ) =>
    route(app, {
      method,
      url: `${BASE}${url}`,
      access: Permission.USE,
      summary,
      bodyLimit: 65_536,
      ...wire,
      handler,
    });

  own(
    'GET',
    'mfa/',
    'The own second factors.',
    { answer: shapes.MFA_STATE },
    async (context): Promise<MfaState> => {
      const { userId, session } = context.actor;
      const summary = await factors.summary(userId);
      const proof = session.kind === 'access-key' ? undefined : await lastProofOf(db, session.id);
      const level = await mfaLevelOf(userId, db);
      return {
        level,
        forced: factors.isForced(level),
        totp: summary.totp,
        passkeys: summary.passkeys,
        recovery_codes_left: summary.recoveryCodes,
        verified: await isVerified(context, options),
        date_verified: proof ? formatDatetime(proof.date, context.zone) : null,
      };
    },
  );

  own(
    'POST',
    'otp/verify/',
    'Prove the second factor again.',
    { bodyShape: shapes.PROOF, answer: shapes.OTP_VERIFIED },
    async (context): Promise<OtpVerified> => {
      assertSignedIn(context);
      const { actor } = context;
      if (!hasFactor(await factors.summary(actor.userId)))
        throw new Rejected('mfa_not_enrolled', {}, { error: 'mfa_unset' });
      const proof = readProof(context, publicUrl);
      await factors.prove(
        { id: actor.userId, username: actor.username },
        proof,
        holderOfActor(context),
        actor.remoteAddress,
      );
      await markProved(actor.session.id, db);
      return { ok: '1' };
    },
  );

  own(
    'POST',
    'mfa/passkey/begin/',
    'Options for proving the second factor again with a passkey.',
    { answer: shapes.PASSKEY_BEGIN },
    async (context): Promise<PasskeyBegin> => {
      assertSignedIn(context);
      return {
        options: await factors.passkeys.beginAuthentication(
          holderOfActor(context),
          context.actor.userId,
          siteOf(context, publicUrl),
        ),
      };
    },
  );

  own(
    'POST',
    'mfa/totp/begin/',
    'Show the secret for an authenticator.',
    { bodyShape: shapes.PASSWORD_BODY, answer: shapes.TOTP_BEGIN },
    async (context): Promise<TotpBegin> => {
      await assertConfirmed(context, objectBody(context).password, options);
      return factors.totp.begin(holderOfActor(context), {
        id: context.actor.userId,
        username: context.actor.username,
      });
    },
  );

  own(
    'POST',
    'mfa/totp/confirm/',
    'Confirm the authenticator with a code.',
    { bodyShape: shapes.CODE_BODY, answer: shapes.ENROLLED },
    async (context): Promise<MfaEnrolled> => {
      assertSignedIn(context);
      const { userId, session } = context.actor;
      const { code } = readBody(context, CODE);
      return db.transaction().execute(async (tx) => {
        if (!(await factors.totp.confirm(holderOfActor(context), userId, String(code).trim(), tx)))
          throw new Rejected('mfa_failed', {}, { error: 'mfa_failed' });
        const enrolled = await factors.added(userId, tx);
        await markProved(session.id, tx);
        await auditFactors(audit, context, tx, { totp: [null, '******'] });
        return enrolled;
      });
    },
  );

  own(
    'POST',
    'mfa/totp/disable/',
    'Remove the authenticator.',
    { answer: shapes.NOTHING },
    async (context) => {
      await assertConfirmed(context, undefined, options);
      const { userId } = context.actor;
      await db.transaction().execute(async (tx) => {
        await factors.totp.remove(userId, tx);
        await factors.removed(userId, tx);
        await auditFactors(audit, context, tx, { totp: ['******', null] });
      });
      return {};
    },
  );

  own(
    'POST',
    'mfa/recovery-codes/',
    'Create new recovery codes; older ones become invalid.',
    { answer: shapes.RECOVERY_CODES },
    async (context): Promise<RecoveryCodes> => {
      const { userId } = context.actor;
      if (!hasFactor(await factors.summary(userId))) throw new Rejected('mfa_not_enrolled');
      await assertConfirmed(context, undefined, options);
      return db.transaction().execute(async (tx) => {
        await auditFactors(audit, context, tx, { recovery_codes: ['******', '******'] });
        return { recovery_codes: await makeRecoveryCodes(userId, tx) };
      });
    },
  );
}
