import { Permission, user } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { rowOf } from '../../http/shapes.ts';
import { invalid } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { engineOf } from '../../resources/engines.ts';
import { mountManagedAccessKeys } from './access-keys/routes.ts';
import { accountEntry, managedAccount } from './accounts/managed-account.ts';
import { SESSION_COOKIE } from './authenticator.ts';
import { clearHiddenCookie, isHttps } from './cookie-names.ts';
import { mountPasskeys } from './mfa/passkey-routes.ts';
import { mountMfaReset } from './mfa/reset-routes.ts';
import { mountMfa } from './mfa/routes.ts';
import type { OffboardingOptions } from './offboarding/facts.ts';
import { mountOffboarding } from './offboarding/routes.ts';
import { mountPasswords, type PasswordOptions } from './password/routes.ts';
import { mountWelcome } from './password/welcome.ts';
import { mountPreferences } from './profile/preference-routes.ts';
import type { ProfileServices } from './profile/profile.ts';
import { mountPublicKey } from './profile/public-key-routes.ts';
import { CREDENTIALS } from './sign-in/bodies.ts';
import { mountBrowserSignIn } from './sign-in/browser-routes.ts';
import type { SignInRouteOptions } from './sign-in/browser-steps.ts';
import { mountLockedAddresses } from './sign-in/locked-addresses.ts';
import type { Lockout } from './sign-in/lockout.ts';
import { mountTokenSignIn } from './sign-in/token-routes.ts';
import { assertSignedIn } from './sign-in-sessions/current.ts';
import { mountSignIns } from './sign-in-sessions/routes.ts';
import { endSignIn } from './sign-in-sessions/store.ts';
import { NOTHING, SIGNED_OUT } from './wire-shapes.ts';

const NEW_PASSWORD = { password: CREDENTIALS.password };

export interface IdentityOptions
  extends ProfileServices,
    SignInRouteOptions,
    PasswordOptions,
    OffboardingOptions {
  readonly settings: SettingsService;
  readonly lockout: Lockout;
  /** Tells the gateway that a sign-in has ended, so that it ends the open sessions. */
  readonly signedOut: (userId: string, sessionId: string) => void;
  /** Returns the page of a browser after signing out. */
  readonly signOutPage: (context: Context) => string;
}

/** Routes for signing in and out with browsers and scripts, and for the own account. */
export function mountIdentity(app: FastifyInstance, options: IdentityOptions): void {
  const { db } = options;

  mountBrowserSignIn(app, options);
  mountTokenSignIn(app, options);
  mountMfa(app, options);
  mountPasskeys(app, options);
  mountMfaReset(app, options);
  mountSignIns(app, options);
  mountManagedAccessKeys(app, options);
  mountOffboarding(app, options);
  mountPublicKey(app, options);
  mountPasswords(app, options);
  mountWelcome(app, options);

  // Consoles built on the established template call the second URL (conformance 7.5).
  for (const url of ['/core/auth/logout/', '/vue-admin-template/user/logout/']) {
    route(app, {
      method: 'POST',
      url,
      access: 'signed-in',
      area: 'own',
      summary: 'Sign out.',
      endsSignIn: true,
      answer: SIGNED_OUT,
      async handler(context) {
        const { actor, reply } = context;
        // An access key is not a sign-in that could end; users disable it.
        assertSignedIn(context);
        await endSignIn(db, actor.session.id);
        options.signedOut(actor.userId, actor.session.id);
        clearHiddenCookie(reply, SESSION_COOKIE, isHttps(context.request, options.publicUrl));
        return { next: options.signOutPage(context) };
      },
    });
  }

  route(app, {
    method: ['PUT', 'PATCH'],
    url: '/api/v1/users/users/:id/unblock/',
    access: Permission.ADMIN,
    area: 'users',
    summary: 'Reset the failed sign-ins of an account.',
    answer: rowOf(user),
    async handler(context) {
      const engine = engineOf(options.engines, user);
      const account = await managedAccount(context, 'unblock', options);
      await options.lockout.unblock(account.username);
      await options.audit(db, context, accountEntry(account, { login_blocked: [true, false] }));
      return engine.reader.retrieve(account.id, context);
    },
  });

  // The reference returns the stored hash; we return nothing.
  route(app, {
    method: ['PUT', 'PATCH'],
    url: '/api/v1/users/users/:id/password/',
    access: Permission.ADMIN,
    area: 'users',
    summary: 'Set the password of an account.',
    body: NEW_PASSWORD,
    answer: NOTHING,
    async handler(context) {
      const { password } = readBody(context, NEW_PASSWORD);
      // Elsewhere a blank secret keeps the old one; a caller of this route intends to set it.
      if (password === '') throw invalid('password', 'blank');
      await engineOf(options.engines, user).writer.change(
        parameter(context, 'id'),
        { password },
        context,
      );
      return {};
    },
  });

  mountLockedAddresses(app, options);
  mountPreferences(app, db);
}
