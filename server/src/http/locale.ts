import { DEFAULT_LANGUAGE, isTimeZone, type Language, parseLanguage } from '@sallyport/contract';
import type { FastifyRequest } from 'fastify';

/** Zone of dates when a request names none (identity reference §1.1). */
const DEFAULT_ZONE = 'Asia/Shanghai';

/** The language of a request: cookie, then header, then Chinese. */
export function languageOf(request: FastifyRequest): Language {
  const chosen = parseLanguage(request.cookies.django_language);
  if (chosen) return chosen;
  for (const entry of (request.headers['accept-language'] ?? '').slice(0, 256).split(',')) {
    const language = parseLanguage(entry);
    if (language) return language;
  }
  return DEFAULT_LANGUAGE;
}

/** The zone of a request: the `X-TZ` header when it names one, or for links, which carry no headers, the parameter `tz`. */
export function zoneOf(request: FastifyRequest): string {
  const zone = request.headers['x-tz'] ?? (request.query as Record<string, unknown> | undefined)?.tz;
  return typeof zone === 'string' && isTimeZone(zone) ? zone : DEFAULT_ZONE;
}
