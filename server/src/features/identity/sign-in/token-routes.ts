import {
  ERRORS,
  formatDatetime,
  type Language,
  say,
  type TokenAnswer,
  type TokenChallenge,
  type TokenPending,
  type TokenReview,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { publicRoute, readBody } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { Forbidden, Rejected } from '../../../platform/errors.ts';
import { isOwnOrigin } from '../authenticator.ts';
import { profileOf } from '../profile/routes.ts';
import type { ProfileServices } from '../profile/services.ts';
import { CODE_BODY, DONE, REVIEW, TOKEN, TOKEN_BODY, TOKEN_PENDING } from '../wire-shapes.ts';
import { CHALLENGE_ANSWER, CREDENTIALS, objectBody, readProof } from './bodies.ts';
import { isRefused, type SignInRouteOptions, visitorOf } from './browser-steps.ts';
import { clearTicket, isSecure, setTicket, ticketOf } from './cookies.ts';
import type { Review } from './reviews.ts';
import type { Outcome } from './types.ts';

const CHALLENGE_URL = '/api/v1/authentication/mfa/challenge/';
const QUESTION_URL = '/api/v1/authentication/password/challenge/';
const REVIEW_URL = '/api/v1/authentication/login-confirm-ticket/status/';
const OK = { msg: 'ok' } as const;

const REFUSED = {
  rejected: { en: 'rejected', zh: '已被拒绝' },
  closed: { en: 'closed', zh: '已关闭' },
  missing: { en: 'not found', zh: '未找到' },
};

/** Formats the state of a review for clients (always with status 200). */
function reviewAnswer(review: Review | undefined, language: Language): TokenReview {
  const data = { ticket_id: review?.ticketId ?? '' };
  if (review?.state === 'open') {
    const names = review.reviewers.join(', ');
    return {
      error: 'login_confirm_wait',
      msg: say(ERRORS.login_confirm_wait, language, { names }),
      data,
    };
  }
  const how = REFUSED[review?.state === 'rejected' ? 'rejected' : review ? 'closed' : 'missing'];
  return {
    error: 'login_confirm_error',
    msg: say(ERRORS.login_confirm_error, language, { how: say(how, language) }),
    data,
  };
}

/** Routes for sign-ins with a script: a password, a code if required, then the token. */
export function mountTokenSignIn(
  app: FastifyInstance,
  options: SignInRouteOptions & ProfileServices,
): void {
  const { signIns, publicUrl } = options;

  const ticketIn = (context: PublicContext) => ticketOf(context, isSecure(context, publicUrl));

  const challengeAnswer = (message: string, { language }: PublicContext): TokenChallenge => ({
    error: 'challenge_required',
    msg: say(ERRORS.challenge_required, language, { message }),
    data: { message, url: QUESTION_URL },
  });

  /** Responds with the token, or with the proof that is still required. */
  const answerWith = async (
    outcome: Outcome,
    context: PublicContext,
  ): Promise<TokenAnswer | TokenPending | TokenReview | TokenChallenge> => {
    if (outcome.step !== 'in') {
      if (isRefused(outcome)) clearTicket(context, isSecure(context, publicUrl));
      else
        setTicket(
          context,
          outcome.ticket,
          isSecure(context, publicUrl),
          outcome.review !== undefined,
        );
      if (outcome.review) return reviewAnswer(outcome.review, context.language);
      if (outcome.step === 'challenge') return challengeAnswer(outcome.message ?? '', context);
      const choices = outcome.factors.map((factor) => (factor === 'totp' ? 'code' : factor));
      return {
        error: 'mfa_required',
        msg: ERRORS.mfa_required[context.language],
        data: { choices, url: CHALLENGE_URL },
      };
    }
    clearTicket(context, isSecure(context, publicUrl));
    context.request.headers.authorization = `Bearer ${outcome.token}`;
    const actor = await options.authenticator.authenticate(context.request);
    if (!actor) throw new Rejected('user_inactive', {}, { error: 'user_inactive' });
    context.reply.code(201);
    return {
      token: outcome.token,
      keyword: 'Bearer',
      date_expired: formatDatetime(outcome.dateExpired, context.zone),
      user: await profileOf({ ...context, actor }, options),
    };
  };

  for (const url of ['/api/v1/authentication/auth/', '/api/v1/authentication/tokens/']) {
    publicRoute(app, {
      method: 'POST',
      url,
      summary: 'Sign in with a script: a bearer token.',
      bodyShape: TOKEN_BODY,
      answer: TOKEN,
      status: 201,
      otherAnswers: { 200: TOKEN_PENDING },
      async handler(context) {
        await options.limit(context);
        const visitor = visitorOf(context, 'A');
        const ticket = ticketIn(context);
        if (ticket !== undefined && Object.keys(objectBody(context)).length === 0) {
          const question = await signIns.challengeOf(ticket, 'bearer');
          return question
            ? challengeAnswer(question.message, context)
            : answerWith(await signIns.resume(ticket, 'bearer', visitor), context);
        }
        const { username, password } = readBody(context, CREDENTIALS);
        return answerWith(
          await signIns.withPassword(String(username), String(password), {
            kind: 'bearer',
            visitor,
            ticket,
          }),
          context,
        );
      },
    });
  }

  publicRoute(app, {
    method: 'POST',
    url: QUESTION_URL,
    summary:
      'Answer the question that the server of the password asked; answered like the request for a token.',
    body: CHALLENGE_ANSWER,
    answer: TOKEN,
    status: 201,
    otherAnswers: { 200: TOKEN_PENDING },
    async handler(context) {
      await options.limit(context);
      if (!isOwnOrigin(context.request, publicUrl)) throw new Forbidden('origin_refused');
      const { answer } = readBody(context);
      return answerWith(
        await signIns.answerChallenge(
          ticketIn(context),
          String(answer),
          'bearer',
          visitorOf(context, 'A'),
        ),
        context,
      );
    },
  });

  publicRoute(app, {
    method: 'GET',
    url: REVIEW_URL,
    summary:
      'What the reviewers of this sign-in said; an approval lets the next request for a token through.',
    answer: REVIEW,
    async handler(context): Promise<TokenReview | typeof OK> {
      await options.limit(context);
      const review = await signIns.review(
        ticketOf(context, isSecure(context, publicUrl)),
        visitorOf(context, 'A'),
      );
      return review === 'approved' ? OK : reviewAnswer(review, context.language);
    },
  });

  publicRoute(app, {
    method: 'DELETE',
    url: REVIEW_URL,
    summary: 'Give up a sign-in; its ticket is closed.',
    answer: samples(''),
    async handler(context) {
      await options.limit(context);
      if (!isOwnOrigin(context.request, publicUrl)) throw new Forbidden('origin_refused');
      const ticket = ticketOf(context, isSecure(context, publicUrl));
      if (ticket) await signIns.cancel(ticket);
      clearTicket(context, isSecure(context, publicUrl));
      // The reference returns an empty JSON string.
      context.reply.type('application/json');
      return JSON.stringify('');
    },
  });

  publicRoute(app, {
    method: 'POST',
    url: CHALLENGE_URL,
    summary: 'Prove the second factor of a sign-in with a script.',
    bodyShape: CODE_BODY,
    answer: DONE,
    bodyLimit: 65_536,
    async handler(context) {
      await options.limit(context);
      if (!isOwnOrigin(context.request, publicUrl)) throw new Forbidden('origin_refused');
      await signIns.proveOnly(
        ticketOf(context, isSecure(context, publicUrl)),
        readProof(context, publicUrl),
        'bearer',
        visitorOf(context, 'A'),
      );
      return { msg: 'ok' };
    },
  });
}
