import type {
  MfaEnrolled,
  PasskeyBegin,
  SignInAnswer,
  SignInPending,
  TotpBegin,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { type Authenticator, publicRoute, readBody } from '../../../http/route.ts';
import type { Shape } from '../../../http/shapes.ts';
import { randomToken } from '../../../platform/crypto/token.ts';
import { Rejected } from '../../../platform/errors.ts';
import type { SettingsService } from '../../settings/service.ts';
import { siteOf } from '../mfa/passkeys.ts';
import type { SecondFactors } from '../mfa/second-factors.ts';
import { PASSKEY_BEGIN, PASSKEY_SIGN_IN, SIGN_IN_ANSWER } from '../wire-shapes.ts';
import {
  CHALLENGE_ANSWER,
  CODE,
  CREDENTIALS,
  NEW_PASSWORD,
  objectBody,
  PASSKEY_NAME,
  readPart,
  readProof,
} from './bodies.ts';
import {
  assertOwnPage,
  clearTicket,
  isSecure,
  setSession,
  setTicket,
  ticketOf,
} from './cookies.ts';
import { holderOf } from './pending.ts';
import type { RateLimit } from './rate-limit.ts';
import { safeNext } from './safe-next.ts';
import type { Outcome, PendingStep, SignInService, Visitor } from './types.ts';

export interface SignInRouteOptions {
  readonly signIns: SignInService;
  readonly factors: SecondFactors;
  readonly settings: SettingsService;
  readonly publicUrl: string | undefined;
  readonly limit: RateLimit;
  readonly authenticator: Authenticator;
}

/** Where a request comes from, for the logs and the limits. */
export const visitorOf = ({ request }: PublicContext, type: Visitor['type']): Visitor => ({
  remoteAddress: request.ip,
  userAgent: String(request.headers['user-agent'] ?? ''),
  type,
});

/** What a browser reads of a step. */
const pendingOf = ({
  step: state,
  username,
  factors,
  reason,
  review,
  message,
}: PendingStep): SignInPending => ({
  state,
  username,
  factors,
  ...(reason && { reason }),
  ...(message !== undefined && { message }),
  ...(review && {
    review: { ticket_id: review.ticketId, state: review.state, reviewers: review.reviewers },
  }),
});

/** Whether a sign-in ended with what its reviewers said. */
export const isRefused = ({ review }: Pick<PendingStep, 'review'>): boolean =>
  review?.state === 'rejected' || review?.state === 'closed';

/** Sign-in with a browser: each answer names the next step. */
export function mountBrowserSignIn(app: FastifyInstance, options: SignInRouteOptions): void {
  const { signIns, factors, settings, publicUrl } = options;

  const answer = (context: PublicContext, outcome: Outcome): SignInAnswer => {
    const secure = isSecure(context, publicUrl);
    if (outcome.step !== 'in') {
      if (isRefused(outcome)) clearTicket(context, secure);
      else setTicket(context, outcome.ticket, secure, outcome.review !== undefined);
      return pendingOf(outcome);
    }
    clearTicket(context, isSecure(context, publicUrl));
    setSession(context, outcome.token, settings.get('SESSION_COOKIE_AGE'), secure);
    return {
      next: outcome.next,
      ...(outcome.recoveryCodes && { recovery_codes: outcome.recoveryCodes }),
    };
  };

  type Wire = { readonly bodyShape?: Shape; readonly answer?: Shape };
  const post = (
    url: string,
    summary: string,
    handler: (context: PublicContext) => Promise<unknown>,
    wire: Wire = {},
  ) =>
    publicRoute(app, {
      method: 'POST',
      url,
      summary,
      ...wire,
      bodyLimit: 65_536,
      async handler(context) {
        await options.limit(context);
        assertOwnPage(context, publicUrl);
        return handler(context);
      },
    });

  const web = (context: PublicContext) => visitorOf(context, 'W');

  /** The sign-in that is at a step, with its holder. @throws AppError session_empty */
  const standing = async (context: PublicContext, step: 'mfa_required' | 'mfa_unset') => {
    const at = await signIns.currentStep(
      ticketOf(context, isSecure(context, publicUrl)),
      'browser',
    );
    if (at?.step !== step) throw new Rejected('session_empty', {}, { error: 'session_empty' });
    return {
      account: { id: at.userId, username: at.username, name: at.name },
      holder: holderOf(at.ticket),
    };
  };

  post('/core/auth/login/', 'Sign in with a browser.', async (context) => {
    const { next, ...body } = objectBody(context);
    const { username, password } = readBody(
      { ...context, request: Object.assign(Object.create(context.request), { body }) },
      CREDENTIALS,
    );
    const beginning = { kind: 'browser', visitor: web(context), next: safeNext(next) } as const;
    return answer(
      context,
      await signIns.withPassword(String(username), String(password), beginning),
    );
  });

  publicRoute(app, {
    method: 'GET',
    url: '/core/auth/login/state/',
    summary: 'The step that the sign-in of this browser has reached.',
    async handler(context): Promise<SignInPending> {
      const at = await signIns.currentStep(
        ticketOf(context, isSecure(context, publicUrl)),
        'browser',
      );
      if (at) return pendingOf(at);
      const asked = await signIns.challengeOf(
        ticketOf(context, isSecure(context, publicUrl)),
        'browser',
      );
      if (asked) return { state: 'challenge', factors: [], ...asked };
      const here = await options.authenticator.authenticate(context.request);
      return {
        state: 'password',
        username: '',
        factors: [],
        ...(here?.session.kind === 'browser' && here.isValid && { signed_in: here.name }),
      };
    },
  });

  post(
    '/core/auth/login/confirm/',
    'Go on when a reviewer has agreed; the first time, ask the reviewers.',
    async (context) =>
      answer(
        context,
        await signIns.resume(
          ticketOf(context, isSecure(context, publicUrl)),
          'browser',
          web(context),
        ),
      ),
  );

  post('/core/auth/login/cancel/', 'Forget a sign-in that is not complete.', async (context) => {
    const ticket = ticketOf(context, isSecure(context, publicUrl));
    if (ticket) await signIns.cancel(ticket);
    clearTicket(context, isSecure(context, publicUrl));
    return {};
  });

  post(
    '/core/auth/login/leave/',
    'The page of a sign-in goes away: it is forgotten unless the page is there again within 10 seconds.',
    async (context) => {
      const ticket = ticketOf(context, isSecure(context, publicUrl));
      if (ticket) await signIns.leave(ticket);
      return {};
    },
  );

  post(
    '/core/auth/login/challenge/',
    'Answer the question that the source of the password asked.',
    async (context) => {
      const { answer: given } = readBody(context, CHALLENGE_ANSWER);
      return answer(
        context,
        await signIns.answerChallenge(
          ticketOf(context, isSecure(context, publicUrl)),
          String(given),
          'browser',
          web(context),
        ),
      );
    },
  );

  post(
    '/core/auth/login/password/',
    'Choose a password in place of one that expired or that somebody else chose.',
    async (context) => {
      const { new_password, new_password_again } = readBody(context, NEW_PASSWORD);
      const outcome = await signIns.renew(
        ticketOf(context, isSecure(context, publicUrl)),
        String(new_password),
        String(new_password_again),
        context.language,
        'browser',
        web(context),
      );
      return answer(context, outcome);
    },
  );

  post('/core/auth/login/mfa/', 'Prove the second factor.', async (context) =>
    answer(
      context,
      await signIns.prove(
        ticketOf(context, isSecure(context, publicUrl)),
        readProof(context, publicUrl),
        'browser',
        web(context),
      ),
    ),
  );

  post(
    '/core/auth/login/mfa/passkey/',
    'Options for proving the second factor with a passkey.',
    async (context): Promise<PasskeyBegin> => {
      const { account, holder } = await standing(context, 'mfa_required');
      return {
        options: await factors.passkeys.beginAuthentication(
          holder,
          account.id,
          siteOf(context, publicUrl),
        ),
      };
    },
  );

  post(
    '/core/auth/login/enrol/totp/begin/',
    'Show the secret for an authenticator.',
    async (context): Promise<TotpBegin> => {
      const { account, holder } = await standing(context, 'mfa_unset');
      return factors.totp.begin(holder, account);
    },
  );

  post(
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
      return answer(
        context,
        await signIns.enroll(
          ticketOf(context, isSecure(context, publicUrl)),
          add,
          'browser',
          web(context),
        ),
      );
    },
  );

  post(
    '/core/auth/login/enrol/passkey/begin/',
    'Options for a new passkey.',
    async (context): Promise<PasskeyBegin> => {
      const { account, holder } = await standing(context, 'mfa_unset');
      return {
        options: await factors.passkeys.beginRegistration(
          holder,
          account,
          siteOf(context, publicUrl),
        ),
      };
    },
  );

  post(
    '/core/auth/login/enrol/passkey/finish/',
    'Keep the new passkey, and go on.',
    async (context) => {
      const body = objectBody(context);
      const { name } = readPart(body, { name: PASSKEY_NAME });
      const site = siteOf(context, publicUrl);
      const outcome = await signIns.enroll(
        ticketOf(context, isSecure(context, publicUrl)),
        async (holder, account, tx) => {
          await factors.passkeys.finishRegistration(
            holder,
            account.id,
            String(name),
            body.response,
            site,
            tx,
          );
        },
        'browser',
        web(context),
      );
      return answer(context, outcome);
    },
  );

  // A passkey alone: the challenge is bound to this browser, so that an attacker cannot sign a user in to another account.
  post(
    '/api/v1/authentication/passkey-login/begin/',
    'Options for signing in with a passkey alone.',
    async (context): Promise<PasskeyBegin> => {
      const site = siteOf(context, publicUrl);
      const ticket = randomToken();
      setTicket(context, ticket, isSecure(context, publicUrl));
      return {
        options: await factors.passkeys.beginAuthentication(holderOf(ticket), undefined, site),
      };
    },
    { answer: PASSKEY_BEGIN },
  );

  post(
    '/api/v1/authentication/passkey-login/finish/',
    'Sign in with a passkey alone.',
    async (context) => {
      const { response, next } = objectBody(context);
      const ticket = ticketOf(context, isSecure(context, publicUrl));
      const userId =
        ticket &&
        (await factors.passkeys.finishAuthentication(
          holderOf(ticket),
          undefined,
          response,
          siteOf(context, publicUrl),
        ));
      if (!userId) throw new Rejected('passkey_failed', {}, { error: 'passkey_failed' });
      return answer(
        context,
        await signIns.withProof(userId, 'passkey', {
          kind: 'browser',
          visitor: web(context),
          next: safeNext(next),
        }),
      );
    },
    { bodyShape: PASSKEY_SIGN_IN, answer: SIGN_IN_ANSWER },
  );
}
