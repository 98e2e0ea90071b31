import {
  formatDatetime,
  type MfaEnrolled,
  type MfaState,
  type OtpVerified,
  type PasskeyBegin,
  Permission,
  type RecoveryCodes,
  type TotpBegin,
} from '@sallyport/contract';
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
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { lastProofOf } from '../sign-in-sessions/store.ts';
import * as shapes from '../wire-shapes.ts';
import { assertConfirmed, type ConfirmServices, isVerified, markProved } from './confirmed.ts';
import { siteOf } from './passkeys.ts';
import { hasFactor, makeRecoveryCodes } from './second-factors.ts';

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

/** Shows the second factors of the caller. */
async function showState(options: MfaOptions, context: Context): Promise<MfaState> {
  const { db, factors } = options;
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
}

/** Checks a second factor of the caller, and remembers the proof. */
async function verify(
  { db, factors, publicUrl }: MfaOptions,
  context: Context,
): Promise<OtpVerified> {
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
}

/** Returns the options for a proof with a passkey. */
async function beginPasskey(
  { factors, publicUrl }: MfaOptions,
  context: Context,
): Promise<PasskeyBegin> {
  assertSignedIn(context);
  return {
    options: await factors.passkeys.beginAuthentication(
      holderOfActor(context),
      context.actor.userId,
      siteOf(context, publicUrl),
    ),
  };
}

/** Returns a new secret for an authenticator. */
async function beginTotp(options: MfaOptions, context: Context): Promise<TotpBegin> {
  await assertConfirmed(context, objectBody(context).password, options);
  const { userId, username } = context.actor;
  return options.factors.totp.begin(holderOfActor(context), { id: userId, username });
}

/** Adds the authenticator, after a code proves that it works. */
async function confirmTotp(
  { db, factors, audit }: MfaOptions,
  context: Context,
): Promise<MfaEnrolled> {
  assertSignedIn(context);
  const { userId, session } = context.actor;
  const { code } = readBody(context, CODE);
  return db.transaction(async (tx) => {
    if (!(await factors.totp.confirm(holderOfActor(context), userId, code.trim(), tx)))
      throw new Rejected('mfa_failed', {}, { error: 'mfa_failed' });
    const enrolled = await factors.added(userId, tx);
    await markProved(session.id, tx);
    await auditFactors(audit, context, tx, { totp: [null, '******'] });
    return enrolled;
  });
}

/** Removes the authenticator. */
async function disableTotp(options: MfaOptions, context: Context) {
  const { db, factors, audit } = options;
  await assertConfirmed(context, undefined, options);
  const { userId } = context.actor;
  await db.transaction(async (tx) => {
    await factors.totp.remove(userId, tx);
    await factors.removed(userId, tx);
    await auditFactors(audit, context, tx, { totp: ['******', null] });
  });
  return {};
}

/** Replaces the recovery codes. */
async function renewRecoveryCodes(options: MfaOptions, context: Context): Promise<RecoveryCodes> {
  const { db, factors, audit } = options;
  const { userId } = context.actor;
  if (!hasFactor(await factors.summary(userId))) throw new Rejected('mfa_not_enrolled');
  await assertConfirmed(context, undefined, options);
  return db.transaction(async (tx) => {
    await auditFactors(audit, context, tx, { recovery_codes: ['******', '******'] });
    return { recovery_codes: await makeRecoveryCodes(userId, tx) };
  });
}

interface OwnRoute {
  readonly method?: 'GET';
  readonly url: string;
  readonly summary: string;
  readonly bodyShape?: Shape;
  readonly answer: Shape;
  readonly handler: (options: MfaOptions, context: Context) => Promise<unknown>;
}

/** Routes of the caller's own second factors. */
const ROUTES: readonly OwnRoute[] = [
  {
    method: 'GET',
    url: 'mfa/',
    summary: 'List your second factors.',
    answer: shapes.MFA_STATE,
    handler: showState,
  },
  {
    url: 'otp/verify/',
    summary: 'Prove the second factor again.',
    bodyShape: shapes.PROOF,
    answer: shapes.OTP_VERIFIED,
    handler: verify,
  },
  {
    url: 'mfa/passkey/begin/',
    summary: 'Options for proving the second factor again with a passkey.',
    answer: shapes.PASSKEY_BEGIN,
    handler: beginPasskey,
  },
  {
    url: 'mfa/totp/begin/',
    summary: 'Show the secret for an authenticator.',
    bodyShape: shapes.PASSWORD_BODY,
    answer: shapes.TOTP_BEGIN,
    handler: beginTotp,
  },
  {
    url: 'mfa/totp/confirm/',
    summary: 'Confirm the authenticator with a code.',
    bodyShape: shapes.CODE_BODY,
    answer: shapes.ENROLLED,
    handler: confirmTotp,
  },
  {
    url: 'mfa/totp/disable/',
    summary: 'Remove the authenticator.',
    answer: shapes.NOTHING,
    handler: disableTotp,
  },
  {
    url: 'mfa/recovery-codes/',
    summary: 'Create new recovery codes; older ones become invalid.',
    answer: shapes.RECOVERY_CODES,
    handler: renewRecoveryCodes,
  },
];

/** Mounts the routes of the caller's own second factors. */
export function mountMfa(app: FastifyInstance, options: MfaOptions): void {
  for (const { method = 'POST', url, handler, ...rest } of ROUTES)
    route(app, {
      ...rest,
      method,
      url: `${BASE}${url}`,
      access: Permission.USE,
      area: 'own',
      bodyLimit: 65_536,
      handler: (context) => handler(options, context),
    });
}
