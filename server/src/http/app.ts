import cookie from '@fastify/cookie';
import { BODY_LIMIT, ERRORS, type ErrorCode } from '@sallyport/contract';
import { type FastifyBaseLogger, type FastifyError, type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify';
import type { Logger } from '../platform/log.ts';
import { readJsonBody } from './json-body.ts';
import { languageOf } from './locale.ts';
import { bodyOf, Invalid, Refusal } from './problem.ts';
import { type Authenticator, assertAccess, type DeclaredRoute } from './route.ts';

export interface AppOptions {
  readonly log: Logger;
  readonly authenticator: Authenticator;
  readonly trustedProxies: readonly string[];
}

export interface App {
  readonly http: FastifyInstance;
  /** Every route and socket with its access, in the order of registration. */
  readonly routes: DeclaredRoute[];
}

/** Codes of errors that Fastify itself raises, in our own words. */
const FRAMEWORK_ERRORS: Readonly<Record<string, { status: number; code: ErrorCode; params?: Record<string, number> }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, code: 'unsupported_media_type' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, code: 'malformed_json' },
  FST_ERR_BAD_URL: { status: 404, code: 'not_found' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 404, code: 'not_found' },
};

function refusalOf(error: unknown, request: FastifyRequest): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if ((error as FastifyError).code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal(413, 'body_too_large', { max: request.routeOptions.bodyLimit ?? BODY_LIMIT });
  const known = FRAMEWORK_ERRORS[(error as FastifyError).code];
  return known && new Refusal(known.status, known.code, known.params);
}

/** Builds the HTTP application: parsing, authentication, access, and the one place where errors become bodies. */
export async function createApp(options: AppOptions): Promise<App> {
  const http = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 40_000 },
    exposeHeadRoutes: false,
    return503OnClosing: true,
  });
  const routes: DeclaredRoute[] = [];

  http.addHook('onRoute', (route) => {
    const access = route.config?.access;
    // Deny by default begins here: a route that nobody decided on keeps the server from starting.
    if (access === undefined) throw new Error(`the route ${String(route.method)} ${route.url} declares no access`);
    for (const method of [route.method].flat())
      routes.push({ method, url: route.url, access, socket: route.config?.socket === true, summary: route.config?.summary });
  });

  await http.register(cookie);
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, readJsonBody(String(body)));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
  http.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // Scripts and older clients post without a body and without a type.
  http.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(String(body))));
  });

  http.addHook('onRequest', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'same-origin').header('x-frame-options', 'SAMEORIGIN');
    // PostgreSQL keeps no NUL in a text and nothing of ours has one in its address.
    if (/%00/.test(request.url)) throw new Refusal(400, 'nul_byte');
    const access = request.routeOptions.config.access ?? 'public';
    if (access === 'public') return;
    request.actor = await options.authenticator.authenticate(request);
    assertAccess(access, request.actor);
  });

  http.addHook('onSend', async (request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    reply.header('content-language', languageOf(request) === 'zh' ? 'zh-hans' : 'en');
  });

  http.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request);
    const language = languageOf(request);
    if (refusal) {
      if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
      return reply.code(refusal.status).send(bodyOf(refusal, language));
    }
    request.log.error(
      { error: error instanceof Error ? error.stack : String(error), method: request.method, route: request.routeOptions.url },
      'a request failed',
    );
    return reply.code(500).send({ code: 'internal', detail: ERRORS.internal[language], error: ERRORS.internal[language] });
  });

  http.setNotFoundHandler({ preHandler: [] }, (request, reply) => {
    const language = languageOf(request);
    return reply.code(404).send({ ...bodyOf(new Refusal(404, 'not_found'), language), error: ERRORS.not_found[language] });
  });

  return { http, routes };
}

export { Invalid, Refusal };
