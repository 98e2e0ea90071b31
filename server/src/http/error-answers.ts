import { BODY_LIMIT, ERRORS, type ErrorCode } from '@sallyport/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MUST_BE_PROPOSED } from '../platform/change-gate.ts';
import { sqlState } from '../platform/db/database.ts';
import { isDatabaseAway } from '../platform/db/open-client.ts';
import { isPoolBusy } from '../platform/db/outage.ts';
import { AppError, NotFound, TooLarge, Unavailable } from '../platform/errors.ts';
import { exhaustionOf } from '../platform/exhausted.ts';
import { awayProblemOf } from '../platform/storage/recordings.ts';
import { languageOf } from './context.ts';
import { bodyOf, codesOf, HttpError, statusOf } from './error-bodies.ts';
import { LATER_PREFIX } from './later-prefix.ts';
import type { DeclaredRoute } from './route.ts';
import { wasStopped } from './server.ts';

/** SCIM clients only understand SCIM errors (RFC 7644, 3.12). */
const SCIM = '/scim/v2/';
const SCIM_NOT_FOUND = JSON.stringify({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: '404',
  detail: 'There is no such address.',
});

/** Errors of Fastify itself, by code. */
const FRAMEWORK_ERRORS: Readonly<Record<string, { status: number; code: ErrorCode }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, code: 'unsupported_media_type' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, code: 'malformed_json' },
  FST_ERR_BAD_URL: { status: 404, code: 'not_found' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 404, code: 'not_found' },
  FST_STATIC_FORBIDDEN_PATH: { status: 404, code: 'not_found' },
};

/**
 * PostgreSQL states of an overloaded database, of conflicting changes, and of changes
 * that change control refuses. They are no defects.
 */
const DATABASE_ERRORS: Readonly<Record<string, { status: number; code: ErrorCode }>> = {
  '40001': { status: 409, code: 'conflict' },
  '40P01': { status: 409, code: 'conflict' },
  [MUST_BE_PROPOSED]: { status: 409, code: 'change_must_be_proposed' },
  '57014': { status: 503, code: 'timeout' },
};

/** Returns true if the client disconnected while it sent the body. */
function isBrokenOff(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
}

function appErrorOf(error: unknown, request: FastifyRequest): AppError | undefined {
  if (error instanceof AppError) return error;
  if (wasStopped(request)) return new Unavailable('timeout');
  if (isBrokenOff(error, request)) return new HttpError(400, 'malformed_request');
  if ((error as FastifyError).code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new TooLarge('body_too_large', { max: request.routeOptions.bodyLimit ?? BODY_LIMIT });
  // Before the database: without a descriptor we cannot connect to it, and it is not away.
  const exhausted = exhaustionOf(error);
  // 507 Insufficient Storage (RFC 4918): waiting does not help.
  if (exhausted) return new HttpError(exhausted === 'server_disk_full' ? 507 : 503, exhausted);
  if (isPoolBusy(error) || isDatabaseAway(error)) return new Unavailable('database_away');
  if (awayProblemOf(error)) return new Unavailable('storage_unavailable');
  const { code, statusCode = 500 } = error as Partial<FastifyError>;
  const known = FRAMEWORK_ERRORS[code ?? ''] ?? DATABASE_ERRORS[sqlState(error)?.code ?? ''];
  if (known) return new HttpError(known.status, known.code);
  // The client causes framework errors with a 4xx status, not the server.
  return code?.startsWith('FST_') && statusCode >= 400 && statusCode < 500
    ? new HttpError(400, 'malformed_request')
    : undefined;
}

function addHeaders(appError: AppError, reply: FastifyReply): void {
  const status = statusOf(appError);
  reply.headers(codesOf(appError));
  // A route may say more, such as where to sign in.
  if (status === 401 && !reply.hasHeader('www-authenticate'))
    reply.header('www-authenticate', 'Bearer');
  if (status === 429 && appError.params.seconds !== undefined)
    reply.header('retry-after', String(appError.params.seconds));
  if (status === 503) reply.header('retry-after', '1');
}

/**
 * Answers an error. An `AppError` has its own text; other errors are defects, and only the log gets
 * their stack.
 */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const appError = appErrorOf(error, request);
  const language = languageOf(request);
  if (appError) {
    if (exhaustionOf(error) || awayProblemOf(error))
      request.log.error(
        { error: String(error), code: appError.code },
        'the server, or a storage of it, cannot serve a request',
      );
    addHeaders(appError, reply);
    return reply.code(statusOf(appError)).send(bodyOf(appError, language));
  }
  request.log.error(
    {
      error: error instanceof Error ? error.stack : String(error),
      method: request.method,
      route: request.routeOptions.url,
    },
    'a request failed',
  );
  return reply.code(500).header('x-error-code', 'internal').send({
    code: 'internal',
    detail: ERRORS.internal[language],
    error: ERRORS.internal[language],
  });
}

