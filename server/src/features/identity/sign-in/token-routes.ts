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
import { withLaterPrefix } from '../../../http/later-prefix.ts';
import { publicRoute, readBody } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { Forbidden, Rejected } from '../../../platform/errors.ts';
import { isOwnOrigin } from '../authenticator.ts';
import { type ProfileServices, profileOf } from '../profile/profile.ts';
import { CODE_BODY, DONE, REVIEW, TOKEN, TOKEN_BODY, TOKEN_PENDING } from '../wire-shapes.ts';
import { CHALLENGE_ANSWER, CREDENTIALS, objectBody, readProof } from './bodies.ts';
import { isRefused, type SignInRouteOptions, visitorOf } from './browser-steps.ts';
import { clearTicket, isSecure, setTicket, ticketOf } from './cookies.ts';
import type { Review } from './reviews.ts';
import type { Continuation, Outcome } from './types.ts';

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

type TokenSignInOptions = SignInRouteOptions & ProfileServices;

/** Formats the question that the server of the password asks. */
const challengeAnswer = (message: string, { language }: PublicContext): TokenChallenge => ({
  error: 'challenge_required',
  msg: say(ERRORS.challenge_required, language, { message }),
  data: { message, url: QUESTION_URL },
});

/** Formats the proof that is still required, and keeps the ticket of the sign-in. */
function pendingAnswer(
  outcome: Exclude<Outcome, { step: 'in' }>,
  context: PublicContext,
  secure: boolean,
): TokenPending | TokenReview | TokenChallenge {
  if (isRefused(outcome)) clearTicket(context, secure);
  else setTicket(context, outcome.ticket, secure, outcome.review !== undefined);
  if (outcome.review) return reviewAnswer(outcome.review, context.language);
  if (outcome.step === 'challenge') return challengeAnswer(outcome.message ?? '', context);
  const choices = outcome.factors.map((factor) => (factor === 'totp' ? 'code' : factor));
  return {
    error: 'mfa_required',
    msg: ERRORS.mfa_required[context.language],
    data: { choices, url: CHALLENGE_URL },
  };
}

/** Responds with the token, or with the proof that is still required. */
async function answerWith(
  options: TokenSignInOptions,
  context: PublicContext,
  outcome: Outcome,
): Promise<TokenAnswer | TokenPending | TokenReview | TokenChallenge> {
  const secure = isSecure(context, options.publicUrl);
  if (outcome.step !== 'in') return pendingAnswer(outcome, context, secure);
  clearTicket(context, secure);
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
}

/** Returns the pending sign-in of a script. */
const pendingIn = (context: PublicContext, options: TokenSignInOptions): Continuation => ({
  ticket: ticketIn(context, options),
  kind: 'bearer',
  visitor: visitorOf(context, 'A'),
});
const ticketIn = (context: PublicContext, { publicUrl }: TokenSignInOptions) =>
  ticketOf(context, isSecure(context, publicUrl));

/** @throws TooManyRequests; Forbidden for a page of another site */
async function assertOwnOrigin(
  { limit, publicUrl }: TokenSignInOptions,
  context: PublicContext,
): Promise<void> {
  await limit(context);
  if (!isOwnOrigin(context.request, publicUrl)) throw new Forbidden('origin_refused');
}

/** Signs in with a password. An empty body continues the sign-in of the ticket. */
async function signIn(options: TokenSignInOptions, context: PublicContext) {
  const { signIns } = options;
  await options.limit(context);
  const visitor = visitorOf(context, 'A');
  const ticket = ticketIn(context, options);
  if (ticket !== undefined && Object.keys(objectBody(context)).length === 0) {
    const question = await signIns.challengeOf(ticket, 'bearer');
    return question
      ? challengeAnswer(question.message, context)
      : answerWith(options, context, await signIns.resume({ ticket, kind: 'bearer', visitor }));
  }
  const { username, password } = readBody(context, CREDENTIALS);
  const outcome = await signIns.withPassword(username, password, {
    kind: 'bearer',
    visitor,
    ticket,
  });
  return answerWith(options, context, outcome);
}

/** Takes the answer to the question of the server of the password. */
async function answerQuestion(options: TokenSignInOptions, context: PublicContext) {
  await assertOwnOrigin(options, context);
  const { answer } = readBody(context, CHALLENGE_ANSWER);
  const outcome = await options.signIns.answerChallenge(answer, pendingIn(context, options));
  return answerWith(options, context, outcome);
}

async function showReview(
  options: TokenSignInOptions,
  context: PublicContext,
): Promise<TokenReview | typeof OK> {
  await options.limit(context);
  const ticket = ticketIn(context, options);
  const review = await options.signIns.review(ticket, visitorOf(context, 'A'));
  return review === 'approved' ? OK : reviewAnswer(review, context.language);
}

async function cancelSignIn(options: TokenSignInOptions, context: PublicContext) {
  await assertOwnOrigin(options, context);
  const ticket = ticketIn(context, options);
  if (ticket) await options.signIns.cancel(ticket);
  clearTicket(context, isSecure(context, options.publicUrl));
  // The reference returns an empty JSON string.
  context.reply.type('application/json');
  return JSON.stringify('');
}

async function proveFactor(options: TokenSignInOptions, context: PublicContext) {
  await assertOwnOrigin(options, context);
  const proof = readProof(context, options.publicUrl);
  await options.signIns.proveOnly(proof, pendingIn(context, options));
  return OK;
}

/** Routes for sign-ins with a script: a password, a code if required, then the token. */
export function mountTokenSignIn(app: FastifyInstance, options: TokenSignInOptions): void {
  for (const url of ['/api/v1/authentication/auth/', '/api/v1/authentication/tokens/'].flatMap(
    withLaterPrefix,
  ))
    publicRoute(app, {
      method: 'POST',
      url,
      summary: 'Sign in with a script: a bearer token.',
      bodyShape: TOKEN_BODY,
      answer: TOKEN,
      status: 201,
      otherAnswers: { 200: TOKEN_PENDING },
      handler: (context) => signIn(options, context),
    });
  publicRoute(app, {
    method: 'POST',
    url: QUESTION_URL,
    summary:
      'Answer the challenge of the server that checks the password. The response is that of a token request.',
    body: CHALLENGE_ANSWER,
    answer: TOKEN,
    status: 201,
    otherAnswers: { 200: TOKEN_PENDING },
    handler: (context) => answerQuestion(options, context),
  });
  publicRoute(app, {
    method: 'GET',
    url: REVIEW_URL,
    summary:
      'The decision of the reviewers of this sign-in. After an approval the next token request succeeds.',
    answer: REVIEW,
    handler: (context) => showReview(options, context),
  });
  publicRoute(app, {
    method: 'DELETE',
    url: REVIEW_URL,
    summary: 'Cancel a sign-in and close its ticket.',
    answer: samples(''),
    handler: (context) => cancelSignIn(options, context),
  });
  for (const url of withLaterPrefix(CHALLENGE_URL))
    publicRoute(app, {
      method: 'POST',
      url,
      summary: 'Prove the second factor of a sign-in with a script.',
      bodyShape: CODE_BODY,
      answer: DONE,
      bodyLimit: 65_536,
      handler: (context) => proveFactor(options, context),
    });
}
