import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { Refusal } from '../../http/problem.ts';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import { publicRoute } from '../../http/route.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import { writeLoginLog } from '../audits/login-log.ts';
import type { RateLimit } from '../identity/rate-limit.ts';
import { safeNext } from '../identity/safe-next.ts';
import { visitorOf } from '../identity/sign-in/browser-routes.ts';
import { clearTicket, isSecure, setSession, setTicket } from '../identity/sign-in/cookies.ts';
import type { SignInService } from '../identity/sign-in/service.ts';
import type { SettingsService } from '../settings/service.ts';
import { accountOf } from './accounts.ts';
import { CALLBACK, redirectOf, siteOf } from './addresses.ts';
import { type Asked, answer, ask, endUrl } from './flow.ts';
import { createProvider } from './provider.ts';

export interface OpenidOptions {
  readonly db: Db;
  readonly audit: AuditWriter;
  readonly settings: SettingsService;
  readonly vault: Vault;
  readonly signIns: SignInService;
  readonly limit: RateLimit;
  readonly log: Logger;
  readonly publicUrl: string | undefined;
}

const DOOR = '/core/auth/login/';
const LOGOUT = '/core/auth/openid/logout/';
/** Both are sealed: what they hold is for nobody but this server. */
const ASKED_COOKIE = 'sallyport_openid';
const TOKEN_COOKIE = 'sallyport_openid_end';
const ASKED_CONTEXT = 'openid.asked';
const TOKEN_CONTEXT = 'openid.id_token';
/** Browsers drop larger ones. */
const MAX_COOKIE = 3_800;
const NAME = /^[\w.:/-]{1,64}$/;

/** Where a browser goes after it has signed out here: on to the provider when it came from there. */
export function signOutPage({ request }: PublicContext): string {
  return request.cookies[TOKEN_COOKIE] ? LOGOUT : DOOR;
}

/** Signing in through a provider of OpenID Connect: authorization code with PKCE, state and nonce. */
export function mountOpenid(app: FastifyInstance, options: OpenidOptions): void {
  const { db, settings, vault, signIns, log, publicUrl } = options;
  const provider = createProvider(settings);

  const go = ({ reply }: PublicContext, where: string) => {
    reply.header('cache-control', 'no-store').redirect(where, 302);
    return reply;
  };
  const cookie = (context: PublicContext) => ({ path: '/core/auth/', httpOnly: true, sameSite: 'lax', secure: isSecure(context, publicUrl) }) as const;
  /** A page is asked for, so a page has to come: the sign-in page says why. */
  const back = (context: PublicContext, error: unknown) => {
    if (error instanceof Refusal) return go(context, `${DOOR}?refused=${error.code}`);
    throw error;
  };
  const assertEnabled = () => {
    if (!settings.get('AUTH_OPENID')) throw new Refusal(404, 'not_found');
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
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'the OpenID provider could not be asked');
      throw new Refusal(503, 'openid_unavailable');
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
      handler(context) {
        options.limit(context);
        return handler(context);
      },
    });

  get('/core/auth/openid/login/', 'Go to the OpenID provider to sign in.', async (context) => {
    assertEnabled();
    try {
      const { url, asked } = await ask(await reach(), redirectOf(context, publicUrl), settings.get('AUTH_OPENID_SCOPES'), safeNext(context.query.get('next')));
      context.reply.setCookie(ASKED_COOKIE, vault.seal(JSON.stringify(asked), ASKED_CONTEXT), { ...cookie(context), maxAge: 600 });
      return go(context, url.href);
    } catch (error) {
      return back(context, error);
    }
  });

  get(CALLBACK, 'Come back from the OpenID provider.', async (context) => {
    assertEnabled();
    const asked = open<Asked>(context.request.cookies[ASKED_COOKIE], ASKED_CONTEXT);
    // Good once, whatever comes of it.
    context.reply.clearCookie(ASKED_COOKIE, cookie(context));
    try {
      if (!asked || asked.until < Date.now()) throw new Refusal(400, 'openid_failed');
      const from = await reach();
      const address = new URL(`${redirectOf(context, publicUrl)}?${context.query}`);
      const { stranger, idToken } = await answer(from, address, asked, claimMap()).catch((error: unknown) => {
        log.warn({ error: error instanceof Error ? error.message : String(error) }, 'what the OpenID provider answered was not accepted');
        throw new Refusal(400, 'openid_failed');
      });
      const visitor = visitorOf(context, 'W');
      const userId = await accountOf(stranger, visitor.remoteAddress, options).catch(async (error: unknown) => {
        if (error instanceof Refusal) await writeLoginLog(db, { ...visitor, username: stranger.username, userId: undefined, mfa: 2, reason: error.code });
        throw error;
      });
      const outcome = await signIns.withProof(userId, 'external', { kind: 'browser', visitor, next: asked.next });
      const sealed = vault.seal(JSON.stringify(idToken), TOKEN_CONTEXT);
      if (settings.get('AUTH_OPENID_LOGOUT') && sealed.length <= MAX_COOKIE) context.reply.setCookie(TOKEN_COOKIE, sealed, cookie(context));
      if (outcome.step !== 'in') {
        setTicket(context, outcome.ticket, isSecure(context, publicUrl));
        return go(context, DOOR);
      }
      clearTicket(context);
      setSession(context, outcome.token, settings.get('SESSION_COOKIE_AGE'), isSecure(context, publicUrl));
      return go(context, outcome.next);
    } catch (error) {
      return back(context, error);
    }
  });

  get(LOGOUT, 'Sign out at the OpenID provider as well.', async (context) => {
    const idToken = open<string>(context.request.cookies[TOKEN_COOKIE], TOKEN_CONTEXT);
    context.reply.clearCookie(TOKEN_COOKIE, cookie(context));
    if (!idToken || !settings.get('AUTH_OPENID') || !settings.get('AUTH_OPENID_LOGOUT')) return go(context, DOOR);
    try {
      return go(context, endUrl(await reach(), idToken, `${siteOf(context, publicUrl)}${DOOR}`)?.href ?? DOOR);
    } catch (error) {
      return back(context, error);
    }
  });
}
