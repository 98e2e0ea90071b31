import { GROUP_SOURCES, type ProviderSource } from '@sallyport/contract';
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
} from '../accounts/external-identities.ts';
import { applyReportedGroups } from '../group-mappings/apply.ts';
import { readGroups } from '../group-mappings/read-groups.ts';
import { groupsOfNone } from '../group-mappings/store.ts';
import type { Origin } from '../sign-in-sessions/origin.ts';
import { objectBody } from './bodies.ts';
import { visitorOf } from './browser-steps.ts';
import { clearTicket, createSealedCookie, isSecure, setSession, setTicket } from './cookies.ts';
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

/** A URL where a browser, or the provider, arrives. */
interface Page {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly summary: string;
  readonly bodyLimit?: number;
  readonly handler: (context: PublicContext) => Promise<unknown>;
}

/** A browser navigates here, so errors redirect to the sign-in page, which shows them. */
function showError(context: PublicContext, error: unknown) {
  if (error instanceof AppError && !(error instanceof NotFound))
    return goTo(context, `${SIGN_IN_PAGE}?refused=${error.code}`);
  throw error;
}

/** Returns the account of a verified user. Writes a rejection to the login log. */
async function findAccount(
  context: PublicContext,
  external: ExternalIdentity,
  { kind, services }: { kind: ProviderKind; services: ProviderServices },
): Promise<string> {
  const visitor = visitorOf(context, 'W');
  try {
    const userId = await accountOf(external, visitor.remoteAddress, {
      ...services,
      mayCreate: kind.mayCreate(),
    });
    const { source } = external;
    const groups =
      external.groups === null
        ? await groupsOfNone(userId, source, services.db)
        : readGroups(external.groups);
    const reporting = GROUP_SOURCES.find(({ value }) => value === source)?.value;
    if (reporting && groups)
      await services.db.transaction((tx) =>
        applyReportedGroups(reporting, [{ userId, groups }], visitor.remoteAddress, tx),
      );
    return userId;
  } catch (error) {
    if (error instanceof AppError)
      await writeLoginLog(services.db, {
        ...visitor,
        username: external.username,
        userId: undefined,
        mfa: 2,
        reason: error.code,
      });
    throw error;
  }
}

/**
 * Creates the pages of a kind of provider: redirects to it and back. State is kept in sealed
 * cookies that only this server can read.
 */
export function createProviderPages(kind: ProviderKind, services: ProviderServices) {
  const { source } = kind;
  const { settings, vault, signIns, limit, publicUrl } = services;
  const outgoing = createSealedCookie({
    name: `sallyport_${source}`,
    purpose: `${source}.asked`,
    vault,
    publicUrl,
  });
  const ending = createSealedCookie({
    name: `sallyport_${source}_end`,
    purpose: `${source}.end`,
    vault,
    publicUrl,
  });

  return {
    /** @throws NotFound while this kind of sign-in is disabled */
    assertEnabled() {
      if (!kind.isOn()) throw new NotFound('not_found');
    },
    /** Adds a page with a rate limit. The sign-in page shows its errors. */
    route(app: FastifyInstance, { handler, ...page }: Page) {
      publicRoute(app, {
        ...page,
        async handler(context) {
          await limit(context);
          return handler(context).catch((error: unknown) => showError(context, error));
        },
      });
    },
    /** Redirects a browser to the provider. A sealed cookie keeps `question` for ten minutes. */
    leave(context: PublicContext, where: string, question: object) {
      const next = safeNext(context.query.get('next'));
      const until = Date.now() + ASKED_SECONDS * 1_000;
      outgoing.set(context, { ...question, next, until }, ASKED_SECONDS);
      return goTo(context, where);
    },
    /**
     * Returns the question with which this browser left for the provider, once.
     * @throws Rejected
     */
    question<T>(context: PublicContext): T & { readonly next: string } {
      const question = outgoing.take<T & { next: string; until: number }>(context);
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
      const secure = isSecure(context, publicUrl);
      const userId = await findAccount(context, { ...external, source }, { kind, services });
      const outcome = await signIns.withProof(userId, 'external', {
        kind: 'browser',
        visitor: visitorOf(context, 'W'),
        next,
        ...(origin && { origin }),
      });
      if (end) ending.set(context, end);
      if (outcome.step !== 'in') {
        setTicket(context, outcome.ticket, secure, outcome.review !== undefined);
        return goTo(context, SIGN_IN_PAGE);
      }
      clearTicket(context, secure);
      setSession(context, outcome.token, settings.get('SESSION_COOKIE_AGE'), secure);
      return goTo(context, outcome.next);
    },
    /** Returns true if this browser signed in at the provider. */
    isFromHere: (context: PublicContext) => ending.isSet(context),
    /** Returns and deletes the data for signing out at the provider. */
    end: <T>(context: PublicContext): T | undefined => ending.take<T>(context),
  };
}

export type ProviderPages = ReturnType<typeof createProviderPages>;
