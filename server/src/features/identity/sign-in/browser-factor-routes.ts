import type { MfaEnrolled, PasskeyBegin, SignInAnswer, TotpBegin } from '@sallyport/contract';
import type { PublicContext } from '../../../http/context.ts';
import { readBody } from '../../../http/route.ts';
import { randomToken } from '../../../platform/crypto/token.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { Rejected } from '../../../platform/errors.ts';
import { siteOf } from '../mfa/passkeys.ts';
import { PASSKEY_BEGIN, PASSKEY_SIGN_IN, SIGN_IN_ANSWER } from '../wire-shapes.ts';
import { CODE, objectBody, PASSKEY_NAME, readPart, readProof } from './bodies.ts';
import type { BrowserSteps, SignInRouteOptions } from './browser-steps.ts';
import { setTicket } from './cookies.ts';
import { holderOf } from './pending.ts';
import { safeNext } from './provider-pages.ts';

interface FactorPages extends SignInRouteOptions {
  readonly steps: BrowserSteps;
}

/** Takes the proof of a second factor. */
async function proveFactor({ steps, signIns, publicUrl }: FactorPages, context: PublicContext) {
  const outcome = await signIns.prove(readProof(context, publicUrl), steps.pending(context));
  return steps.answer(context, outcome);
}

/** Returns the options for a proof with a passkey. */
async function beginProof(
  { steps, factors, publicUrl }: FactorPages,
  context: PublicContext,
): Promise<PasskeyBegin> {
  const { account, holder } = await steps.pendingAt(context, 'mfa_required');
  const site = siteOf(context, publicUrl);
  return { options: await factors.passkeys.beginAuthentication(holder, account.id, site) };
}

/** Returns a new secret for an authenticator. */
async function beginTotp(
  { steps, factors }: FactorPages,
  context: PublicContext,
): Promise<TotpBegin> {
  const { account, holder } = await steps.pendingAt(context, 'mfa_unset');
  return factors.totp.begin(holder, account);
}

/** Adds the authenticator, after a code proves that it works, and continues the sign-in. */
async function confirmTotp(
  { steps, signIns, factors }: FactorPages,
  context: PublicContext,
): Promise<SignInAnswer & MfaEnrolled> {
  const { code } = readBody(context, CODE);
  const add = async (holder: string, account: { id: string }, tx: Tx) => {
    if (!(await factors.totp.confirm(holder, account.id, code, tx)))
      throw new Rejected('mfa_failed', {}, { error: 'mfa_failed' });
  };
  return steps.answer(context, await signIns.enroll(add, steps.pending(context)));
}

/** Returns the options for a new passkey. */
async function beginRegistration(
  { steps, factors, publicUrl }: FactorPages,
  context: PublicContext,
): Promise<PasskeyBegin> {
  const { account, holder } = await steps.pendingAt(context, 'mfa_unset');
  const site = siteOf(context, publicUrl);
  return { options: await factors.passkeys.beginRegistration(holder, account, site) };
}

/** Stores the new passkey and continues the sign-in. */
async function finishRegistration(
  { steps, signIns, factors, publicUrl }: FactorPages,
  context: PublicContext,
) {
  const body = objectBody(context);
  const { name } = readPart(body, { name: PASSKEY_NAME });
  const site = siteOf(context, publicUrl);
  const add = async (holder: string, account: { id: string }, tx: Tx) => {
    await factors.passkeys.finishRegistration(
      { holder, userId: account.id, name, response: body.response, site },
      tx,
    );
  };
  return steps.answer(context, await signIns.enroll(add, steps.pending(context)));
}

/**
 * Returns the options for a sign-in with a passkey alone. The challenge is bound to this browser:
 * an attacker cannot sign a user in to another account.
 */
async function beginPasskey(
  { steps, factors, publicUrl }: FactorPages,
  context: PublicContext,
): Promise<PasskeyBegin> {
  const site = siteOf(context, publicUrl);
  const ticket = randomToken();
  setTicket(context, ticket, steps.isSecure(context));
  return {
    options: await factors.passkeys.beginAuthentication(holderOf(ticket), undefined, site),
  };
}

/** Signs in with a passkey alone. */
async function finishPasskey(
  { steps, signIns, factors, publicUrl }: FactorPages,
  context: PublicContext,
) {
  const { response, next } = objectBody(context);
  const ticket = steps.ticket(context);
  const site = siteOf(context, publicUrl);
  const userId =
    ticket &&
    (await factors.passkeys.finishAuthentication(holderOf(ticket), undefined, response, site));
  if (!userId) throw new Rejected('passkey_failed', {}, { error: 'passkey_failed' });
  const visitor = steps.visitor(context);
  const outcome = await signIns.withProof(userId, 'passkey', {
    kind: 'browser',
    visitor,
    next: safeNext(next),
  });
  return steps.answer(context, outcome);
}

/** Routes for second factors and passkeys in sign-ins with a browser. */
export function mountBrowserFactors(steps: BrowserSteps, options: SignInRouteOptions): void {
  const pages: FactorPages = { ...options, steps };
  steps.post('/core/auth/login/mfa/', 'Prove the second factor.', (context) =>
    proveFactor(pages, context),
  );
  steps.post(
    '/core/auth/login/mfa/passkey/',
    'Options for proving the second factor with a passkey.',
    (context) => beginProof(pages, context),
  );
  steps.post(
    '/core/auth/login/enrol/totp/begin/',
    'Show the secret for an authenticator.',
    (context) => beginTotp(pages, context),
  );
  steps.post(
    '/core/auth/login/enrol/totp/confirm/',
    'Confirm the authenticator with a code, and go on.',
    (context) => confirmTotp(pages, context),
  );
  steps.post('/core/auth/login/enrol/passkey/begin/', 'Options for a new passkey.', (context) =>
    beginRegistration(pages, context),
  );
  steps.post(
    '/core/auth/login/enrol/passkey/finish/',
    'Keep the new passkey, and go on.',
    (context) => finishRegistration(pages, context),
  );
  steps.post(
    '/api/v1/authentication/passkey-login/begin/',
    'Options for signing in with a passkey alone.',
    (context) => beginPasskey(pages, context),
    { answer: PASSKEY_BEGIN },
  );
  steps.post(
    '/api/v1/authentication/passkey-login/finish/',
    'Sign in with a passkey alone.',
    (context) => finishPasskey(pages, context),
    { bodyShape: PASSKEY_SIGN_IN, answer: SIGN_IN_ANSWER },
  );
}
