import type { SignInPending } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { publicRoute, readBody } from '../../../http/route.ts';
import {
  ACCEPTED,
  CHALLENGE_ANSWER,
  CREDENTIALS,
  NEW_PASSWORD,
  objectBody,
  readFields,
} from './bodies.ts';
import { mountBrowserFactors } from './browser-factor-routes.ts';
import { BrowserSteps, pendingOf, type SignInRouteOptions } from './browser-steps.ts';
import { clearTicket } from './cookies.ts';
import { safeNext } from './provider-pages.ts';

/** Routes for sign-ins with a browser: each response names the next step. */
export function mountBrowserSignIn(app: FastifyInstance, options: SignInRouteOptions): void {
  const { signIns, authenticator } = options;
  const steps = new BrowserSteps(app, options);

  steps.post('/core/auth/login/', 'Sign in with a browser.', async (context) => {
    const { next, ...body } = objectBody(context);
    const { username, password } = readFields(body, CREDENTIALS);
    const beginning = {
      kind: 'browser',
      visitor: steps.visitor(context),
      next: safeNext(next),
    } as const;
    return steps.answer(context, await signIns.withPassword(username, password, beginning));
  });

  publicRoute(app, {
    method: 'GET',
    url: '/core/auth/login/state/',
    summary: 'The step that the sign-in of this browser has reached.',
    async handler(context): Promise<SignInPending> {
      const at = await signIns.currentStep(steps.ticket(context), 'browser');
      if (at) return pendingOf(at);
      const challenge = await signIns.challengeOf(steps.ticket(context), 'browser');
      if (challenge) return { state: 'challenge', factors: [], ...challenge };
      const here = await authenticator.authenticate(context.request);
      return {
        state: 'password',
        username: '',
        factors: [],
        ...(here?.session.kind === 'browser' && here.isValid && { signed_in: here.name }),
      };
    },
  });

  steps.post(
    '/core/auth/login/confirm/',
    'Go on when a reviewer has agreed; the first time, ask the reviewers.',
    async (context) => steps.answer(context, await signIns.resume(steps.pending(context))),
  );

  steps.post(
    '/core/auth/login/cancel/',
    'Forget a sign-in that is not complete.',
    async (context) => {
      const ticket = steps.ticket(context);
      if (ticket) await signIns.cancel(ticket);
      clearTicket(context, steps.isSecure(context));
      return {};
    },
  );

  steps.post(
    '/core/auth/login/leave/',
    'The page of a sign-in goes away: it is forgotten unless the page is there again within 10 seconds.',
    async (context) => {
      const ticket = steps.ticket(context);
      if (ticket) await signIns.leave(ticket);
      return {};
    },
  );

  steps.post(
    '/core/auth/login/challenge/',
    'Answer the question that the source of the password asked.',
    async (context) => {
      const { answer: text } = readBody(context, CHALLENGE_ANSWER);
      return steps.answer(context, await signIns.answerChallenge(text, steps.pending(context)));
    },
  );

  steps.post(
    '/core/auth/login/notice/',
    'Accept the text before sign-in, by its version.',
    async (context) => {
      const { version } = readBody(context, ACCEPTED);
      return steps.answer(context, await signIns.accept(version, steps.pending(context)));
    },
  );

  steps.post(
    '/core/auth/login/password/',
    'Choose a password in place of one that expired or that somebody else chose.',
    async (context) => {
      const { new_password, new_password_again } = readBody(context, NEW_PASSWORD);
      const outcome = await signIns.renew({
        ...steps.pending(context),
        password: new_password,
        again: new_password_again,
        language: context.language,
      });
      return steps.answer(context, outcome);
    },
  );

  mountBrowserFactors(steps, options);
}
