import type { IncomingMessage } from 'node:http';
import { pipeline, Transform } from 'node:stream';
import type { ErrorCode, Problem } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { publicRoute } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { partOf, Work } from '../../platform/db/work.ts';
import { AppError, Unauthenticated } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import {
  type ClusterGateway,
  type ClusterSession,
  problemOf,
  Refusal,
  wordProblem,
} from '../connections/index.ts';
import type { RateLimit } from '../identity/index.ts';
import { returnedHeaders, sentHeaders } from './answer.ts';
import { bodyOf, type Judging, judge } from './bodies.ts';
import { type KubeRequest, parseKubeRequest, UnclearRequest } from './kube-request.ts';
import type { LiveSessions } from './live-sessions.ts';
import { decide, kindName, placeOf, stillAllows } from './rights.ts';
import { answerStatus } from './status.ts';
import { findToken, type LiveToken } from './tokens.ts';
import { relayUpgrade, rememberRefusal, repeatedRefusal, type Upgrading } from './upgrades.ts';

export interface ProxyOptions {
  readonly db: Db;
  readonly limit: RateLimit;
  readonly isSignedIn: (loginId: string) => Promise<boolean>;
  readonly sessions: LiveSessions;
  readonly gateway: () => ClusterGateway;
  readonly log: Logger;
}

export const PROXY_PATH = '/k8s/';
const ADDRESS = /^\/k8s\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\/.*)$/;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY = 429;

/** Statuses of problems; any other problem of a connection is 503. */
const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  cluster_busy: 429,
  session_limit: 429,
  cluster_body: 413,
  cluster_unclear: 400,
  cluster_unread: 403,
  not_found: 404,
  cluster_verb: 403,
  cluster_action: 403,
  cluster_kind: 403,
  cluster_user: 403,
  cluster_other: 403,
  cluster_browser: 403,
  cluster_upgrade: 403,
  connect_cluster_command: 403,
  command_refused: 403,
  shell_unguarded: 403,
  input_locked: 403,
  connect_denied: 403,
  connect_expired: 403,
  connect_condition: 403,
  connect_approval_needed: 403,
  connect_approval_rejected: 403,
  connect_approval_expired: 403,
  connect_approval_nobody: 403,
  session_emergency_ended: 403,
  session_terminated: 401,
  session_signed_out: 401,
  session_cluster_token: 401,
  connect_cluster_account: 502,
  connect_cluster_answer: 502,
};

/** Returns the status of a refusal; 503 for a connection that failed. */
const statusOf = (error: unknown, { code, params }: Problem): number =>
  Number(params?.status) ||
  (error instanceof AppError && error.kind === 'too_many' ? TOO_MANY : (STATUSES[code] ?? 503));

const isRefusal = ({ code }: Problem): boolean => STATUSES[code] === FORBIDDEN;

/** Returns the token of a request. */
const tokenOf = ({ headers }: FastifyRequest): string =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';

/** Returns the token of a request while its sign-in is valid. @throws Unauthenticated */
async function authenticate(
  { db, isSignedIn }: ProxyOptions,
  { request }: PublicContext,
): Promise<LiveToken> {
  const token = await findToken(tokenOf(request), db);
  if (!token || !(await isSignedIn(token.loginId))) throw new Unauthenticated('cluster_token');
  return token;
}

/** A request with its answer and its token. */
type Relayed = Upgrading;

/** Returns the line of a request in the command log. */
const lineOf = ({ verb, group, resource, subresource, nonResource, ...place }: KubeRequest) =>
  nonResource === undefined
    ? `${verb} ${kindName(group, resource, subresource)} ${placeOf(place)}`
    : `${verb} ${nonResource}`;

/** Returns the text of a request in the command log. */
const textOf = ({ meaning, request }: Judging): string =>
  `${lineOf(meaning)} (${request.method} ${meaning.target})`;

/** Writes a refused request into the log. */
async function refuse(relayed: Relayed, problem: Problem): Promise<never> {
  const { session, token } = relayed;
  const words = wordProblem(problem, token.language);
  const text = textOf(relayed);
  rememberRefusal(relayed, problem);
  await session.log({ text, outcome: words, isRefused: true });
  throw new Refusal(problem.code, problem.params);
}

