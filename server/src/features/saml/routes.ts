import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { createProviderPages, type ProviderServices } from '../identity/index.ts';
import { type Exchange, keyOf, ownSide } from './exchange.ts';
import type { IdentityProvider } from './metadata.ts';
import { writeMetadata } from './metadata.ts';
import { MAX_MESSAGE, PATHS } from './names.ts';
import { finishSignIn, startSignIn, takePostedAnswer } from './sign-in-pages.ts';
import { endSignIns, leaveToSignOut } from './sign-out-pages.ts';

const MAX_FORM = MAX_MESSAGE * 2;

/** Returns the metadata of this server, for the provider. */
async function showMetadata(exchange: Exchange, context: PublicContext): Promise<string> {
  const { certificate } = await keyOf(exchange);
  context.reply
    .header('content-type', 'application/samlmetadata+xml; charset=utf-8')
    .header('cache-control', 'no-store');
  return writeMetadata(ownSide(exchange, context), certificate);
}

function mountPages(app: FastifyInstance, exchange: Exchange): void {
  const { pages } = exchange;
  pages.route(app, {
    method: 'GET',
    url: PATHS.metadata,
    summary: 'The SAML metadata of this server, for the provider.',
    handler: (context) => showMetadata(exchange, context),
  });
  pages.route(app, {
    method: 'GET',
    url: PATHS.login,
    summary: 'Go to the SAML provider to sign in.',
    handler: (context) => startSignIn(exchange, context),
  });
  pages.route(app, {
    method: 'POST',
    url: PATHS.acs,
    summary: 'Receive the answer of the SAML provider.',
    bodyLimit: MAX_FORM,
    handler: (context) => takePostedAnswer(exchange, context),
  });
  pages.route(app, {
    method: 'GET',
    url: PATHS.finish,
    summary: 'Sign in with the answer of the SAML provider that waits for this browser.',
    handler: (context) => finishSignIn(exchange, context),
  });
  pages.route(app, {
    method: 'GET',
    url: PATHS.logout,
    summary: 'Sign out at the SAML provider as well.',
    handler: (context) => leaveToSignOut(exchange, context),
  });
  pages.route(app, {
    method: 'GET',
    url: PATHS.sls,
    summary: 'End the sign-ins that the SAML provider has ended.',
    handler: (context) => endSignIns(exchange, context, 'redirect'),
  });
  pages.route(app, {
    method: 'POST',
    url: PATHS.sls,
    summary: 'End the sign-ins that the SAML provider has ended, by POST.',
    bodyLimit: MAX_FORM,
    handler: (context) => endSignIns(exchange, context, 'post'),
  });
}

/**
 * Sign-in through a SAML 2.0 identity provider: requests by redirect, answers by POST, sign-out in
 * both directions.
 */
export function createSamlPages(
  services: ProviderServices,
  provider: () => Promise<IdentityProvider>,
) {
  const { settings } = services;
  const pages = createProviderPages(
    {
      source: 'saml',
      isOn: () => settings.get('AUTH_SAML'),
      mayCreate: () => settings.get('AUTH_SAML_CREATE_USERS'),
    },
    services,
  );
  return {
    signOutPage: (context: PublicContext) => (pages.isFromHere(context) ? PATHS.logout : undefined),
    mount: (app: FastifyInstance) => mountPages(app, { services, pages, provider }),
  };
}
