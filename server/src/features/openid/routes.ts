import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { publicRoute } from '../../http/route.ts';
import { invalid, Rejected, Unavailable } from '../../platform/errors.ts';
import {
  createProviderPages,
  endSignInsFrom,
  formText,
  goTo,
  type ProviderServices,
  SIGN_IN_PAGE,
  siteOf,
  takeOnce,
} from '../identity/index.ts';
import type { SignInState } from './flow.ts';
import { createProvider } from './provider.ts';

/** Loaded at the first sign-in through OpenID. */
const flow = () => import('./flow.ts');

const CALLBACK = '/core/auth/openid/callback/';
const LOGOUT = '/core/auth/openid/logout/';
const BACK_CHANNEL = '/core/auth/openid/back-channel-logout/';
const MAX_FORM = 65_536;
/** Longer than the maximum age of a token. */
const REMEMBERED_MS = 3_600_000;
const NAME = /^[\w.:/-]{1,64}$/;

/** The redirect address to register at the provider. */
export const redirectOf = (context: PublicContext, publicUrl: string | undefined): string =>
  `${siteOf(context, publicUrl)}${CALLBACK}`;

/**
 * Sign-in through an OpenID Connect provider: authorization code with PKCE, state and nonce.
 * `signOutPage` is the sign-out page of users who signed in here.
 */
export function createOpenidPages(services: ProviderServices) {
  const { settings, db, limit, log, publicUrl } = services;
  const provider = createProvider(settings);
  const pages = createProviderPages(
    { source: 'openid', isOn: () => settings.get('AUTH_OPENID'), mayCreate: () => true },
    services,
  );

  const claimMap = () => {
    const map: Readonly<Record<string, unknown>> = settings.get('AUTH_OPENID_USER_ATTR_MAP');
    const claim = (field: string, fallback: string) =>
      typeof map?.[field] === 'string' && NAME.test(map[field]) ? map[field] : fallback;
    return {
      username: claim('username', 'preferred_username'),
      name: claim('name', 'name'),
      email: claim('email', 'email'),
    };
  };
  const reach = async () => {
    try {
      return await provider.get();
    } catch (error) {
      log.warn(
        { error: error instanceof Error ? error.message : String(error) },
        'the OpenID provider could not be reached',
      );
      throw new Unavailable('provider_unavailable');
    }
  };

  /** Reads a logout token. @throws Invalid for an invalid token, as the specification requires */
  const readEnded = async (context: PublicContext) => {
    const from = await reach();
    const { readLogoutToken } = await import('./back-channel.ts');
    return readLogoutToken(
      formText(context, 'logout_token'),
      from,
      settings.get('AUTH_OPENID_CLIENT_ID'),
    ).catch((error: unknown) => {
      log.warn(
        { error: error instanceof Error ? error.message : String(error) },
        'a logout token of the OpenID provider was not accepted',
      );
      throw invalid('logout_token', 'provider_failed');
    });
  };

  return {
    signOutPage: (context: PublicContext) => (pages.isFromHere(context) ? LOGOUT : undefined),
    mount(app: FastifyInstance) {
      pages.get(
        app,
        '/core/auth/openid/login/',
        'Go to the OpenID provider to sign in.',
        async (context) => {
          pages.assertEnabled();
          const { url, state } = await (await flow()).startSignIn(
            await reach(),
            redirectOf(context, publicUrl),
            settings.get('AUTH_OPENID_SCOPES'),
          );
          return pages.leave(context, url.href, state);
        },
      );

      pages.get(app, CALLBACK, 'Come back from the OpenID provider.', async (context) => {
        pages.assertEnabled();
        const signIn = pages.question<SignInState>(context);
        const from = await reach();
        const address = new URL(`${redirectOf(context, publicUrl)}?${context.query}`);
        const { external, idToken, session } = await (await flow())
          .finishSignIn(from, address, signIn, claimMap())
          .catch((error: unknown) => {
            log.warn(
              { error: error instanceof Error ? error.message : String(error) },
              'the answer of the OpenID provider was not accepted',
            );
            throw new Rejected('provider_failed');
          });
        const origin = {
          source: 'openid',
          issuer: external.issuer,
          subject: external.subject,
          session,
        };
        return pages.arrive(context, external, {
          next: signIn.next,
          origin,
          ...(settings.get('AUTH_OPENID_LOGOUT') && { end: { idToken } }),
        });
      });

      // The provider itself calls this, so errors are a status instead of a page.
      const ended = async (context: PublicContext) => {
        await limit(context);
        pages.assertEnabled();
        const { issuer, id, subject, session } = await readEnded(context);
        context.reply.header('cache-control', 'no-store');
        // A repeated token has already ended the sign-ins.
        if (!(await takeOnce(db, ['openid-logout', issuer, id], Date.now() + REMEMBERED_MS)))
          return context.reply.send();
        const parts = { source: 'openid', issuer, ...(subject !== '' && { subject }) };
        const count = await endSignInsFrom(parts, session === '' ? undefined : [session], db);
        await limit.giveBack(context);
        log.info({ ended: count }, 'the OpenID provider ended sign-ins');
        return context.reply.send();
      };
      const summary = 'End the sign-ins that the OpenID provider has ended; the provider calls it.';
      publicRoute(app, {
        method: 'POST',
        url: BACK_CHANNEL,
        summary,
        bodyLimit: MAX_FORM,
        handler: ended,
      });

      pages.get(app, LOGOUT, 'Sign out at the OpenID provider as well.', async (context) => {
        const end = pages.end<{ idToken: string }>(context);
        if (!end || !settings.get('AUTH_OPENID') || !settings.get('AUTH_OPENID_LOGOUT'))
          return goTo(context, SIGN_IN_PAGE);
        return goTo(
          context,
          (await flow()).endUrl(
            await reach(),
            end.idToken,
            `${siteOf(context, publicUrl)}${SIGN_IN_PAGE}`,
          )?.href ?? SIGN_IN_PAGE,
        );
      });
    },
  };
}
