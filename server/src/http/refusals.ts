import { BODY_LIMIT, ERRORS, type ErrorCode } from '@sallyport/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sqlState } from '../platform/db/database.ts';
import { languageOf } from './locale.ts';
import { bodyOf, codesOf, Refusal } from './problem.ts';
import type { DeclaredRoute } from './route.ts';
import { wasStopped } from './timeouts.ts';

/** Codes of errors that Fastify itself raises, in our own words. */
const FRAMEWORK_ERRORS: Readonly<Record<string, { status: number; code: ErrorCode }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, code: 'unsupported_media_type' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, code: 'malformed_json' },
  FST_ERR_BAD_URL: { status: 404, code: 'not_found' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 404, code: 'not_found' },
};

/** What the database says when it is overloaded, stopping, or two changes met: no defect of ours, and it may be tried again. */
const DATABASE_ERRORS: Readonly<Record<string, { status: number; code: ErrorCode }>> = {
  '40001': { status: 409, code: 'conflict' },
  '40P01': { status: 409, code: 'conflict' },
  '57014': { status: 503, code: 'timeout' },
  '57P01': { status: 503, code: 'unavailable' },
  '57P03': { status: 503, code: 'unavailable' },
  '53300': { status: 503, code: 'unavailable' },
};
/** The pool's own words for having no free connection in time; it has no code for it. */
const POOL_IS_BUSY = 'timeout exceeded when trying to connect';

function refusalOf(error: unknown, request: FastifyRequest): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (wasStopped(request)) return new Refusal(503, 'timeout');
  if ((error as FastifyError).code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal(413, 'body_too_large', { max: request.routeOptions.bodyLimit ?? BODY_LIMIT });
  if (error instanceof Error && error.message === POOL_IS_BUSY) return new Refusal(503, 'unavailable');
  const known = FRAMEWORK_ERRORS[(error as FastifyError).code] ?? DATABASE_ERRORS[sqlState(error)?.code ?? ''];
  return known && new Refusal(known.status, known.code);
}

/** The headers that programs look at before they read a body. */
function addHeaders(refusal: Refusal, reply: FastifyReply): void {
  reply.headers(codesOf(refusal));
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
  if (refusal.status === 429 && refusal.params.seconds !== undefined) reply.header('retry-after', String(refusal.params.seconds));
  if (refusal.status === 503) reply.header('retry-after', '1');
}

/** The one place where errors, unknown addresses and wrong methods become bodies, in the language of the request. */
export function answerRefusals(http: FastifyInstance, routes: readonly DeclaredRoute[]): void {
  http.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request);
    const language = languageOf(request);
    if (refusal) {
      addHeaders(refusal, reply);
      return reply.code(refusal.status).send(bodyOf(refusal, language));
    }
    request.log.error(
      { error: error instanceof Error ? error.stack : String(error), method: request.method, route: request.routeOptions.url },
      'a request failed',
    );
    return reply.code(500).header('x-error-code', 'internal').send({ code: 'internal', detail: ERRORS.internal[language], error: ERRORS.internal[language] });
  });

  const methodsOf = methodFinder(routes);
  http.setNotFoundHandler({ preHandler: [] }, (request, reply) => {
    const language = languageOf(request);
    const methods = methodsOf(request.url.split('?')[0] ?? '');
    if (methods.length > 0) {
      const refusal = new Refusal(405, 'method_not_allowed', { method: request.method });
      addHeaders(refusal, reply);
      return reply.code(405).header('allow', methods.join(', ')).send(bodyOf(refusal, language));
    }
    // The addresses of older scripts, with the version behind the part of the product.
    const [, area, rest] = /^\/api\/(\w+)\/v1\/(.*)$/.exec(request.url) ?? [];
    if (area && area !== 'v1') return reply.redirect(`/api/v1/${area}/${rest}`, 307);
    const refusal = new Refusal(404, 'not_found');
    addHeaders(refusal, reply);
    return reply.code(404).send({ ...bodyOf(refusal, language), error: ERRORS.not_found[language] });
  });
}

/** Finds the methods that an address has, by the addresses that were declared. */
function methodFinder(routes: readonly DeclaredRoute[]): (path: string) => string[] {
  let patterns: { pattern: RegExp; method: string }[] | undefined;
  return (path) => {
    // All routes are declared by the time somebody asks.
    patterns ??= routes.map(({ url, method }) => ({ pattern: patternOf(url), method }));
    return [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].sort();
  };
}

function patternOf(url: string): RegExp {
  const parts = url.replace(/\/$/, '').split(/(:\w+|\*)/);
  const source = parts.map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^$()[\]{}|\\]/g, '\\$&')));
  return new RegExp(`^${source.join('')}/?$`);
}
