import { AGENT_CONSENT_PAGE } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { publicRoute } from '../../../http/route.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import { Forbidden } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import { goTo, type RateLimit, siteOf } from '../../identity/index.ts';
import { findClient, registerClient } from './clients.ts';
import { beginConsent } from './consents.ts';
import { oauthProblem, textsOf } from './problems.ts';
import { answerAt, registeredRedirect } from './redirects.ts';
import { type Exchanged, exchangeCode, refreshTokens, revokeToken } from './tokens.ts';

export interface SignInOptions {
  readonly db: Db;
  readonly log: Logger;
  /** Returns false while the installation has no agents. */
  readonly areAllowed: () => boolean;
  readonly publicUrl: string | undefined;
  readonly limit: RateLimit;
  /** Reports an agent that ended because its code or refresh token was used twice. */
  readonly reportReuse: (reused: ReusedToken, tx: Tx) => Promise<void>;
}

/** An agent whose token was used twice, and the address of the second use. */
export interface ReusedToken {
  readonly userId: string;
  readonly agent: string;
  readonly remoteAddress: string;
}

/** The only scope: to call tools within the leash that the user sets. */
export const SCOPE = 'agent';
const MAX_BODY = 16 * 1024;
const MAX_STATE = 1024;
/** A SHA-256 digest in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** The resource of all tokens (RFC 8707). */
export const resourceAt = (site: string): string => `${site}/mcp`;

/** Returns true if a request names this server as the resource of its token, or none. */
function isOurs(resource: string | undefined, site: string): boolean {
  if (resource === undefined) return true;
  return URL.canParse(resource) && new URL(resource).href.replace(/\/$/, '') === resourceAt(site);
}

/** Begins the consent of a user for a program (RFC 6749, 4.1.1), and shows the page for it. */
async function authorize(options: SignInOptions, context: PublicContext) {
  const { db, limit, publicUrl } = options;
  await limit(context);
  const site = siteOf(context, publicUrl);
  const query = textsOf(context.request.query);
  const page = (search: string) => goTo(context, `${site}${AGENT_CONSENT_PAGE}?${search}`);
  const client = await findClient(query.client_id ?? '', db);
  // An answer to an address that is not registered would reach a stranger.
  if (!client) return page('problem=client');
  const redirect = registeredRedirect(client.redirects, query.redirect_uri ?? '');
  if (redirect === undefined) return page('problem=redirect');
  const { state, response_type: type, code_challenge: challenge = '' } = query;
  const refuse = (error: string) =>
    goTo(context, answerAt(redirect, { code: null, error, state: state ?? null, iss: site }));
  if (type !== 'code') return refuse('unsupported_response_type');
  if (query.code_challenge_method !== 'S256' || !CHALLENGE.test(challenge))
    return refuse('invalid_request');
  if (state !== undefined && state.length > MAX_STATE) return refuse('invalid_request');
  if (!isOurs(query.resource, site)) return refuse('invalid_target');
  const { ip: remoteAddress } = context.request;
  const consent = { clientId: client.id, redirect, issuer: site, state, challenge, remoteAddress };
  return page(`request=${await beginConsent(consent, db)}`);
}

/** Exchanges a code or a refresh token (RFC 6749, 4.1.3 and 6). @throws Rejected */
async function answerToken(options: SignInOptions, context: PublicContext) {
  const { log, limit, publicUrl } = options;
  const sent = textsOf(context.request.body);
  if (!isOurs(sent.resource, siteOf(context, publicUrl)))
    throw oauthProblem('invalid_target', 'agent_resource');
  const exchanged = await limit.ofSecret(context, async () => {
    const result = await exchange(sent, context.request.ip, options);
    if ('access' in result) return result;
    if (result.isReused) log.warn('a code or refresh token of an agent was used twice');
    throw oauthProblem('invalid_grant', 'agent_grant');
  });
  return {
    access_token: exchanged.access,
    token_type: 'Bearer',
    expires_in: exchanged.seconds,
    refresh_token: exchanged.refresh,
    scope: SCOPE,
  };
}

