import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { NotFound, Rejected, Unavailable } from '../../platform/errors.ts';
import {
  createProviderPages,
  endSignInsFrom,
  formText,
  goTo,
  keepAnswer,
  type ProviderServices,
  SIGN_IN_PAGE,
  safeNext,
  takeAnswer,
  takeOnce,
} from '../identity/index.ts';
import type { Proved } from './answer.ts';
import type { IdentityProvider } from './metadata.ts';
import { MAX_MESSAGE, PATHS, TRANSIENT } from './names.ts';
import { ownKey } from './own-key.ts';
import { posted, type SignOut, serviceOf, type Waiting } from './service-provider.ts';

const tools = async () => ({
  ...(await import('./answer.ts')),
  ...(await import('./metadata.ts')),
  ...(await import('./redirect.ts')),
  ...(await import('./requests.ts')),
  ...(await import('../../platform/xml/document.ts')),
});

const MAX_FORM = MAX_MESSAGE * 2;

/**
 * Sign-in through a SAML 2.0 identity provider: requests by redirect, answers by POST, sign-out in
 * both directions.
 */
export function createSamlPages(
  services: ProviderServices,
  provider: () => Promise<IdentityProvider>,
) {
  const { db, vault, settings, log, publicUrl } = services;
  const pages = createProviderPages(
    {
      source: 'saml',
      isOn: () => settings.get('AUTH_SAML'),
      mayCreate: () => settings.get('AUTH_SAML_CREATE_USERS'),
    },
    services,
  );
  const us = (context: PublicContext) =>
    serviceOf(context, publicUrl, settings.get('AUTH_SAML_ENTITY_ID'));
  const reach = async () => {
    try {
      return await provider();
    } catch (error) {
      log.warn(
        { error: error instanceof Error ? error.message : String(error) },
        'the metadata of the SAML provider could not be read',
      );
      throw new Unavailable('provider_unavailable');
    }
  };
  /** Only the log names the failed check. */
  const refuse = (reason: string) => {
    log.warn({ reason }, 'a message of the SAML provider was not accepted');
    return new Rejected('provider_failed');
  };
  const reading = async <T>(read: () => T | Promise<T>): Promise<T> => {
    const { XmlRefused } = await tools();
    try {
      return await read();
    } catch (error) {
      if (error instanceof XmlRefused) throw refuse(error.message);
      throw error;
    }
  };

  /** The user of an answer, by the attributes in the settings. */
  const userOf = ({ nameId, attributes }: Proved) => {
    const map: Readonly<Record<string, unknown>> = settings.get('AUTH_SAML_USER_ATTR_MAP');
    const value = (field: string) => {
      const attribute = String(map[field] ?? '').trim();
      return attribute === 'NameID' ? nameId.value : (attributes.get(attribute) ?? '').trim();
    };
    const byAttribute = String(map.subject ?? 'NameID').trim() !== 'NameID';
    // A transient identifier changes with each sign-in, so it cannot identify the user.
    if (!byAttribute && nameId.format === TRANSIENT)
      throw refuse('the name identifier is transient: map an attribute to "subject"');
    const subject = byAttribute ? value('subject') : nameId.value;
    if (subject === '') throw refuse('the attribute for "subject" is missing');
    return { subject, username: value('username'), name: value('name'), email: value('email') };
  };

  const finish = async (context: PublicContext, waiting: Waiting, next: string) => {
    const { issuer, subject, username, name, email, nameId, sessionIndex } = waiting;
    const external = {
      issuer,
      subject,
      username,
      name,
      email,
      emailVerified: email !== '',
      usernameGiven: true,
    };
    return pages.arrive(context, external, {
      next,
      origin: { source: 'saml', issuer, subject: nameId.value, session: sessionIndex ?? '' },
      ...(settings.get('AUTH_SAML_LOGOUT') && { end: { nameId, sessionIndex } satisfies object }),
    });
  };

  return {
    signOutPage: (context: PublicContext) => (pages.isFromHere(context) ? PATHS.logout : undefined),
    mount(app: FastifyInstance) {
      pages.get(
        app,
        PATHS.metadata,
        'The SAML metadata of this server, for the provider.',
        async (context) => {
          const { writeMetadata } = await tools();
          const { certificate } = await ownKey(db, vault);
          context.reply
            .header('content-type', 'application/samlmetadata+xml; charset=utf-8')
            .header('cache-control', 'no-store');
          return writeMetadata(us(context), certificate);
        },
      );

      pages.get(app, PATHS.login, 'Go to the SAML provider to sign in.', async (context) => {
        pages.assertEnabled();
        const { newId, signOnRequest, signedAddress } = await tools();
        const to = await reach();
        const { privateKey } = await ownKey(db, vault);
        const id = newId();
        return pages.leave(
          context,
          signedAddress(to.signOn, 'SAMLRequest', signOnRequest(id, us(context), to), privateKey),
          { id },
        );
      });

      // Browsers omit our cookies when another site posts. The answer is verified here and stored,
      // and the browser is redirected to fetch it.
      pages.post(
        app,
        PATHS.acs,
        'Take the answer of the SAML provider.',
        MAX_FORM,
        async (context) => {
          pages.assertEnabled();
          const from = await reach();
          const { privateKey } = await ownKey(db, vault);
          const { readAnswer } = await tools();
          const { site, entityId } = us(context);
          const proved = await reading(() =>
            readAnswer(posted(context, 'SAMLResponse'), {
              provider: from,
              privateKey,
              audience: entityId,
              acs: `${site}${PATHS.acs}`,
            }),
          );
          const { assertionId, inResponseTo, nameId, sessionIndex } = proved;
          if (inResponseTo === undefined && !settings.get('AUTH_SAML_IDP_INITIATED'))
            throw refuse('nobody asked for it, and the settings do not allow that');
          const user = userOf(proved);
          if (!(await takeOnce(db, ['assertion', from.entityId, assertionId], proved.until)))
            throw refuse('the assertion was used before');
          if (
            inResponseTo !== undefined &&
            !(await takeOnce(db, ['request', inResponseTo], proved.until))
          )
            throw refuse('the request was answered before');
          const relayState = formText(context, 'RelayState');
          const waiting: Waiting = {
            ...user,
            issuer: from.entityId,
            nameId,
            ...(sessionIndex !== undefined && { sessionIndex }),
            ...(inResponseTo !== undefined ? { inResponseTo } : { relayState }),
          };
          return goTo(context, `${PATHS.finish}?answer=${await keepAnswer(waiting, db, vault)}`);
        },
      );

      pages.get(
        app,
        PATHS.finish,
        'Sign in with the answer of the SAML provider that waits for this browser.',
        async (context) => {
          pages.assertEnabled();
          const waiting = await takeAnswer<Waiting>(context.query.get('answer') ?? '', db, vault);
          if (!waiting) throw refuse('no answer waits for this browser');
          if (waiting.inResponseTo === undefined)
            return finish(context, waiting, safeNext(waiting.relayState));
          const { id, next } = pages.question<{ id: string }>(context);
          // Rejects an answer to the request of another browser.
          if (waiting.inResponseTo !== id) throw refuse('the answer is for another browser');
          return finish(context, waiting, next);
        },
      );

      pages.get(app, PATHS.logout, 'Sign out at the SAML provider as well.', async (context) => {
        const end = pages.end<SignOut>(context);
        if (!end || !settings.get('AUTH_SAML') || !settings.get('AUTH_SAML_LOGOUT'))
          return goTo(context, SIGN_IN_PAGE);
        const { signOut } = await reach();
        if (!signOut) return goTo(context, SIGN_IN_PAGE);
        const { newId, signedAddress, signOutRequest } = await tools();
        const { privateKey } = await ownKey(db, vault);
        const request = signOutRequest(
          newId(),
          us(context),
          signOut.request,
          end.nameId,
          end.sessionIndex,
        );
        return goTo(context, signedAddress(signOut.request, 'SAMLRequest', request, privateKey));
      });

      /** Ends the sign-ins that the provider has ended, and answers. */
      const signedOut = async (context: PublicContext, byPost: boolean) => {
        pages.assertEnabled();
        const {
          newId,
          readPosted,
          readSignedAddress,
          readSignOut,
          readXml,
          signedAddress,
          signOutAnswer,
        } = await tools();
        // The answer to our sign-out needs no action: the browser is already signed out.
        if (byPost ? formText(context, 'SAMLResponse') : context.query.has('SAMLResponse'))
          return goTo(context, SIGN_IN_PAGE);
        const from = await reach();
        const { site } = us(context);
        const { asked, relayState } = await reading(() => {
          const destination = `${site}${PATHS.sls}`;
          if (byPost)
            return {
              asked: readSignOut(
                readPosted(posted(context, 'SAMLRequest'), from.certificates),
                from,
                destination,
              ),
              relayState: formText(context, 'RelayState'),
            };
          const { url = '' } = context.request.raw;
          const { message, relayState: state } = readSignedAddress(
            url.slice(url.indexOf('?') + 1),
            'SAMLRequest',
            from.certificates,
          );
          const root = readXml(message, MAX_MESSAGE).documentElement;
          if (!root) throw new NotFound('not_found');
          return { asked: readSignOut(root, from, destination), relayState: state };
        });
        const { SIGN_OUT_REMEMBERED } = await tools();
        if (
          !(await takeOnce(
            db,
            ['sign-out', from.entityId, asked.id],
            Date.now() + SIGN_OUT_REMEMBERED,
          ))
        )
          throw refuse('the sign-out was used before');
        const { nameId: subject, sessions } = asked;
        const ended = await endSignInsFrom(
          { source: 'saml', issuer: from.entityId, subject },
          sessions.length > 0 ? sessions : undefined,
          db,
        );
        log.info({ ended }, 'the SAML provider ended sign-ins');
        if (!from.signOut) return goTo(context, SIGN_IN_PAGE);
        const { privateKey } = await ownKey(db, vault);
        const answer = signOutAnswer(newId(), us(context), from.signOut.answer, asked.id);
        return goTo(
          context,
          signedAddress(
            from.signOut.answer,
            'SAMLResponse',
            answer,
            privateKey,
            relayState.slice(0, 80),
          ),
        );
      };
      pages.get(app, PATHS.sls, 'End the sign-ins that the SAML provider has ended.', (context) =>
        signedOut(context, false),
      );
      pages.post(
        app,
        PATHS.sls,
        'End the sign-ins that the SAML provider has ended, by POST.',
        MAX_FORM,
        (context) => signedOut(context, true),
      );
    },
  };
}
