import type { PublicContext } from '../../http/context.ts';
import { databaseClock } from '../../platform/clock.ts';
import { NotFound } from '../../platform/errors.ts';
import { readXml } from '../../platform/xml/document.ts';
import { endSignInsFrom, formText, goTo, SIGN_IN_PAGE, takeOnce } from '../identity/index.ts';
import { type Exchange, keyOf, ownSide, reachProvider, readMessage, refusal } from './exchange.ts';
import type { IdentityProvider } from './metadata.ts';
import { MAX_MESSAGE, PATHS } from './names.ts';
import { newId, readSignedAddress, signedAddress } from './redirect.ts';
import type { SignOutRequest } from './requests.ts';
import {
  readPosted,
  readSignOut,
  SIGN_OUT_REMEMBERED,
  signOutAnswer,
  signOutRequest,
} from './requests.ts';
import { type ProviderSession, posted } from './service-provider.ts';

/** Sends a browser that has signed out here to the provider, to sign out there as well. */
export async function leaveToSignOut(exchange: Exchange, context: PublicContext) {
  const { pages, services } = exchange;
  const end = pages.end<ProviderSession>(context);
  if (!end || !services.settings.get('AUTH_SAML') || !services.settings.get('AUTH_SAML_LOGOUT'))
    return goTo(context, SIGN_IN_PAGE);
  const { signOut } = await reachProvider(exchange);
  if (!signOut) return goTo(context, SIGN_IN_PAGE);
  const { privateKey } = await keyOf(exchange);
  const address = signedAddress({
    location: signOut.request,
    kind: 'SAMLRequest',
    message: signOutRequest(newId(), ownSide(exchange, context), signOut.request, end),
    key: privateKey,
  });
  return goTo(context, address);
}

interface Received {
  readonly request: SignOutRequest;
  readonly relayState: string;
}

/** Reads a sign-out that a browser posted for the provider. */
async function readPostedSignOut(
  exchange: Exchange,
  context: PublicContext,
  provider: IdentityProvider,
): Promise<Received> {
  const destination = `${ownSide(exchange, context).site}${PATHS.sls}`;
  const root = readPosted(posted(context, 'SAMLRequest'), provider.certificates);
  return {
    request: readSignOut(root, provider, destination),
    relayState: formText(context, 'RelayState'),
  };
}

/** Reads a sign-out from the address to which the provider redirected a browser. */
async function readSignOutInAddress(
  exchange: Exchange,
  context: PublicContext,
  provider: IdentityProvider,
): Promise<Received> {
  const destination = `${ownSide(exchange, context).site}${PATHS.sls}`;
  const { url = '' } = context.request.raw;
  const query = url.slice(url.indexOf('?') + 1);
  const { message, relayState } = readSignedAddress(query, 'SAMLRequest', provider.certificates);
  const root = readXml(message, MAX_MESSAGE).documentElement;
  if (!root) throw new NotFound('not_found');
  return { request: readSignOut(root, provider, destination), relayState };
}

/** Ends the sign-ins that the provider has ended, and answers it. */
export async function endSignIns(
  exchange: Exchange,
  context: PublicContext,
  by: 'post' | 'redirect',
) {
  const { db, log } = exchange.services;
  exchange.pages.assertEnabled();
  // The answer to our sign-out needs no action: the browser is already signed out.
  if (by === 'post' ? formText(context, 'SAMLResponse') : context.query.has('SAMLResponse'))
    return goTo(context, SIGN_IN_PAGE);
  const provider = await reachProvider(exchange);
  const read = by === 'post' ? readPostedSignOut : readSignOutInAddress;
  const received = await readMessage(exchange, () => read(exchange, context, provider));
  const { id, nameId, sessions } = received.request;
  if (
    !(await takeOnce(
      db,
      ['sign-out', provider.entityId, id],
      databaseClock.now() + SIGN_OUT_REMEMBERED,
    ))
  )
    throw refusal(exchange, 'the sign-out was used before');
  const ended = await endSignInsFrom(
    { source: 'saml', issuer: provider.entityId, subject: nameId },
    sessions.length > 0 ? sessions : undefined,
    db,
  );
  log.info({ ended }, 'the SAML provider ended sign-ins');
  return answerSignOut(exchange, context, provider, received);
}

/** Sends the browser back to the provider with the answer to its sign-out. */
async function answerSignOut(
  exchange: Exchange,
  context: PublicContext,
  { signOut }: IdentityProvider,
  { request, relayState }: Received,
) {
  if (!signOut) return goTo(context, SIGN_IN_PAGE);
  const { privateKey } = await keyOf(exchange);
  const address = signedAddress({
    location: signOut.answer,
    kind: 'SAMLResponse',
    message: signOutAnswer(newId(), ownSide(exchange, context), signOut.answer, request.id),
    key: privateKey,
    relayState: relayState.slice(0, 80),
  });
  return goTo(context, address);
}
