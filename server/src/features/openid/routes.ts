import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { publicRoute } from '../../http/route.ts';
import { databaseClock } from '../../platform/clock.ts';
import { invalid, Rejected, Unavailable } from '../../platform/errors.ts';
import {
  createProviderPages,
  endSignInsFrom,
  formText,
  goTo,
  type ProviderPages,
  type ProviderServices,
  SIGN_IN_PAGE,
  siteOf,
  takeOnce,
} from '../identity/index.ts';
import { readLogoutToken } from './back-channel.ts';
import { startSignIn as begin, endUrl, finishSignIn as finish, type SignInState } from './flow.ts';
import { createProvider, type Provider } from './provider.ts';
import { describeFailure } from './provider-errors.ts';

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

interface OpenidPages {
  readonly services: ProviderServices;
  readonly pages: ProviderPages;
  readonly provider: Provider;
}

/** Returns the claims of the user's fields, by the settings. */
function claimMap({ settings }: ProviderServices) {
  const map: Readonly<Record<string, unknown>> = settings.get('AUTH_OPENID_USER_ATTR_MAP');
  const claim = (field: string, fallback: string) =>
    typeof map?.[field] === 'string' && NAME.test(map[field]) ? map[field] : fallback;
  return {
    username: claim('username', 'preferred_username'),
    name: claim('name', 'name'),
    email: claim('email', 'email'),
    groups: settings.get('AUTH_OPENID_GROUPS_CLAIM'),
  };
}

/** Creates a function that logs an error and throws another, which says less. */
const reporting =
  ({ log }: ProviderServices, message: string, toThrow: () => Error) =>
  (error: unknown): never => {
    log.warn({ error: describeFailure(error) }, message);
    throw toThrow();
  };

/** Returns the provider. @throws Unavailable */
const reachProvider = ({ provider, services }: OpenidPages) =>
  provider
    .get()
    .catch(
      reporting(
        services,
        'the OpenID provider could not be reached',
        () => new Unavailable('provider_unavailable'),
      ),
    );

/** Sends a browser to the provider. */
async function startSignIn(openid: OpenidPages, context: PublicContext) {
  const { pages, services } = openid;
  pages.assertEnabled();
  const { url, state } = await begin(
    await reachProvider(openid),
    redirectOf(context, services.publicUrl),
    services.settings.get('AUTH_OPENID_SCOPES'),
  );
  return pages.leave(context, url.href, state);
}

/** Signs in a browser that comes back from the provider. */
async function finishSignIn(openid: OpenidPages, context: PublicContext) {
  const { pages, services } = openid;
  pages.assertEnabled();
  const signIn = pages.question<SignInState>(context);
  const from = await reachProvider(openid);
  const address = new URL(`${redirectOf(context, services.publicUrl)}?${context.query}`);
  const { external, idToken, session } = await finish(
    from,
    address,
    signIn,
    claimMap(services),
  ).catch(
    reporting(
      services,
      'the answer of the OpenID provider was not accepted',
      () => new Rejected('provider_failed'),
    ),
  );
  const { issuer, subject } = external;
  return pages.arrive(context, external, {
    next: signIn.next,
    origin: { source: 'openid', issuer, subject, session },
    ...(services.settings.get('AUTH_OPENID_LOGOUT') && { end: { idToken } }),
  });
}

/** Reads a logout token. @throws Invalid for an invalid token, as the specification requires */
async function readLogout(openid: OpenidPages, context: PublicContext) {
  const { services } = openid;
  const from = await reachProvider(openid);
  return readLogoutToken(
    formText(context, 'logout_token'),
    from,
    services.settings.get('AUTH_OPENID_CLIENT_ID'),
  ).catch(
    reporting(services, 'a logout token of the OpenID provider was not accepted', () =>
      invalid('logout_token', 'provider_failed'),
    ),
  );
}

/** Ends the sign-ins that a logout token of the provider names. */
async function endSignIns(openid: OpenidPages, context: PublicContext) {
  const { db, limit, log } = openid.services;
  await limit(context);
  openid.pages.assertEnabled();
  const { issuer, id, subject, session } = await readLogout(openid, context);
  context.reply.header('cache-control', 'no-store');
  // A repeated token has already ended the sign-ins.
  if (!(await takeOnce(db, ['openid-logout', issuer, id], databaseClock.now() + REMEMBERED_MS)))
    return context.reply.send();
  const parts = { source: 'openid', issuer, ...(subject !== '' && { subject }) };
  const count = await endSignInsFrom(parts, session === '' ? undefined : [session], db);
  await limit.giveBack(context);
  log.info({ ended: count }, 'the OpenID provider ended sign-ins');
  return context.reply.send();
}

/** Sends a browser that has signed out here to the provider, to sign out there as well. */
async function leaveToSignOut(openid: OpenidPages, context: PublicContext) {
  const { settings, publicUrl } = openid.services;
  const end = openid.pages.end<{ idToken: string }>(context);
  if (!end || !settings.get('AUTH_OPENID') || !settings.get('AUTH_OPENID_LOGOUT'))
    return goTo(context, SIGN_IN_PAGE);
  const back = `${siteOf(context, publicUrl)}${SIGN_IN_PAGE}`;
  const address = endUrl(await reachProvider(openid), end.idToken, back);
  return goTo(context, address?.href ?? SIGN_IN_PAGE);
}

function mountPages(app: FastifyInstance, openid: OpenidPages): void {
  const { pages } = openid;
  pages.route(app, {
    method: 'GET',
    url: '/core/auth/openid/login/',
    summary: 'Go to the OpenID provider to sign in.',
    handler: (context) => startSignIn(openid, context),
  });
  pages.route(app, {
    method: 'GET',
    url: CALLBACK,
    summary: 'Complete the sign-in with the answer of the OpenID provider.',
    handler: (context) => finishSignIn(openid, context),
  });
  // The provider itself calls this, so errors are a status instead of a page.
  publicRoute(app, {
    method: 'POST',
    url: BACK_CHANNEL,
    summary: 'End the sign-ins that the OpenID provider has ended; the provider calls it.',
    bodyLimit: MAX_FORM,
    handler: (context) => endSignIns(openid, context),
  });
  pages.route(app, {
    method: 'GET',
    url: LOGOUT,
    summary: 'Sign out at the OpenID provider as well.',
    handler: (context) => leaveToSignOut(openid, context),
  });
}

/**
 * Sign-in through an OpenID Connect provider: authorization code with PKCE, state and nonce.
 * `signOutPage` is the sign-out page of users who signed in here.
 */
export function createOpenidPages(services: ProviderServices) {
  const { settings } = services;
  const pages = createProviderPages(
    { source: 'openid', isOn: () => settings.get('AUTH_OPENID'), mayCreate: () => true },
    services,
  );
  const provider = createProvider(settings);
  return {
    signOutPage: (context: PublicContext) => (pages.isFromHere(context) ? LOGOUT : undefined),
    mount: (app: FastifyInstance) => mountPages(app, { services, pages, provider }),
  };
}
