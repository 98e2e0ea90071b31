import type { MfaEnrolled, PasskeyBegin, SignInAnswer, TotpBegin } from '@sallyport/contract';
import { readBody } from '../../../http/route.ts';
import { randomToken } from '../../../platform/crypto/token.ts';
import { Rejected } from '../../../platform/errors.ts';
import { siteOf } from '../mfa/passkeys.ts';
import { PASSKEY_BEGIN, PASSKEY_SIGN_IN, SIGN_IN_ANSWER } from '../wire-shapes.ts';
import { CODE, objectBody, PASSKEY_NAME, readPart, readProof } from './bodies.ts';
import type { BrowserSteps, SignInRouteOptions } from './browser-steps.ts';
import { setTicket } from './cookies.ts';
import { holderOf } from './pending.ts';
import { safeNext } from './provider-pages.ts';

/** Routes for second factors and passkeys in sign-ins with a browser. */
export function mountBrowserFactors(
  steps: BrowserSteps,
  { signIns, factors, publicUrl }: SignInRouteOptions,
): void {
  steps.post('/core/auth/login/mfa/', 'Prove the second factor.', async (context) =>
    steps.answer(
      context,
      await signIns.prove(
        steps.ticket(context),
        readProof(context, publicUrl),
        'browser',
        steps.visitor(context),
      ),
    ),
  );

  steps.post(
    '/core/auth/login/mfa/passkey/',
    'Options for proving the second factor with a passkey.',
    async (context): Promise<PasskeyBegin> => {
      const { account, holder } = await steps.pendingAt(context, 'mfa_required');
      return {
        options: await factors.passkeys.beginAuthentication(
          holder,
          account.id,
          siteOf(context, publicUrl),
        ),
      };
    },
  );

  steps.post(
    '/core/auth/login/enrol/totp/begin/',
    'Show the secret for an authenticator.',
    async (context): Promise<TotpBegin> => {
      const { account, holder } = await steps.pendingAt(context, 'mfa_unset');
      return factors.totp.begin(holder, account);
    },
  );

  steps.post(
    '/core/auth/login/enrol/totp/confirm/',
    'Confirm the authenticator with a code, and go on.',
    async (context): Promise<SignInAnswer & MfaEnrolled> => {
      const { code } = readBody(context, CODE);
      const add = async (
        holder: string,
        account: { id: string },
        tx: Parameters<typeof factors.totp.confirm>[3],
      ) => {
        if (!(await factors.totp.confirm(holder, account.id, String(code), tx)))
          throw new Rejected('mfa_failed', {}, { error: 'mfa_failed' });
      };
      return steps.answer(
        context,
        await signIns.enroll(steps.ticket(context), add, 'browser', steps.visitor(context)),
      );
    },
  );

  steps.post(
    '/core/auth/login/enrol/passkey/begin/',
    'Options for a new passkey.',
    async (context): Promise<PasskeyBegin> => {
      const { account, holder } = await steps.pendingAt(context, 'mfa_unset');
      return {
        options: await factors.passkeys.beginRegistration(
          holder,
          account,
          siteOf(context, publicUrl),
        ),
      };
    },
  );

  steps.post(
    '/core/auth/login/enrol/passkey/finish/',
    'Keep the new passkey, and go on.',
    async (context) => {
      const body = objectBody(context);
      const { name } = readPart(body, { name: PASSKEY_NAME });
      const site = siteOf(context, publicUrl);
      const outcome = await signIns.enroll(
        steps.ticket(context),
        async (holder, account, tx) => {
          await factors.passkeys.finishRegistration(
            { holder, userId: account.id, name: String(name), response: body.response, site },
            tx,
          );
        },
        'browser',
        steps.visitor(context),
      );
      return steps.answer(context, outcome);
    },
  );

  // A passkey alone: the challenge is bound to this browser, so that an attacker cannot sign a user
  // in to another account.
  steps.post(
    '/api/v1/authentication/passkey-login/begin/',
    'Options for signing in with a passkey alone.',
    async (context): Promise<PasskeyBegin> => {
      const site = siteOf(context, publicUrl);
      const ticket = randomToken();
      setTicket(context, ticket, steps.isSecure(context));
      return {
        options: await factors.passkeys.beginAuthentication(holderOf(ticket), undefined, site),
      };
    },
    { answer: PASSKEY_BEGIN },
  );

  steps.post(
    '/api/v1/authentication/passkey-login/finish/',
    'Sign in with a passkey alone.',
    async (context) => {
      const { response, next } = objectBody(context);
      const ticket = steps.ticket(context);
      const userId =
        ticket &&
        (await factors.passkeys.finishAuthentication(
          holderOf(ticket),
          undefined,
          response,
          siteOf(context, publicUrl),
        ));
      if (!userId) throw new Rejected('passkey_failed', {}, { error: 'passkey_failed' });
      return steps.answer(
        context,
        await signIns.withProof(userId, 'passkey', {
          kind: 'browser',
          visitor: steps.visitor(context),
          next: safeNext(next),
        }),
      );
    },
    { bodyShape: PASSKEY_SIGN_IN, answer: SIGN_IN_ANSWER },
  );
}
