import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { publicRoute } from '../../../http/route.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import { AppError, NotFound, Rejected } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { writeLoginLog } from '../../audits/index.ts';
import {
  type AccountOptions,
  accountOf,
  type ExternalIdentity,
  type ProviderSource,
} from '../accounts/external-identities.ts';
import { clearHiddenCookie, readCookie, setHiddenCookie } from '../cookie-names.ts';
import type { Origin } from '../sign-in-sessions/origin.ts';
import { objectBody } from './bodies.ts';
import { visitorOf } from './browser-steps.ts';
import { clearTicket, isSecure, setSession, setTicket } from './cookies.ts';
import type { RateLimit } from './rate-limit.ts';
import type { SignInService } from './types.ts';

/** Default target after a sign-in. */
const HOME = '/ui/';

/** Returns the target if it is on our own site; otherwise the start page. */
export function safeNext(target: unknown): string {
  if (typeof target !== 'string' || !target.startsWith('/') || target.length > 2_000) return HOME;
  // Browsers treat `//host` and `/\host` as other sites, and drop tabs and line breaks first.
  if (/^\/[/\\]/.test(target) || /[\p{Cc}\\]/u.test(target)) return HOME;
  const url = new URL(target, 'http://here.invalid');
  return url.host === 'here.invalid' && !url.pathname.startsWith('//') ? target : HOME;
}

export const SIGN_IN_PAGE = '/core/auth/login/';
/** Maximum seconds at the provider. */
const ASKED_SECONDS = 600;
/** Browsers drop larger cookies. */
const MAX_COOKIE = 3_800;

/** Returns the base URL of this server, without a slash at the end. */
export function siteOf(
  { request }: Pick<PublicContext, 'request'>,
  publicUrl: string | undefined,
): string {
  return (publicUrl ?? `${request.protocol}://${request.host}`).replace(/\/+$/, '');
}

/** Redirects a browser to another URL. */
export function goTo({ reply }: PublicContext, where: string) {
  reply.header('cache-control', 'no-store').redirect(where, 303);
  return reply;
}

/** Returns a field of a posted form; blank without it. */
export const formText = (context: PublicContext, name: string): string => {
  const value = objectBody(context)[name];
  return typeof value === 'string' ? value : '';
};

/** Services for the pages of every provider. */
export interface ProviderServices extends Omit<AccountOptions, 'mayCreate'> {
  readonly settings: SettingsService;
  readonly vault: Vault;
  readonly signIns: SignInService;
  readonly limit: RateLimit;
  readonly log: Logger;
  readonly publicUrl: string | undefined;
}

/** A kind of provider. */
export interface ProviderKind {
  readonly source: ProviderSource;
  readonly isOn: () => boolean;
  /** True if users without an account get one. */
  readonly mayCreate: () => boolean;
}

/** Data of a sign-in after the provider's answer. */
export interface Arrival {
  readonly next: string;
  /** Names of this sign-in at the provider, by which the provider ends it. */
  readonly origin?: Origin;
  /** Data for signing out at the provider, sealed in a cookie. */
  readonly end?: object;
}

/**
 * Creates the pages of a kind of provider: redirects to it and back. State is kept in sealed
 * cookies that only this server can read.
 */