/** Relays a request, and its answer as a stream. */
async function relay(relayed: Relayed): Promise<FastifyReply> {
  const { request, reply, session, meaning, token } = relayed;
  const earlier = repeatedRefusal(relayed);
  if (earlier) throw new Refusal(earlier.code, earlier.params);
  if (session.stopped) return refuse(relayed, session.stopped);
  const decision = decide(meaning, session.rules);
  if ('refusal' in decision) return refuse(relayed, decision.refusal);
  if (meaning.upgrade) return relayUpgrade(relayed, textOf(relayed));
  const controller = session.begin({
    isAllowed: (rules) => stillAllows(meaning, rules, decision),
    until: token.dateExpired,
  });
  const leave = () => session.done(controller);
  reply.raw.once('close', leave);
  if (reply.raw.destroyed) {
    // The client left during the checks, so there is no event any more.
    leave();
    throw new Refusal('session_finished');
  }
  const began = performance.now();
  const text = textOf(relayed);
  const log = (outcome: string) =>
    session.log({ text, outcome, milliseconds: Math.round(performance.now() - began) });
  let answer: IncomingMessage;
  try {
    const judged = meaning.holdsPods
      ? await judge(relayed, decision, controller.signal)
      : undefined;
    answer = await session.request(
      {
        method: request.method,
        path: meaning.target,
        headers: { ...sentHeaders(request.headers), ...judged?.headers },
        body: judged?.body ?? bodyOf(request),
      },
      judged?.identity ?? decision,
      controller.signal,
    );
  } catch (error) {
    leave();
    const problem = problemOf(error);
    const outcome = wordProblem(problem, token.language);
    if (!session.isOver) await session.log({ text, outcome, isRefused: isRefusal(problem) });
    throw error;
  }
  try {
    const status = answer.statusCode ?? 0;
    // The client must not take a refusal of the bastion's account for one of the token.
    if (status === UNAUTHORIZED) throw new Refusal('connect_cluster_account', accountOf(session));
    await log(String(status));
  } catch (error) {
    answer.destroy();
    leave();
    throw error;
  }
  return stream(relayed, answer);
}

const accountOf = ({ row: { grant } }: ClusterSession) => ({
  host: `${grant.asset.ip}:${grant.asset.port}`,
  account: grant.systemUser.name,
});

/** Streams an answer. Only clients with the token read it, so no page may use it. */
function stream({ reply, request, session, meaning, token }: Relayed, answer: IncomingMessage) {
  // A watch is silent for longer than other answers.
  if (meaning.isStream) request.raw.socket.setTimeout(0);
  const passing = new Transform({
    transform(chunk, _encoding, done) {
      session.passed();
      done(null, chunk);
    },
  });
  pipeline(answer, passing, () => undefined);
  return reply
    .code(answer.statusCode ?? 502)
    .headers(returnedHeaders(answer.headers, `${PROXY_PATH}${token.clusterId}`))
    .header('content-security-policy', "sandbox; default-src 'none'")
    .header('content-disposition', 'attachment')
    .send(passing);
}

/** Serves one request of a kubeconfig. */
async function serve(options: ProxyOptions, context: PublicContext): Promise<FastifyReply> {
  const { request, reply } = context;
  let language = context.language;
  try {
    if (request.headers.origin !== undefined) throw new Refusal('cluster_browser');
    const [, clusterId, rest = ''] = ADDRESS.exec(request.raw.url ?? '') ?? [];
    if (clusterId === undefined) throw new Refusal('not_found');
    const token = await options.limit.ofSecret(context, () => authenticate(options, context));
    language = token.language;
    if (clusterId !== token.clusterId) throw new Refusal('cluster_other');
    const meaning = readMeaning(request, rest);
    const { sessions, gateway } = options;
    const session = await sessions.of(token, request.ip);
    const recheck = () => sessions.check(session, request.ip);
    return await relay({ request, reply, session, meaning, recheck, token, gateway });
  } catch (error) {
    if (reply.sent) return reply;
    if (error instanceof Unauthenticated)
      return answerStatus(reply, UNAUTHORIZED, wordProblem({ code: 'cluster_token' }, language));
    const problem = problemOf(error);
    if (problem.code === 'internal' && !reply.raw.destroyed)
      options.log.error({ err: error }, 'a request to a cluster failed');
    // The unread rest of a body would hold the connection.
    request.raw.unpipe();
    request.raw.resume();
    return answerStatus(reply, statusOf(error, problem), wordProblem(problem, language));
  }
}

/** Returns the meaning of a request. @throws Refusal */
function readMeaning({ method, headers }: FastifyRequest, rest: string): KubeRequest {
  try {
    return parseKubeRequest(method, rest, headers.upgrade);
  } catch (error) {
    if (error instanceof UnclearRequest)
      throw new Refusal('cluster_unclear', { message: error.message });
    throw error;
  }
}

/** Mounts the addresses of API servers for clients with the token of a kubeconfig. */
export async function mountProxy(app: FastifyInstance, options: ProxyOptions): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Bodies pass as they are.
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    publicRoute(scope, {
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: `${PROXY_PATH}:cluster/*`,
      summary: 'The API server of a cluster, for clients with the token of a kubeconfig.',
      // A session outlives the request that opens it, which may be stopped: its timers and checks
      // must not belong to this request.
      handler: (context) => partOf(new Work(), () => serve(options, context)),
    });
  });
}
