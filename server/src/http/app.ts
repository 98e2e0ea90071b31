import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import cookie from '@fastify/cookie';
import { BODY_LIMIT } from '@sallyport/contract';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { Forbidden, Rejected, Unavailable } from '../platform/errors.ts';
import type { Logger } from '../platform/log.ts';
import { defineCounter, defineHistogram } from '../platform/metrics/open-metrics.ts';
import { recordAnswer } from '../platform/traces/spans.ts';
import { checkBodyDigests, MAX_FORM, readForm, readJsonBody, takeAbsentBodies } from './body.ts';
import { type LocaleDefaults, languageOf } from './context.ts';
import { answerError, answerErrors } from './error-answers.ts';
import { HttpError } from './error-bodies.ts';
import { type Authenticator, assertAccess, assertDuty, type DeclaredRoute } from './route.ts';
import { addSecurityHeaders, SECURITY_HEADERS } from './security-headers.ts';
import { answerBrokenRequest, callerOfRelayed, createHttpServer, limitRequests } from './server.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const answers = defineCounter(
  'sallyport_http_requests_total',
  'Answered requests of console and API, by method and kind of status.',
);
const durations = defineHistogram(
  'sallyport_http_request_duration_seconds',
  'How long the answers took.',
  [0.005, 0.025, 0.1, 0.5, 1, 5, 30],
);

/** Counts answers and their durations. Labels leave out paths, because paths contain object ids. */
function countAnswers(http: FastifyInstance): void {
  http.addHook('onResponse', (request, reply, done) => {
    const method = METHODS.includes(request.method) ? request.method : 'other';
    answers.add({ method, status: `${Math.floor(reply.statusCode / 100)}xx` });
    durations.observe(reply.elapsedTime / 1_000);
    recordAnswer({
      method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      request: request.id,
      milliseconds: reply.elapsedTime,
      traceparent: request.headers.traceparent,
    });
    done();
  });
}

/** Monitors and load balancers may use any host name. */
const HEALTH = /^\/api\/health\/?(\?|$)/;

/**
 * Rejects requests whose Host header names another server. Otherwise a foreign page could read
 * public data by DNS rebinding. IP addresses always pass: DNS cannot rebind them.
 */
function checkHost(http: FastifyInstance, allowed: readonly string[]): void {
  const names = new Set(['localhost', ...allowed.map((name) => name.toLowerCase())]);
  http.addHook('onRequest', (request, _reply, done) => {
    const name = nameOf(request.host ?? '');
    if (HEALTH.test(request.url) || names.has(name) || isIP(name) > 0) done();
    else
      done(new HttpError(421, 'host_refused', { host: name.replace(/[^\w.-]/g, '').slice(0, 64) }));
  });
}

/** Returns the host name without port, brackets and trailing dot. */
function nameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** Refuses requests of connections that are still open while the server stops. */
function refuseWhileStopping(http: FastifyInstance): void {
  let isStopping = false;
  http.addHook('preClose', async () => {
    isStopping = true;
  });
  http.addHook('onRequest', (_request, _reply, done) =>
    done(isStopping ? new Unavailable('unavailable') : undefined),
  );
}

export interface AppOptions {
  readonly log: Logger;
  readonly authenticator: Authenticator;
  readonly trustedProxies: readonly string[];
  /** Trust `X-Forwarded-Host` from a trusted proxy. Default: false. */
  readonly trustForwardedHost?: boolean;
  /**
   * Host names that requests may use; any if absent. IP addresses and `localhost` are always
   * allowed.
   */
  readonly allowedHosts?: readonly string[];
  /** Opens the routes that need a license. Default: closed. */
  readonly isLicensed?: () => boolean;
  /** Language and time zone for requests that name none. Default: those of the contract. */
  readonly localeDefaults?: () => LocaleDefaults;
  /** Milliseconds until an answer must begin. */
  readonly patience?: number;
}

