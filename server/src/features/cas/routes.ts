import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { randomToken } from '../../platform/crypto/token.ts';
import { Rejected, Unavailable } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { XmlRefused } from '../../platform/xml/document.ts';
import {
  createProviderPages,
  endSignInsFrom,
  goTo,
  objectBody,
  type ProviderPages,
  type ProviderServices,
  SIGN_IN_PAGE,
  siteOf,
} from '../identity/index.ts';
import {
  type CasServer,
  loginAddress,
  logoutAddress,
  readSignOut,
  TicketRefused,
  validate,
} from './protocol.ts';

const CALLBACK = '/core/auth/cas/callback/';
const LOGOUT = '/core/auth/cas/logout/';
const MAX_SIGN_OUT = 100_000;

/** The callback address without its variable part. */
export const serviceAt = (
  context: Pick<PublicContext, 'request'>,
  publicUrl: string | undefined,
): string => `${siteOf(context, publicUrl)}${CALLBACK}`;

/** Creates the server from a form or from the settings. */
export function serverOf(address: string, version: string): CasServer {
  return { address: address.trim().replace(/\/+$/, ''), version: version === '2' ? '2' : '3' };
}

export const savedServer = (settings: Pick<SettingsService, 'get'>): CasServer =>
  serverOf(settings.get('AUTH_CAS_SERVER_URL'), String(settings.get('AUTH_CAS_VERSION')));

/** Only a digest is stored: the ticket is a secret while its session lasts. */
const digestOf = (ticket: string) => createHash('sha256').update(ticket).digest('base64url');

interface CasPages {
  readonly services: ProviderServices;
  readonly pages: ProviderPages;
}

/**
 * Returns the service of a sign-in. The state is part of it, and a ticket is valid for one service.
 * Tickets of another browser are therefore useless.
 */
const serviceOf = (context: PublicContext, { publicUrl }: ProviderServices, state: string) =>
  `${serviceAt(context, publicUrl)}?state=${state}`;

/** Validates a ticket at the server. @throws Rejected, Unavailable */
async function validated({ settings, log }: ProviderServices, service: string, ticket: string) {
  try {
    return await validate(savedServer(settings), service, ticket);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reason }, 'the CAS server did not confirm a ticket');
    if (error instanceof TicketRefused || error instanceof XmlRefused)
      throw new Rejected('provider_failed');
    throw new Unavailable('provider_unavailable');
  }
}

/** Sends a browser to the server. */
async function startSignIn({ pages, services }: CasPages, context: PublicContext) {
  pages.assertEnabled();
  const state = randomToken();
  const service = serviceOf(context, services, state);
  return pages.leave(context, loginAddress(savedServer(services.settings), service), { state });
}

/** Signs in a browser that comes back from the server with a ticket. */
async function finishSignIn({ pages, services }: CasPages, context: PublicContext) {
  const { settings } = services;
  pages.assertEnabled();
  const { state, next } = pages.question<{ state: string }>(context);
  if (context.query.get('state') !== state) throw new Rejected('provider_failed');
  const ticket = context.query.get('ticket') ?? '';
  const service = serviceOf(context, services, state);
  const { user, attributes } = await validated(services, service, ticket);
  const map: Readonly<Record<string, unknown>> = settings.get('AUTH_CAS_USER_ATTR_MAP');
  const value = (field: string) => {
    const attribute = String(map[field] ?? '').trim();
    return attribute === 'user' ? user : (attributes.get(attribute) ?? '').trim();
  };
  const email = value('email');
  const issuer = savedServer(settings).address;
  const external = {
    issuer,
    subject: user,
    username: value('username'),
    name: value('name'),
    email,
    emailVerified: email !== '',
    usernameGiven: true,
  };
  return pages.arrive(context, external, {
    next,
    origin: { source: 'cas', issuer, subject: user, session: digestOf(ticket) },
    ...(settings.get('AUTH_CAS_LOGOUT') && { end: {} }),
  });
}

/** Ends the sign-in whose ticket the server posts. Only the ticket of a session authorizes this. */
async function endSignIn({ pages, services: { db, log } }: CasPages, context: PublicContext) {
  pages.assertEnabled();
  const message = objectBody(context).logoutRequest;
  try {
    const ticket = readSignOut(typeof message === 'string' ? message : '');
    const parts = { source: 'cas', session: digestOf(ticket) };
    const ended = await endSignInsFrom(parts, undefined, db);
    log.info({ ended }, 'the CAS server ended a sign-in');
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error;
    log.warn({ reason: error.message }, 'a sign-out of the CAS server was not accepted');
  }
  return {};
}

/** Sends a browser that has signed out here to the server, to sign out there as well. */
async function leaveToSignOut({ pages, services }: CasPages, context: PublicContext) {
  const { settings, publicUrl } = services;
  const end = pages.end<object>(context);
  if (!end || !settings.get('AUTH_CAS') || !settings.get('AUTH_CAS_LOGOUT'))
    return goTo(context, SIGN_IN_PAGE);
  const back = `${siteOf(context, publicUrl)}${SIGN_IN_PAGE}`;
  return goTo(context, logoutAddress(savedServer(settings), back));
}

function mountPages(app: FastifyInstance, cas: CasPages): void {
  const { pages } = cas;
  pages.route(app, {
    method: 'GET',
    url: '/core/auth/cas/login/',
    summary: 'Go to the CAS server to sign in.',
    handler: (context) => startSignIn(cas, context),
  });
  pages.route(app, {
    method: 'GET',
    url: CALLBACK,
    summary: 'Complete the sign-in with the answer of the CAS server.',
    handler: (context) => finishSignIn(cas, context),
  });
  // The server posts to the address of the service.
  pages.route(app, {
    method: 'POST',
    url: CALLBACK,
    summary: 'End the sign-in that the CAS server has ended.',
    bodyLimit: MAX_SIGN_OUT,
    handler: (context) => endSignIn(cas, context),
  });
  pages.route(app, {
    method: 'GET',
    url: LOGOUT,
    summary: 'Sign out at the CAS server as well.',
    handler: (context) => leaveToSignOut(cas, context),
  });
}

/** Sign-in through a CAS server with validated tickets, and sign-out in both directions. */
export function createCasPages(services: ProviderServices) {
  const { settings } = services;
  const pages = createProviderPages(
    {
      source: 'cas',
      isOn: () => settings.get('AUTH_CAS'),
      mayCreate: () => settings.get('AUTH_CAS_CREATE_USERS'),
    },
    services,
  );
  return {
    signOutPage: (context: PublicContext) => (pages.isFromHere(context) ? LOGOUT : undefined),
    mount: (app: FastifyInstance) => mountPages(app, { services, pages }),
  };
}