/** Areas and singular names in the paths of older scripts. The current names add an `s`. */
const SINGULAR_PATH = new RegExp(
  `^/api/v1/(?:${[
    'applications/remote-app',
    'assets/(?:admin-user|asset-user|cmd-filter|domain|gateway|system-user)',
    'audits/ftp-log',
    'orgs/org',
    'perms/(?:asset-permission|remote-app-permission|user|user-group)',
    'terminal/(?:command|terminal)',
  ].join('|')})(?=[/?]|$)`,
);

/** Returns the current address of a path of older scripts. */
function currentAddress(url: string): string | undefined {
  // They write the API version after the area: `/api/assets/v1/…`.
  const [, area, rest] = /^\/api\/(\w+)\/v1\/(.*)$/.exec(url) ?? [];
  if (area && area !== 'v1') return `/api/v1/${area}/${rest}`;
  const [singular] = SINGULAR_PATH.exec(url) ?? [];
  return singular && `${singular}s${url.slice(singular.length)}`;
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Turns errors, unknown paths and wrong methods into answers, in the language of the request. */
export function answerErrors(http: FastifyInstance, routes: readonly DeclaredRoute[]): void {
  http.setErrorHandler(answerError);

  const routesOf = routeFinder(routes);
  http.setNotFoundHandler({ preHandler: [] }, (request, reply) => {
    const language = languageOf(request);
    const matches = routesOf(request.url.split('?')[0] ?? '');
    const methods = [...new Set(matches.map(({ method }) => method))].sort();
    const writesAt =
      matches.find((one) => one.writesAt)?.writesAt ??
      (request.url.startsWith(`${LATER_PREFIX}/`) ? '/api/docs/' : undefined);
    if (writesAt && WRITES.has(request.method) && !methods.includes(request.method)) {
      const appError = new HttpError(501, 'only_reads', { path: writesAt });
      addHeaders(appError, reply);
      return reply.code(501).send(bodyOf(appError, language));
    }
    // Returns 404 for a missing file below a known path, not 405.
    if (methods.length > 0 && !methods.includes(request.method)) {
      const appError = new HttpError(405, 'method_not_allowed', { method: request.method });
      addHeaders(appError, reply);
      return reply.code(405).header('allow', methods.join(', ')).send(bodyOf(appError, language));
    }
    const current = currentAddress(request.url);
    if (current) return reply.redirect(current, 307);
    const appError = new NotFound('not_found');
    addHeaders(appError, reply);
    if (request.url.startsWith(SCIM))
      return reply
        .code(404)
        .header('content-type', 'application/scim+json; charset=utf-8')
        .send(SCIM_NOT_FOUND);
    return reply
      .code(404)
      .send({ ...bodyOf(appError, language), error: ERRORS.not_found[language] });
  });
}

/** Returns a function that finds the routes of a path. */
function routeFinder(routes: readonly DeclaredRoute[]): (path: string) => DeclaredRoute[] {
  let patterns: { pattern: RegExp; declared: DeclaredRoute }[] | undefined;
  return (path) => {
    // Routes are complete only at the first request, so build the patterns then.
    patterns ??= routes.map((declared) => ({ pattern: patternOf(declared.url), declared }));
    return patterns.filter(({ pattern }) => pattern.test(path)).map(({ declared }) => declared);
  };
}

function patternOf(url: string): RegExp {
  const parts = url.replace(/\/$/, '').split(/(:\w+|\*)/);
  const source = parts.map((part) =>
    part === '*'
      ? '.*'
      : part.startsWith(':')
        ? '[^/]+'
        : part.replace(/[.+?^$()[\]{}|\\]/g, '\\$&'),
  );
  return new RegExp(`^${source.join('')}/?$`);
}
