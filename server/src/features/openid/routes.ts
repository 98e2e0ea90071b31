import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { Rejected, Unavailable } from '../../platform/errors.ts';
import { createProviderPages, goTo, type ProviderServices, SIGN_IN_PAGE, siteOf } from '../identity/sign-in/provider-pages.ts';
import type { Asked } from './flow.ts';
import { createProvider } from './provider.ts';

/** The library is loaded when somebody signs in with it. */
const flow = () => import('./flow.ts');

const CALLBACK = '/core/auth/openid/callback/';
const LOGOUT = '/core/auth/openid/logout/';
const NAME = /^[\w.:/-]{1,64}$/;

/** The address that has to be registered at the provider. */
export const redirectOf = (context: PublicContext, publicUrl: string | undefined): string => `${siteOf(context, publicUrl)}${CALLBACK}`;

/** Signing in through a provider of OpenID Connect: authorization code with PKCE, state and nonce. Returns the page after signing out, for those who came from there. */
export function createOpenidPages(services: ProviderServices) {
  const { settings, log, publicUrl } = services;
  const provider = createProvider(settings);
  const pages = createProviderPages({ source: 'openid', isOn: () => settings.get('AUTH_OPENID'), mayCreate: () => true }, services);

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
      throw new Unavailable('provider_unavailable');
    }
  };

  return {
    signOutPage: (context: PublicContext) => (pages.isFromHere(context) ? LOGOUT : undefined),
    mount(app: FastifyInstance) {
      pages.get(app, '/core/auth/openid/login/', 'Go to the OpenID provider to sign in.', async (context) => {
        pages.assertEnabled();
        const { url, asked } = await (await flow()).ask(await reach(), redirectOf(context, publicUrl), settings.get('AUTH_OPENID_SCOPES'));
        return pages.leave(context, url.href, asked);
      });

      pages.get(app, CALLBACK, 'Come back from the OpenID provider.', async (context) => {
        pages.assertEnabled();
        const asked = pages.question<Asked>(context);
        const from = await reach();
        const address = new URL(`${redirectOf(context, publicUrl)}?${context.query}`);
        const { external, idToken } = await (await flow()).answer(from, address, asked, claimMap()).catch((error: unknown) => {
          log.warn({ error: error instanceof Error ? error.message : String(error) }, 'the answer of the OpenID provider was not accepted');
          throw new Rejected('provider_failed');
        });
        return pages.arrive(context, external, { next: asked.next, ...(settings.get('AUTH_OPENID_LOGOUT') && { end: { idToken } }) });
      });

      pages.get(app, LOGOUT, 'Sign out at the OpenID provider as well.', async (context) => {
        const end = pages.end<{ idToken: string }>(context);
        if (!end || !settings.get('AUTH_OPENID') || !settings.get('AUTH_OPENID_LOGOUT')) return goTo(context, SIGN_IN_PAGE);
        return goTo(context, (await flow()).endUrl(await reach(), end.idToken, `${siteOf(context, publicUrl)}${SIGN_IN_PAGE}`)?.href ?? SIGN_IN_PAGE);
      });
    },
  };
}
