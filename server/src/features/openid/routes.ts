import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { publicRoute } from '../../http/route.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { AppError, NotFound, Rejected, Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import type { Writer } from '../../resources/write.ts';
import { writeLoginLog } from '../audits/login-log.ts';
import { clearHiddenCookie, readCookie, setHiddenCookie } from '../identity/cookie-names.ts';
import { visitorOf } from '../identity/sign-in/browser-routes.ts';
import { clearTicket, isSecure, setSession, setTicket } from '../identity/sign-in/cookies.ts';
import type { RateLimit } from '../identity/sign-in/rate-limit.ts';
import { safeNext } from '../identity/sign-in/safe-next.ts';
import type { SignInService } from '../identity/sign-in/service.ts';
import type { SettingsService } from '../settings/service.ts';
import { accountOf } from './accounts.ts';
import { CALLBACK, redirectOf, siteOf } from './addresses.ts';
import { type Asked, answer, ask, endUrl } from './flow.ts';
import { createProvider } from './provider.ts';

export interface OpenidOptions {
  readonly db: Db;
  readonly audit: AuditWriter;
  readonly accounts: Writer;
  readonly settings: SettingsService;
  readonly vault: Vault;
  readonly signIns: SignInService;
  readonly limit: RateLimit;
  readonly log: Logger;
  readonly publicUrl: string | undefined;
}

const SIGN_IN_PAGE = '/core/auth/login/';
const LOGOUT = '/core/auth/openid/logout/';
/** Both are sealed: only this server can read them. */
const ASKED_COOKIE = 'sallyport_openid';
const TOKEN_COOKIE = 'sallyport_openid_end';
const ASKED_CONTEXT = 'openid.asked';
const TOKEN_CONTEXT = 'openid.id_token';
/** Browsers drop larger ones. */
const MAX_COOKIE = 3_800;
const NAME = /^[\w.:/-]{1,64}$/;

/** The page after signing out: the provider's sign-out when the user signed in there. */
export function signOutPage({ request }: PublicContext): string {
  return [true, false].some((secure) => readCookie(request, TOKEN_COOKIE, secure)) ? LOGOUT : SIGN_IN_PAGE;
}

/** Signing in through a provider of OpenID Connect: authorization code with PKCE, state and nonce. */
export function mountOpenid(app: FastifyInstance, options: OpenidOptions): void {
  const { db, settings, vault, signIns, log, publicUrl } = options;
  const provider = createProvider(settings);

  const go = ({ reply }: PublicContext, where: string) => {
    reply.header('cache-control', 'no-store').redirect(where, 302);
    return reply;
  };
  /** A browser navigates here, so the answer is a page: the sign-in page shows the error. */
  const back = (context: PublicContext, error: unknown) => {
    if (error instanceof AppError) return go(context, `${SIGN_IN_PAGE}?refused=${error.code}`);
    throw error;
  };
  const assertEnabled = () => {
    if (!settings.get('AUTH_OPENID')) throw new NotFound('not_found');
  };
  const claimMap = () => {
    const map: Readonly<Record<string, unknown>> = settings.get('AUTH_OPENID_USER_ATTR_MAP');
    const claim = (field: string, fallback: string) => (typeof map?.[field] === 'string' && NAME.test(map[field]) ? map[field] : fallback);
    return { username: claim('username', 'preferred_username'), name: claim('name', 'name'), email: claim('email', 'email') };
  };
  const reach = async () => {
    try {
      return await provider.get();
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'the OpenID provider could not be reached');
      throw new Unavailable('openid_unavailable');
    }
  };
  const open = <T>(sealed: string | undefined, name: string): T | undefined => {
    if (!sealed) return undefined;
    try {
      return JSON.parse(vault.open(sealed, name)) as T;
    } catch {
      return undefined;
    }
  };
  const get = (url: string, summary: string, handler: (context: PublicContext) => Promise<unknown>) =>
    publicRoute(app, {
      method: 'GET',
      url,
      summary,
      async handler(context) {
        await options.limit(context);
        return handler(context);
      },
    });

  get('/core/auth/openid/login/', 'Go to the OpenID provider to sign in.', async (context) => {
    assertEnabled();
    try {
      const { url, asked } = await ask(await reach(), redirectOf(context, publicUrl), settings.get('AUTH_OPENID_SCOPES'), safeNext(context.query.get('next')));
      setHiddenCookie(context.reply, ASKED_COOKIE, vault.seal(JSON.stringify(asked), ASKED_CONTEXT), isSecure(context, publicUrl), 600);
      return go(context, url.href);
    } catch (error) {
      return back(context, error);
    }
  });

  get(CALLBACK, 'Come back from the OpenID provider.', async (context) => {
    assertEnabled();
    const asked = open<Asked>(readCookie(context.request, ASKED_COOKIE, isSecure(context, publicUrl)), ASKED_CONTEXT);
    // It is valid once, whatever the result.
    clearHiddenCookie(context.reply, ASKED_COOKIE, isSecure(context, publicUrl));
    try {
      if (!asked || asked.until < Date.now()) throw new Rejected('openid_failed');
      const from = await reach();
      const address = new URL(`${redirectOf(context, publicUrl)}?${context.query}`);
      const { external, idToken } = await answer(from, address, asked, claimMap()).catch((error: unknown) => {
        log.warn({ error: error instanceof Error ? error.message : String(error) }, 'the answer of the OpenID provider was not accepted');
        throw new Rejected('openid_failed');
      });
      const visitor = visitorOf(context, 'W');
      const userId = await accountOf(external, visitor.remoteAddress, options).catch(async (error: unknown) => {
        if (error instanceof AppError) await writeLoginLog(db, { ...visitor, username: external.username, userId: undefined, mfa: 2, reason: error.code });
        throw error;
      });
      const outcome = await signIns.withProof(userId, 'external', { kind: 'browser', visitor, next: asked.next });
      const sealed = vault.seal(JSON.stringify(idToken), TOKEN_CONTEXT);
      if (settings.get('AUTH_OPENID_LOGOUT') && sealed.length <= MAX_COOKIE) setHiddenCookie(context.reply, TOKEN_COOKIE, sealed, isSecure(context, publicUrl));
      if (outcome.step !== 'in') {
        setTicket(context, outcome.ticket, isSecure(context, publicUrl));
        return go(context, SIGN_IN_PAGE);
      }
      clearTicket(context, isSecure(context, publicUrl));
      setSession(context, outcome.token, settings.get('SESSION_COOKIE_AGE'), isSecure(context, publicUrl));
      return go(context, outcome.next);
    } catch (error) {
      return back(context, error);
    }
  });

  get(LOGOUT, 'Sign out at the OpenID provider as well.', async (context) => {
    const idToken = open<string>(readCookie(context.request, TOKEN_COOKIE, isSecure(context, publicUrl)), TOKEN_CONTEXT);
    clearHiddenCookie(context.reply, TOKEN_COOKIE, isSecure(context, publicUrl));
    if (!idToken || !settings.get('AUTH_OPENID') || !settings.get('AUTH_OPENID_LOGOUT')) return go(context, SIGN_IN_PAGE);
    try {
      return go(context, endUrl(await reach(), idToken, `${siteOf(context, publicUrl)}${SIGN_IN_PAGE}`)?.href ?? SIGN_IN_PAGE);
    } catch (error) {
      return back(context, error);
    }
  });
}
