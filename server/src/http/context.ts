import type {} from '@fastify/cookie';
import { chooseLanguage, isTimeZone, type Language } from '@sallyport/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, type Caller, DEFAULT_ZONE, displayName } from '../platform/actor.ts';
import type { JobRequester } from '../platform/jobs/definition.ts';

/** The request context of a handler. Rules and services receive only the `Caller` part. */
export interface Context extends Caller {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: URLSearchParams;
}

/** The context of a public route, whose caller may be unknown. */
export type PublicContext = Omit<Context, 'actor'> & { readonly actor: Actor | undefined };

export function contextOf(request: FastifyRequest, reply: FastifyReply): PublicContext {
  const mark = request.url.indexOf('?');
  return {
    request,
    reply,
    actor: request.actor,
    language: languageOf(request),
    zone: zoneOf(request),
    query: new URLSearchParams(mark < 0 ? '' : request.url.slice(mark)),
  };
}

/** Returns the caller of a request as the requester of a job. */
export function callerOf({ actor, language, zone }: Context): JobRequester {
  return {
    userId: actor.userId,
    name: displayName(actor),
    organization: actor.organization.id,
    permissions: actor.permissions,
    language,
    zone,
  };
}

// Adds `cookies` to the type of requests.

/** Values for requests without a language or time zone. */
export interface LocaleDefaults {
  readonly language: Language;
  readonly zone: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    localeDefaults?: () => LocaleDefaults;
  }
}

/**
 * Returns the language of a request: cookie, then `Accept-Language`, then the setting. Requests
 * that fail before routing have no cookies.
 */
export function languageOf(request: FastifyRequest): Language {
  const ranges = (request.headers['accept-language'] ?? '')
    .slice(0, 256)
    .split(',')
    .map(parseRange);
  // The sort is stable: ranges of equal weight keep the order of the header.
  ranges.sort((one, other) => other.weight - one.weight);
  const candidates = [
    (request.cookies as typeof request.cookies | null | undefined)?.django_language,
    ...ranges.filter(({ weight }) => weight > 0).map(({ range }) => range),
  ];
  return chooseLanguage(candidates, request.server?.localeDefaults?.().language);
}

/** Parses one range of `Accept-Language`; its weight defaults to 1 (RFC 9110 §12.5.4). */
function parseRange(entry: string): { range: string | undefined; weight: number } {
  const weight = /;\s*q=([\d.]+)/i.exec(entry)?.[1];
  return { range: entry.split(';')[0], weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/**
 * Returns the time zone of a request: the `X-TZ` header, else the parameter `tz`, because links
 * send no headers.
 */
export function zoneOf(request: FastifyRequest): string {
  const zone =
    request.headers['x-tz'] ?? (request.query as Record<string, unknown> | undefined)?.tz;
  if (typeof zone === 'string' && isTimeZone(zone)) return zone;
  return request.server?.localeDefaults?.().zone || DEFAULT_ZONE;
}