export interface App {
  readonly http: FastifyInstance;
  /** All routes and sockets with their access, in order of registration. */
  readonly routes: DeclaredRoute[];
}

/** Builds the HTTP application: body parsing, authentication, access checks and error answers. */
export async function createApp(options: AppOptions): Promise<App> {
  const http = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    genReqId: createRequestIds(),
    bodyLimit: BODY_LIMIT,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    serverFactory: (handler) =>
      createHttpServer(handler, {
        trustedProxies: options.trustedProxies,
        trustForwardedHost: options.trustForwardedHost === true,
      }),
    clientErrorHandler: answerBrokenRequest,
    // Before the hooks run.
    frameworkErrors: (error, request, reply) =>
      answerError(error, request, reply.headers(SECURITY_HEADERS)),
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 40_000 },
    exposeHeadRoutes: false,
    // Fastify would answer without our headers and codes: see `refuseWhileStopping`.
    return503OnClosing: false,
  });
  const routes: DeclaredRoute[] = [];
  if (options.localeDefaults) http.decorate('localeDefaults', options.localeDefaults);

  http.addHook('onRoute', (route) => {
    const access = route.config?.access;
    // Deny by default: the server does not start if a route declares no access.
    if (access === undefined)
      throw new Error(`the route ${String(route.method)} ${route.url} declares no access`);
    for (const method of [route.method].flat())
      routes.push({
        ...route.config,
        method,
        url: route.url,
        access,
        socket: route.config?.socket === true,
      });
  });

  await http.register(cookie);
  http.removeAllContentTypeParsers();
  http.addContentTypeParser(
    ['application/json', 'application/scim+json'],
    { parseAs: 'string' },
    (_request: FastifyRequest, body: string) => readJsonBody(body),
  );
  http.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.routeOptions.config.takesCsv) done(null, body);
    else done(new HttpError(415, 'unsupported_media_type'), undefined);
  });
  http.addContentTypeParser('application/octet-stream', (request, body, done) => {
    if (request.routeOptions.config.takesBytes) done(null, body);
    else done(new HttpError(415, 'unsupported_media_type'), undefined);
  });
  // Scripts and older clients send POST requests without a body, declared as a form.
  http.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM },
    async (_request: FastifyRequest, body: string) => readForm(body),
  );

  addSecurityHeaders(http);
  refuseWhileStopping(http);
  limitRequests(http, options.patience);
  if (options.allowedHosts) checkHost(http, options.allowedHosts);
  http.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // PostgreSQL text cannot hold NUL, and no address of the API contains it.
    if (/%00/.test(request.url)) throw new Rejected('nul_byte');
    const access = request.routeOptions.config.access ?? 'public';
    if (access === 'public') {
      if (!request.routeOptions.config.recognizesCaller) return;
      const caller = await options.authenticator.authenticate(request).catch(() => undefined);
      if (caller) request.actor = caller;
      return;
    }
    // A signed request proves itself once only: to the process that received it.
    const actor =
      callerOfRelayed(request.raw) ?? (await options.authenticator.authenticate(request));
    if (actor) request.actor = actor;
    assertAccess(access, actor, languageOf(request));
    if (actor)
      assertDuty(
        { ...request.routeOptions.config, method: request.method },
        actor,
        languageOf(request),
      );
    if (request.routeOptions.config.licensed && !options.isLicensed?.())
      throw new Forbidden('license_required');
  });

  checkBodyDigests(http);
  takeAbsentBodies(http);

  http.addHook('onSend', async (request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    reply.header('content-language', languageOf(request) === 'zh' ? 'zh-hans' : 'en');
  });

  countAnswers(http);
  answerErrors(http, routes);
  return { http, routes };
}

/**
 * Returns a generator of request ids, for log lines and the header `X-Request-Id`. Ids are unique
 * across restarts.
 */
function createRequestIds(): () => string {
  const start = randomBytes(5).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${start}-${count.toString(36)}`;
  };
}
