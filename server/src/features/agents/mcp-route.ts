import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { publicRoute } from '../../http/route.ts';
import { type Actor, displayName } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { Forbidden, Unauthenticated } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import {
  type AgentAuthenticator,
  countUse,
  createAllowance,
  isOwnOrigin,
  type RateLimit,
  siteOf,
} from '../identity/index.ts';
import type { WantedAccess } from './access-requests.ts';
import type { CallAnswer } from './answers.ts';
import type { AgentCalls } from './calls.ts';
import { SCOPE } from './oauth/sign-in-routes.ts';
import { signInOfToken } from './oauth/tokens.ts';
import { agentOfSignIn, type LiveAgent } from './store.ts';
import type { Targets } from './targets.ts';

export interface McpOptions {
  readonly db: Db;
  /** Returns false while the installation has no agents. */
  readonly areAllowed: () => boolean;
  readonly publicUrl: string | undefined;
  readonly authenticateAgent: AgentAuthenticator['authenticateAgent'];
  /** Rate limit of addresses that send wrong tokens. */
  readonly limit: RateLimit;
  readonly calls: AgentCalls;
  readonly targets: Targets;
  readonly requestAccess: (
    asking: { readonly agent: LiveAgent; readonly actor: Actor },
    access: WantedAccess,
  ) => Promise<CallAnswer>;
  readonly log: Logger;
}

/** Maximum bytes of a request. */
const MAX_BODY = 256 * 1024;
/** Requests of one agent at once, and the refill per second. */
const BURST = 200;
const PER_SECOND = 20;
/** Interval of comments that keep a waiting answer alive. */
const KEEP_ALIVE_MS = 15_000;
/** Headers that the protocol reads. Others, such as the token, do not reach it. */
const HEADERS = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
] as const;

const sdk = () => import('@modelcontextprotocol/server');
const tools = () => import('./tools.ts');

/** Returns the owner and the agent of a token. @throws Unauthenticated */
async function authenticate(
  { authenticateAgent, db, publicUrl }: McpOptions,
  context: PublicContext,
): Promise<{ readonly actor: Actor; readonly agent: LiveAgent }> {
  const { request, reply } = context;
  const actor = await authenticateAgent(request, (token) => signInOfToken(token, db));
  const agent = actor?.isValid ? await agentOfSignIn(actor.session.id, db) : undefined;
  if (actor && agent) return { actor, agent };
  const site = siteOf(context, publicUrl);
  const wrong = request.headers.authorization === undefined ? '' : 'error="invalid_token", ';
  // By the address of the metadata, programs find the way to sign in.
  const metadata = `resource_metadata="${site}/.well-known/oauth-protected-resource/mcp"`;
  reply.header('www-authenticate', `Bearer ${wrong}${metadata}, scope="${SCOPE}"`);
  throw new Unauthenticated('agent_token');
}

/**
 * Serves the Model Context Protocol, of revision 2026-07-28 and of those with `initialize`. Each
 * request carries the token of an agent and is served on its own.
 */
export function mountMcp(app: FastifyInstance, options: McpOptions): void {
  const allowance = createAllowance(BURST, PER_SECOND);
  publicRoute(app, {
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    summary: 'The Model Context Protocol, for agents with a token.',
    bodyLimit: MAX_BODY,
    async handler(context) {
      const { request, reply } = context;
      if (!options.areAllowed()) throw new Forbidden('agents_off');
      // The protocol demands the check, although a page of another site has no token.
      if (!isOwnOrigin(request, options.publicUrl) || canBeRebound(request, options.publicUrl))
        throw new Forbidden('origin_refused');
      const { actor, agent } = await options.limit.ofSecret(context, () =>
        authenticate(options, context),
      );
      // A batch of an older revision counts like its messages.
      for (let more = messagesIn(request.body); more > 0; more--) countUse(allowance, agent.id);
      const left = new AbortController();
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) left.abort();
      });
      // The client may have left while its token was checked.
      if (reply.raw.destroyed) left.abort();
      const [{ createMcpHandler }, { createAgentServer }] = await Promise.all([sdk(), tools()]);
      const { calls, targets, log } = options;
      const person = {
        userId: actor.userId,
        username: actor.username,
        display: `${displayName(actor)} [${[agent.name, agent.client].filter(Boolean).join(', ')}]`,
        language: 'en',
        remoteAddr: request.ip,
        loginFrom: 'WT',
        loginId: actor.session.id,
      } as const;
      const handler = createMcpHandler(
        () =>
          createAgentServer({
            agent,
            person,
            calls,
            targets,
            requestAccess: (access) => options.requestAccess({ agent, actor }, access),
            log,
            left: left.signal,
          }),
        // The list of tools never changes: nothing is worth a subscription.
        { responseMode: 'sse', maxSubscriptions: 0, keepAliveMs: KEEP_ALIVE_MS },
      );
      const answer = await handler.fetch(webRequest(request, left.signal), {
        ...(request.body !== undefined && { parsedBody: request.body }),
      });
      reply.code(answer.status).header('cache-control', 'no-store');
      for (const name of ['content-type', 'allow', 'mcp-session-id'])
        if (answer.headers.has(name)) reply.header(name, answer.headers.get(name));
      if (!answer.body) return reply.send();
      return reply.send(Readable.fromWeb(answer.body as ReadableStream));
    },
  });
}

/**
 * Returns true for a page at a name that an attacker could point at this server (DNS rebinding). It
 * has the same host as the request and looks like an own page. Programs send no origin.
 */
function canBeRebound({ headers, host, hostname }: FastifyRequest, publicUrl: string | undefined) {
  if (headers.origin === undefined || hostname === 'localhost') return false;
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  return publicUrl === undefined || host !== new URL(publicUrl).host;
}

const messagesIn = (body: unknown): number => (Array.isArray(body) ? Math.max(1, body.length) : 1);

/** Returns the request for the protocol. Its body travels parsed. */
function webRequest({ method, headers }: FastifyRequest, signal: AbortSignal): Request {
  const passed = new Headers();
  for (const name of HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') passed.set(name, value);
  }
  return new Request('http://localhost/mcp', { method, headers: passed, signal });
}
