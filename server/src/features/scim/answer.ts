import type { PublicContext } from '../../http/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { TooManyRequests } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { type Allowance, countUse, type RateLimit, siteOf } from '../identity/index.ts';
import { errorBody, ScimError } from './errors.ts';
import type { ScimContext } from './resources.ts';
import { findToken } from './tokens.ts';
import type { Json } from './wire.ts';

const MEDIA_TYPE = 'application/scim+json; charset=utf-8';

export interface AnswerOptions {
  readonly db: Db;
  readonly isOn: () => boolean;
  /** Rate limit of addresses that send wrong tokens. */
  readonly limit: RateLimit;
  /** Rate limit of each token. */
  readonly allowance: Allowance;
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

export interface Answer {
  readonly status: number;
  readonly body?: Json;
}

/** Handles a request whose token is valid. */
export type Handler = (context: PublicContext, scim: ScimContext) => Promise<Answer>;

export function header({ request }: PublicContext, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the token of a request. @throws ScimError, TooManyRequests */
async function authenticate(
  { db, isOn, limit, allowance, publicUrl }: AnswerOptions,
  context: PublicContext,
): Promise<ScimContext> {
  if (!isOn()) throw new ScimError(404, 'SCIM is not enabled.');
  const { ip } = context.request;
  const [scheme, presented = ''] = (header(context, 'authorization') ?? '').split(' ');
  const token = scheme?.toLowerCase() === 'bearer' ? await findToken(presented, ip, db) : undefined;
  if (!token) {
    // Only requests with a wrong token are limited by address.
    await limit(context);
    context.reply.header('www-authenticate', 'Bearer realm="scim"');
    throw new ScimError(401, 'The token is missing, wrong, or has ended.');
  }
  countUse(allowance, token.id);
  return { token, remoteAddress: ip, site: siteOf(context, publicUrl) };
}

/** Authenticates a request, runs its handler, and sends the answer or the error of SCIM. */
export async function answer(options: AnswerOptions, context: PublicContext, run: Handler) {
  const { reply } = context;
  reply.header('content-type', MEDIA_TYPE).header('cache-control', 'no-store');
  try {
    const { status, body } = await run(context, await authenticate(options, context));
    const meta = body?.meta as { version?: string; location?: string } | undefined;
    if (meta?.version) reply.header('etag', meta.version);
    if (status === 201 && meta?.location) reply.header('location', meta.location);
    if (status === 200 && meta?.version && header(context, 'if-none-match') === meta.version)
      return reply.code(304).send();
    return reply.code(status).send(body === undefined ? undefined : JSON.stringify(body));
  } catch (error) {
    const rejection = scimError(error, options.log);
    if (rejection.status === 429) reply.header('retry-after', '1');
    return reply.code(rejection.status).send(JSON.stringify(errorBody(rejection)));
  }
}

/** Converts an error to one of SCIM. Logs an unexpected error. */
function scimError(error: unknown, log: Logger): Parameters<typeof errorBody>[0] {
  if (error instanceof ScimError) return error;
  if (error instanceof TooManyRequests)
    return {
      status: 429,
      scimType: undefined,
      message: 'There are too many requests. Slow down.',
    };
  log.error({ err: error }, 'a request of SCIM failed');
  return { status: 500, scimType: undefined, message: 'The server could not do it.' };
}
