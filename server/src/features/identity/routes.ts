import { type Fields, Permission, user } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { invalid, Refusal } from '../../http/problem.ts';
import { engineOf } from '../../http/resource/mount.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { rowOf } from '../../http/shapes.ts';
import type { SettingsService } from '../settings/service.ts';
import { SESSION_COOKIE } from './authenticator.ts';
import type { Lockout } from './lockout.ts';
import { mountPasskeys } from './mfa/passkey-routes.ts';
import { mountMfaReset } from './mfa/reset-route.ts';
import { mountMfa } from './mfa/routes.ts';
import { mountPasswords, type PasswordOptions } from './password/routes.ts';
import { mountPreferences } from './preferences.ts';
import type { ProfileServices } from './profile.ts';
import { mountPublicKey } from './public-key-routes.ts';
import { CREDENTIALS } from './sign-in/bodies.ts';
import { mountBrowserSignIn, type SignInDoorOptions } from './sign-in/browser-routes.ts';
import { mountTokenSignIn } from './sign-in/token-routes.ts';
import { mountSignIns } from './sign-in-routes.ts';
import { endSignIn } from './sign-ins.ts';
import { assertSignedIn } from './signed-in.ts';
import { mayUpdate } from './user-hooks.ts';
import { NOTHING, SIGNED_OUT } from './wire-shapes.ts';

export interface IdentityOptions extends ProfileServices, SignInDoorOptions, PasswordOptions {
  readonly settings: SettingsService;
  readonly lockout: Lockout;
  /** Tells the gateway that a sign-in has ended, so that its open sessions end too. */
  readonly signedOut: (userId: string, sessionId: string) => void;
  /** Where a browser goes when it has signed out. */
  readonly signOutPage: (context: Context) => string;
}

/** Signing in and out, in browsers and in scripts, and what signed-in people do with their accounts. */
export function mountIdentity(app: FastifyInstance, options: IdentityOptions): void {
  const { db } = options;

  mountBrowserSignIn(app, options);
  mountTokenSignIn(app, options);
  mountMfa(app, options);
  mountPasskeys(app, options);
  mountMfaReset(app, options);
  mountSignIns(app, options);
  mountPublicKey(app, options);
  mountPasswords(app, options);

  // The second one is what consoles built on the established template call (specification §7).
  for (const url of ['/core/auth/logout/', '/vue-admin-template/user/logout/']) {
    route(app, {
      method: 'POST',
      url,
      access: 'signed-in',
      summary: 'Sign out.',
      answer: SIGNED_OUT,
      async handler(context) {
        const { actor, reply } = context;
        // A key is no sign-in that could end; it is switched off.
        assertSignedIn(context);
        await endSignIn(db, actor.session.id);
        options.signedOut(actor.userId, actor.session.id);
        reply.clearCookie(SESSION_COOKIE, { path: '/' });
        return { next: options.signOutPage(context) };
      },
    });
  }

  route(app, {
    method: 'PATCH',
    url: '/api/v1/users/users/:id/unblock/',
    access: Permission.ADMIN,
    summary: 'Forget the failed sign-ins of an account.',
    answer: rowOf(user),
    async handler(context) {
      const engine = engineOf(options.engines, user);
      const row = await engine.reader.retrieve(parameter(context, 'id'), context);
      if (!mayUpdate(row)) throw new Refusal(403, 'object_protected');
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
    body: { password: CREDENTIALS.password as Fields[string] },
    answer: NOTHING,
    async handler(context) {
      const { password } = readBody(context);
      // Elsewhere a blank secret keeps the old one; who comes here means to set it.
      if (password === '') throw invalid('password', 'blank');
      await engineOf(options.engines, user).writer.update(parameter(context, 'id'), { password }, 'change', context);
      return {};
    },
  });

  mountPreferences(app, db);
}
