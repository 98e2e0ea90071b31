import type { IncomingMessage } from 'node:http';
import { pipeline, Transform } from 'node:stream';
import { type ErrorCode, INSTANT_ACCESS_END, type Problem } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { publicRoute } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { partOf, Work } from '../../platform/db/work.ts';
import { AppError, Unauthenticated } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { type ClusterGateway, problemOf, Refusal, wordProblem } from '../connections/index.ts';
import type { RateLimit } from '../identity/index.ts';
import { returnedHeaders, sentHeaders } from './answer.ts';
import { bodyOf, judge } from './bodies.ts';
import { type KubeRequest, parseKubeRequest, UnclearRequest } from './kube-request.ts';
import type { LiveSessions } from './live-sessions.ts';
import { decideRequest, sendRequest, textOf } from './relay-request.ts';
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
  [INSTANT_ACCESS_END.code]: 403,
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

/** Relays a request, and its answer as a stream. */
async function relay(relayed: Relayed): Promise<FastifyReply> {
  const { request, reply, meaning } = relayed;
  const earlier = repeatedRefusal(relayed);
  if (earlier) throw new Refusal(earlier.code, earlier.params);
  const identity = await decideRequest(relayed, (problem) => rememberRefusal(relayed, problem));
  if (meaning.upgrade) return relayUpgrade(relayed, textOf(relayed));
  const { answer } = await sendRequest(relayed, identity, {
    response: reply.raw,
    isRefusal,
    async prepare(signal) {
      const judged = meaning.holdsPods ? await judge(relayed, identity, signal) : undefined;
      return {
        headers: { ...sentHeaders(request.headers), ...judged?.headers },
        body: judged?.body ?? bodyOf(request),
        ...(judged && { identity: judged.identity }),
      };
    },
  });
  return stream(relayed, answer);
}

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

/**
 * Returns true for a request of a web page. Programs such as the client of Python name an origin
 * when they open a WebSocket, and authenticate by a header that no page can add to one.
 */
function isFromPage({ headers }: FastifyRequest): boolean {
  if (headers['sec-fetch-site'] !== undefined) return true;
  const isProgram =
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers.authorization !== undefined &&
    headers.cookie === undefined;
  return headers.origin !== undefined && !isProgram;
}

/** Serves one request of a kubeconfig. */
async function serve(options: ProxyOptions, context: PublicContext): Promise<FastifyReply> {
  const { request, reply } = context;
  let language = context.language;
  try {
    if (isFromPage(request)) throw new Refusal('cluster_browser');
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
