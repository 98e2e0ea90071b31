import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { randomToken } from '../../platform/crypto/token.ts';
import { Rejected, Unavailable } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import {
  createProviderPages,
  endSignInsFrom,
  goTo,
  objectBody,
  type ProviderServices,
  SIGN_IN_PAGE,
  siteOf,
} from '../identity/index.ts';
import type { CasServer } from './protocol.ts';

/** XML is loaded at the first sign-in through CAS. */
const protocol = () => import('./protocol.ts');

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

/** Sign-in through a CAS server with validated tickets, and sign-out in both directions. */
export function createCasPages(services: ProviderServices) {
  const { db, settings, log, publicUrl } = services;
  const pages = createProviderPages(
    {
      source: 'cas',
      isOn: () => settings.get('AUTH_CAS'),
      mayCreate: () => settings.get('AUTH_CAS_CREATE_USERS'),
    },
    services,
  );
  /**
   * The state is part of the service, and a ticket is valid for one service. Tickets of another
   * browser are therefore useless.
   */
  const serviceOf = (context: PublicContext, state: string) =>
    `${serviceAt(context, publicUrl)}?state=${state}`;

  const validated = async (service: string, ticket: string) => {
    const { TicketRefused, validate } = await protocol();
    const { XmlRefused } = await import('../../platform/xml/document.ts');
    try {
      return await validate(savedServer(settings), service, ticket);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason }, 'the CAS server did not confirm a ticket');
      if (error instanceof TicketRefused || error instanceof XmlRefused)
        throw new Rejected('provider_failed');
      throw new Unavailable('provider_unavailable');
    }
  };

  return {
    signOutPage: (context: PublicContext) => (pages.isFromHere(context) ? LOGOUT : undefined),
    mount(app: FastifyInstance) {
      pages.get(
        app,
        '/core/auth/cas/login/',
        'Go to the CAS server to sign in.',
        async (context) => {
          pages.assertEnabled();
          const state = randomToken();
          return pages.leave(
            context,
            (await protocol()).loginAddress(savedServer(settings), serviceOf(context, state)),
            { state },
          );
        },
      );

      pages.get(app, CALLBACK, 'Come back from the CAS server.', async (context) => {
        pages.assertEnabled();
        const { state, next } = pages.question<{ state: string }>(context);
        if (context.query.get('state') !== state) throw new Rejected('provider_failed');
        const ticket = context.query.get('ticket') ?? '';
        const { user, attributes } = await validated(serviceOf(context, state), ticket);
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
      });

      // The server posts to the address of the service. Only the ticket of a session authorizes its
      // end.
      pages.post(
        app,
        CALLBACK,
        'End the sign-in that the CAS server has ended.',
        MAX_SIGN_OUT,
        async (context) => {
          pages.assertEnabled();
          const { readSignOut } = await protocol();
          const { XmlRefused } = await import('../../platform/xml/document.ts');
          const message = objectBody(context).logoutRequest;
          try {
            const ended = await endSignInsFrom(
              {
                source: 'cas',
                session: digestOf(readSignOut(typeof message === 'string' ? message : '')),
              },
              undefined,
              db,
            );
            log.info({ ended }, 'the CAS server ended a sign-in');
          } catch (error) {
            if (!(error instanceof XmlRefused)) throw error;
            log.warn({ reason: error.message }, 'a sign-out of the CAS server was not accepted');
          }
          return {};
        },
      );

      pages.get(app, LOGOUT, 'Sign out at the CAS server as well.', async (context) => {
        const end = pages.end<object>(context);
        if (!end || !settings.get('AUTH_CAS') || !settings.get('AUTH_CAS_LOGOUT'))
          return goTo(context, SIGN_IN_PAGE);
        return goTo(
          context,
          (await protocol()).logoutAddress(
            savedServer(settings),
            `${siteOf(context, publicUrl)}${SIGN_IN_PAGE}`,
          ),
        );
      });
    },
  };
}
