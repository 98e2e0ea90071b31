import { type Fields, formatDatetime, Permission, secret, text, user } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sql } from 'kysely';
import type { Context, PublicContext } from '../../http/context.ts';
import { invalid, notFound, Refusal } from '../../http/problem.ts';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import { type Engines, engineOf } from '../../http/resource/mount.ts';
import { parameter, publicRoute, readBody, route } from '../../http/route.ts';
import { randomToken } from '../../platform/crypto/token.ts';
import type { Db } from '../../platform/db/database.ts';
import { CSRF_COOKIE, hasCsrfToken, isOwnOrigin, SESSION_COOKIE } from './authenticator.ts';
import type { Lockout } from './lockout.ts';
import { type ProfileServices, profileOf } from './profile.ts';
import { safeNext } from './safe-next.ts';
import type { SignInService } from './sign-in-service.ts';
import { endSignIn } from './sign-ins.ts';
import { mayUpdate } from './user-hooks.ts';

export interface IdentityOptions extends ProfileServices {
  readonly db: Db;
  readonly engines: Engines;
  readonly signIns: SignInService;
  readonly lockout: Lockout;
  readonly audit: AuditWriter;
  readonly publicUrl: string | undefined;
  /** Tells the gateway that a sign-in has ended, so that its open sessions end too. */
  readonly signedOut: (userId: string, sessionId: string) => void;
}

const CREDENTIALS: Fields = {
  username: text({ label: { en: 'Username', zh: '用户名' }, max: 128 }),
  password: { ...secret({ label: { en: 'Password', zh: '密码' }, max: 1024 }), required: true },
};

const visitorOf = ({ request }: PublicContext) => ({ remoteAddress: request.ip, userAgent: String(request.headers['user-agent'] ?? '') });

/** Refuses what PostgreSQL's jsonb does not keep. */
function assertStorable(text: string): void {
  if (text.includes('\u0000')) throw new Refusal(400, 'nul_byte');
  if (!text.isWellFormed()) throw new Refusal(400, 'not_string');
}

/** Sets the cookie that our pages repeat as a header. */
export function setCsrfCookie(reply: FastifyReply, secure: boolean): void {
  reply.setCookie(CSRF_COOKIE, randomToken(), { path: '/', sameSite: 'lax', secure, maxAge: 31_449_600 });
}

/** Signing in and out, in browsers and in scripts, and what signed-in people do with their accounts. */
export function mountIdentity(app: FastifyInstance, options: IdentityOptions): void {
  const { db, signIns, settings } = options;
  const isSecure = (context: PublicContext) => context.request.protocol === 'https' || options.publicUrl?.startsWith('https:') === true;

  publicRoute(app, {
    method: 'POST',
    url: '/core/auth/login/',
    summary: 'Sign in with a browser.',
    async handler(context) {
      // Signing somebody in under a name of the attacker's is an attack as well.
      if (!isOwnOrigin(context.request, options.publicUrl)) throw new Refusal(403, 'origin_refused');
      if (!hasCsrfToken(context.request)) throw new Refusal(403, 'csrf_failed');
      const { next, ...body } = (context.request.body ?? {}) as Record<string, unknown>;
      const { username, password } = readBody({ ...context, request: Object.assign(Object.create(context.request), { body }) }, CREDENTIALS);
      const { token } = await signIns.signIn(String(username), String(password), { ...visitorOf(context), type: 'W' }, 'browser');
      const secure = isSecure(context);
      context.reply.setCookie(SESSION_COOKIE, token, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: settings.get('SESSION_COOKIE_AGE') });
      setCsrfCookie(context.reply, secure);
      return { next: safeNext(next) };
    },
  });

  route(app, {
    method: 'POST',
    url: '/core/auth/logout/',
    access: 'signed-in',
    summary: 'Sign out.',
    async handler({ actor, reply }) {
      await endSignIn(db, actor.session.id);
      options.signedOut(actor.userId, actor.session.id);
      reply.clearCookie(SESSION_COOKIE, { path: '/' });
      return { next: '/core/auth/login/' };
    },
  });

  for (const url of ['/api/v1/authentication/auth/', '/api/v1/authentication/tokens/']) {
    publicRoute(app, {
      method: 'POST',
      url,
      summary: 'Sign in with a script: a bearer token.',
      async handler(context) {
        const { username, password } = readBody(context, CREDENTIALS);
        const signIn = await signIns.signIn(String(username), String(password), { ...visitorOf(context), type: 'A' }, 'bearer');
        context.request.headers.authorization = `Bearer ${signIn.token}`;
        const actor = await options.authenticator.authenticate(context.request);
        if (!actor) throw new Refusal(400, 'user_inactive');
        context.reply.code(201);
        return {
          token: signIn.token,
          keyword: 'Bearer',
          date_expired: formatDatetime(signIn.dateExpired, context.zone),
          user: await profileOf({ ...context, actor }, options),
        };
      },
    });
  }

  route(app, {
    method: 'PATCH',
    url: '/api/v1/users/users/:id/unblock/',
    access: Permission.ADMIN,
    summary: 'Forget the failed sign-ins of an account.',
    async handler(context) {
      const engine = engineOf(options.engines, user);
      const row = await engine.reader.retrieve(parameter(context, 'id'), context);
      if (!mayUpdate(row, context)) throw new Refusal(403, 'object_protected');
      await options.lockout.unblock(String(row.username));
      await options.audit(db, context, {
        action: 'update',
        resourceType: 'user',
        resource: `${row.name}(${row.username})`,
        resourceId: String(row.id),
        changes: { login_blocked: [true, false] },
      });
      return engine.reader.retrieve(String(row.id), context);
    },
  });

  // The reference answers with the stored hash; we answer with nothing.
  route(app, {
    method: ['PUT', 'PATCH'],
    url: '/api/v1/users/users/:id/password/',
    access: Permission.ADMIN,
    summary: "Set somebody's password.",
    async handler(context) {
      const { password } = readBody(context, { password: CREDENTIALS.password as Fields[string] });
      // Elsewhere a blank secret keeps the old one; who comes here means to set it.
      if (password === '') throw invalid('password', 'blank');
      await engineOf(options.engines, user).writer.update(parameter(context, 'id'), { password }, 'change', context);
      return {};
    },
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/users/preferences/',
    access: Permission.USE,
    summary: 'What the caller likes the console to look like.',
    handler: ({ actor }) => preferencesOf(actor.userId),
  });
  route(app, {
    method: 'PATCH',
    url: '/api/v1/users/preferences/',
    access: Permission.USE,
    bodyLimit: 16_384,
    summary: 'Change some of them.',
    async handler({ actor, request }: Context) {
      const body = request.body;
      if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal(400, 'not_object');
      const text = JSON.stringify(body, (name, value: unknown) => {
        assertStorable(name);
        if (typeof value === 'string') assertStorable(value);
        return value;
      });
      await sql`
        update account set preferences = preferences || ${text}::jsonb
        where id = ${actor.userId} and pg_column_size(preferences || ${text}::jsonb) < 65536`.execute(db);
      return preferencesOf(actor.userId);
    },
  });

  async function preferencesOf(userId: string): Promise<unknown> {
    const { rows } = await sql<{ preferences: unknown }>`select preferences from account where id = ${userId}`.execute(db);
    if (!rows[0]) throw notFound();
    return rows[0].preferences;
  }
}
