// Cookies are on the request by its declarations.
import type {} from '@fastify/cookie';
import { chooseLanguage, isTimeZone, type Language } from '@sallyport/contract';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_ZONE } from '../platform/actor.ts';

/** What requests get that name no language or zone. */
export interface LocaleDefaults {
  readonly language: Language;
  readonly zone: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    localeDefaults?: () => LocaleDefaults;
  }
}

/** The language of a request: cookie, then header, then the setting. A request that failed before it was routed has no cookies. */
export function languageOf(request: FastifyRequest): Language {
  const wished = (request.headers['accept-language'] ?? '').slice(0, 256).split(',').map(weighed);
  // What is wished for alike is wished for in the order that it was named in.
  wished.sort((one, other) => other.weight - one.weight);
  const wanted = [
    (request.cookies as typeof request.cookies | null | undefined)?.django_language,
    ...wished.filter(({ weight }) => weight > 0).map(({ range }) => range),
  ];
  return chooseLanguage(wanted, request.server?.localeDefaults?.().language);
}

/** A range of `Accept-Language` with its weight, which is 1 unless it says otherwise (RFC 9110 §12.5.4). */
function weighed(entry: string): { range: string | undefined; weight: number } {
  const weight = /;\s*q=([\d.]+)/i.exec(entry)?.[1];
  return { range: entry.split(';')[0], weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/** The zone of a request: the `X-TZ` header when it names one, or for links, which carry no headers, the parameter `tz`. */
export function zoneOf(request: FastifyRequest): string {
  const zone =
    request.headers['x-tz'] ?? (request.query as Record<string, unknown> | undefined)?.tz;
  if (typeof zone === 'string' && isTimeZone(zone)) return zone;
  return request.server?.localeDefaults?.().zone || DEFAULT_ZONE;
}