function exchange(
  sent: ReturnType<typeof textsOf>,
  remoteAddress: string,
  { db, reportReuse }: SignInOptions,
): Promise<Exchanged> {
  const inTransaction = (work: (tx: Tx) => Promise<Exchanged>) =>
    transact(db, async (tx) => {
      const result = await work(tx);
      if ('ended' in result)
        for (const { name, user_id } of result.ended)
          await reportReuse({ userId: user_id, agent: name, remoteAddress }, tx);
      return result;
    });
  const { client_id: clientId = '', redirect_uri: redirect } = sent;
  const { code = '', code_verifier: verifier = '', refresh_token: token = '' } = sent;
  switch (sent.grant_type) {
    case 'authorization_code':
      return inTransaction((tx) => exchangeCode({ code, clientId, redirect, verifier }, tx));
    case 'refresh_token':
      return inTransaction((tx) => refreshTokens({ token, clientId }, tx));
    default:
      throw oauthProblem('unsupported_grant_type', 'agent_grant_type');
  }
}

/** Registers a program that introduces itself (RFC 7591). @throws Rejected */
async function register({ db, limit }: SignInOptions, context: PublicContext) {
  await limit(context);
  const { body, ip } = context.request;
  const metadata = typeof body === 'object' && body !== null ? { ...body } : {};
  const { id, name, redirects } = await registerClient(metadata, ip, db);
  context.reply.code(201);
  return {
    client_id: id,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    client_name: name,
    redirect_uris: redirects,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: SCOPE,
  };
}

/** Mounts the routes by which programs sign in as agents: OAuth 2.1 for public clients. */
export function mountProgramSignIn(app: FastifyInstance, options: SignInOptions): void {
  const serve = (
    method: 'GET' | 'POST',
    url: string,
    summary: string,
    answer: (context: PublicContext) => Promise<unknown>,
  ) =>
    publicRoute(app, {
      method,
      url,
      summary,
      bodyLimit: MAX_BODY,
      handler(context) {
        if (!options.areAllowed()) throw new Forbidden('agents_off');
        return answer(context);
      },
    });
  const metadata = async (context: PublicContext) =>
    serverMetadata(siteOf(context, options.publicUrl));
  const resource = async (context: PublicContext) =>
    resourceMetadata(siteOf(context, options.publicUrl));
  const known = '/.well-known/oauth';
  serve('GET', `${known}-protected-resource`, 'The server that signs agents in.', resource);
  serve('GET', `${known}-protected-resource/mcp`, 'The server that signs agents in.', resource);
  serve('GET', `${known}-authorization-server`, 'How programs sign in as agents.', metadata);
  serve('POST', '/oauth/register', 'Register a program that wants to be an agent.', (context) =>
    register(options, context),
  );
  serve('GET', '/oauth/authorize', 'Ask a user for a leash.', (context) =>
    authorize(options, context),
  );
  serve('POST', '/oauth/token', 'The tokens of a program that a user approved.', (context) =>
    answerToken(options, context),
  );
  serve(
    'POST',
    '/oauth/revoke',
    'End a token; with a refresh token, its agent.',
    async (context) => {
      await options.limit(context);
      const { token = '', client_id: client = '' } = textsOf(context.request.body);
      await transact(options.db, (tx) => revokeToken(token, client, tx));
      return {};
    },
  );
}

/** Metadata of the protected resource (RFC 9728). */
const resourceMetadata = (site: string) => ({
  resource: resourceAt(site),
  authorization_servers: [site],
  bearer_methods_supported: ['header'],
  scopes_supported: [SCOPE],
  resource_name: 'Sallyport',
});

/** Metadata of the authorization server (RFC 8414, RFC 9207). */
const serverMetadata = (site: string) => ({
  issuer: site,
  authorization_endpoint: `${site}/oauth/authorize`,
  token_endpoint: `${site}/oauth/token`,
  registration_endpoint: `${site}/oauth/register`,
  revocation_endpoint: `${site}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  scopes_supported: [SCOPE],
  authorization_response_iss_parameter_supported: true,
});