export function createProviderPages(kind: ProviderKind, services: ProviderServices) {
  const { source } = kind;
  const { db, settings, vault, signIns, limit, publicUrl } = services;
  const outgoing = { cookie: `sallyport_${source}`, context: `${source}.asked` };
  const ending = { cookie: `sallyport_${source}_end`, context: `${source}.end` };
  const secure = (context: PublicContext) => isSecure(context, publicUrl);

  const open = <T>(
    { request }: PublicContext,
    { cookie, context }: typeof outgoing,
    isHttps: boolean,
  ): T | undefined => {
    const sealed = readCookie(request, cookie, isHttps);
    if (!sealed) return undefined;
    try {
      return JSON.parse(vault.open(sealed, context)) as T;
    } catch {
      return undefined;
    }
  };
  const put = (
    context: PublicContext,
    { cookie, context: name }: typeof outgoing,
    value: object,
    seconds?: number,
  ) => {
    const sealed = vault.seal(JSON.stringify(value), name);
    if (sealed.length <= MAX_COOKIE)
      setHiddenCookie(context.reply, {
        base: cookie,
        value: sealed,
        secure: secure(context),
        maxAge: seconds,
      });
  };
  /** A browser navigates here, so errors redirect to the sign-in page, which shows them. */
  const fail = (context: PublicContext, error: unknown) => {
    if (error instanceof AppError && !(error instanceof NotFound))
      return goTo(context, `${SIGN_IN_PAGE}?refused=${error.code}`);
    throw error;
  };
  const add = (
    app: FastifyInstance,
    method: 'GET' | 'POST',
    url: string,
    summary: string,
    bodyLimit: number | undefined,
    run: Handler,
  ) =>
    publicRoute(app, {
      method,
      url,
      summary,
      ...(bodyLimit && { bodyLimit }),
      async handler(context) {
        await limit(context);
        try {
          return await run(context);
        } catch (error) {
          return fail(context, error);
        }
      },
    });

  return {
    /** @throws NotFound while this kind of sign-in is disabled */
    assertEnabled() {
      if (!kind.isOn()) throw new NotFound('not_found');
    },
    /** Adds a page whose errors the sign-in page shows. */
    get: (app: FastifyInstance, url: string, summary: string, run: Handler) =>
      add(app, 'GET', url, summary, undefined, run),
    /** Adds a URL to which a provider, or a browser sent by it, posts. */
    post: (app: FastifyInstance, url: string, summary: string, bodyLimit: number, run: Handler) =>
      add(app, 'POST', url, summary, bodyLimit, run),
    /** Redirects a browser to the provider. A sealed cookie keeps `question` for ten minutes. */
    leave(context: PublicContext, where: string, question: object) {
      put(
        context,
        outgoing,
        {
          ...question,
          next: safeNext(context.query.get('next')),
          until: Date.now() + ASKED_SECONDS * 1_000,
        },
        ASKED_SECONDS,
      );
      return goTo(context, where);
    },
    /**
     * Returns the question with which this browser left for the provider, once.
     * @throws Rejected
     */
    question<T>(context: PublicContext): T & { readonly next: string } {
      const question = open<T & { next: string; until: number }>(
        context,
        outgoing,
        secure(context),
      );
      clearHiddenCookie(context.reply, outgoing.cookie, secure(context));
      if (!question || question.until < Date.now()) throw new Rejected('provider_failed');
      return question;
    },
    /**
     * Continues the sign-in of a user that the provider has verified.
     * @throws AppError
     */
    async arrive(
      context: PublicContext,
      external: Omit<ExternalIdentity, 'source'>,
      { next, origin, end }: Arrival,
    ) {
      const visitor = visitorOf(context, 'W');
      const userId = await accountOf({ ...external, source }, visitor.remoteAddress, {
        ...services,
        mayCreate: kind.mayCreate(),
      }).catch(async (error) => {
        if (error instanceof AppError)
          await writeLoginLog(db, {
            ...visitor,
            username: external.username,
            userId: undefined,
            mfa: 2,
            reason: error.code,
          });
        throw error;
      });
      const outcome = await signIns.withProof(userId, 'external', {
        kind: 'browser',
        visitor,
        next,
        ...(origin && { origin }),
      });
      if (end) put(context, ending, end);
      if (outcome.step !== 'in') {
        setTicket(context, outcome.ticket, secure(context), outcome.review !== undefined);
        return goTo(context, SIGN_IN_PAGE);
      }
      clearTicket(context, secure(context));
      setSession(context, outcome.token, settings.get('SESSION_COOKIE_AGE'), secure(context));
      return goTo(context, outcome.next);
    },
    /** Returns true if this browser signed in at the provider. */
    isFromHere: ({ request }: PublicContext) =>
      [true, false].some((isHttps) => readCookie(request, ending.cookie, isHttps) !== undefined),
    /** Returns and deletes the data for signing out at the provider. */
    end<T>(context: PublicContext): T | undefined {
      const end = open<T>(context, ending, secure(context));
      clearHiddenCookie(context.reply, ending.cookie, secure(context));
      return end;
    },
  };
}

type Handler = (context: PublicContext) => Promise<unknown>;
