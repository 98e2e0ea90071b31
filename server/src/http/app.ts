import cookie from '@fastify/cookie';
import { BODY_LIMIT } from '@sallyport/contract';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import { Forbidden, Rejected } from '../platform/errors.ts';
import type { Logger } from '../platform/log.ts';
import { checkHost } from './allowed-hosts.ts';
import { checkBodyDigests } from './body-digest.ts';
import { countAnswers } from './count-answers.ts';
import { answerError, answerErrors } from './error-answers.ts';
import { HttpError } from './error-bodies.ts';
import { readJsonBody, takeAbsentBodies } from './json-body.ts';
import { type LocaleDefaults, languageOf } from './locale.ts';
import { createRequestIds } from './request-ids.ts';
import { type Authenticator, assertAccess, type DeclaredRoute } from './route.ts';
import { answerBrokenRequest, createHttpServer } from './server.ts';
import { limitRequests } from './timeouts.ts';

export interface AppOptions {
  readonly log: Logger;
  readonly authenticator: Authenticator;
  readonly trustedProxies: readonly string[];
  /** Whether `X-Forwarded-Host` of a trusted proxy is believed; absent: it is not. */
  readonly trustForwardedHost?: boolean;
  /** Names that the server may be addressed by; absent: any. Addresses in figures and `localhost` always may. */
  readonly allowedHosts?: readonly string[];
  /** Whether routes that need a license are open; absent: they are not. */
  readonly isLicensed?: () => boolean;
  /** Language and zone of answers to requests that name none; absent: those of the contract. */
  readonly localeDefaults?: () => LocaleDefaults;
  /** How long an answer may take to begin, in milliseconds. */
  readonly patience?: number;
}

export interface App {
  readonly http: FastifyInstance;
  /** Every route and socket with its access, in the order of registration. */
  readonly routes: DeclaredRoute[];
}

/** Builds the HTTP application: parsing, authentication, access, and the one place where errors become bodies. */
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
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 40_000 },
    exposeHeadRoutes: false,
    return503OnClosing: true,
  });
  const routes: DeclaredRoute[] = [];
  if (options.localeDefaults) http.decorate('localeDefaults', options.localeDefaults);

  http.addHook('onRoute', (route) => {
    const access = route.config?.access;
    // Deny by default begins here: the server does not start when a route has no declared access.
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
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, readJsonBody(String(body)));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
  http.addContentTypeParser(
    'application/scim+json',
    { parseAs: 'string' },
    (_request, body, done) => {
      try {
        done(null, readJsonBody(String(body)));
      } catch (error) {
        done(error as Error, undefined);
      }
    },
  );
  http.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.routeOptions.config.takesCsv) done(null, body);
    else done(new HttpError(415, 'unsupported_media_type'), undefined);
  });
  http.addContentTypeParser('application/octet-stream', (request, body, done) => {
    if (request.routeOptions.config.takesBytes) done(null, body);
    else done(new HttpError(415, 'unsupported_media_type'), undefined);
  });
  // Scripts and older clients post without a body and without a type.
  http.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(String(body))));
    },
  );

  limitRequests(http, options.patience);
  if (options.allowedHosts) checkHost(http, options.allowedHosts);
  http.addHook('onRequest', async (request, reply) => {
    reply
      .header('x-request-id', request.id)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
      .header('x-frame-options', 'SAMEORIGIN');
    // PostgreSQL keeps no NUL in a text and nothing of ours has one in its address.
    if (/%00/.test(request.url)) throw new Rejected('nul_byte');
    const access = request.routeOptions.config.access ?? 'public';
    if (access === 'public') {
      if (!request.routeOptions.config.recognizesCaller) return;
      const caller = await options.authenticator.authenticate(request).catch(() => undefined);
      if (caller) request.actor = caller;
      return;
    }
    const actor = await options.authenticator.authenticate(request);
    if (actor) request.actor = actor;
    assertAccess(access, actor, languageOf(request));
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
