import type { PublicContext } from '../../http/context.ts';
import { formText, goTo, keepAnswer, safeNext, takeAnswer, takeOnce } from '../identity/index.ts';
import type { Proved } from './answer.ts';
import { readAnswer } from './answer.ts';
import { type Exchange, keyOf, ownSide, reachProvider, readMessage, refusal } from './exchange.ts';
import { PATHS, TRANSIENT } from './names.ts';
import { newId, signedAddress } from './redirect.ts';
import { signOnRequest } from './requests.ts';
import { type ProviderSession, posted, type Waiting } from './service-provider.ts';

/** Sends a browser to the provider with a signed request. */
export async function startSignIn(exchange: Exchange, context: PublicContext) {
  const { pages } = exchange;
  pages.assertEnabled();
  const provider = await reachProvider(exchange);
  const { privateKey } = await keyOf(exchange);
  const id = newId();
  const address = signedAddress({
    location: provider.signOn,
    kind: 'SAMLRequest',
    message: signOnRequest(id, ownSide(exchange, context), provider),
    key: privateKey,
  });
  return pages.leave(context, address, { id });
}

/**
 * Verifies and stores an answer of the provider, and redirects the browser to fetch it: browsers
 * omit our cookies when another site posts.
 */
export async function takePostedAnswer(exchange: Exchange, context: PublicContext) {
  const { db, vault } = exchange.services;
  exchange.pages.assertEnabled();
  const { proved, issuer } = await readProof(exchange, context);
  const { inResponseTo, nameId, sessionIndex } = proved;
  if (inResponseTo === undefined && !exchange.services.settings.get('AUTH_SAML_IDP_INITIATED'))
    throw refusal(exchange, 'nobody asked for it, and the settings do not allow that');
  const user = userOf(exchange, proved);
  if (!(await takeOnce(db, ['assertion', issuer, proved.assertionId], proved.until)))
    throw refusal(exchange, 'the assertion was used before');
  if (inResponseTo !== undefined && !(await takeOnce(db, ['request', inResponseTo], proved.until)))
    throw refusal(exchange, 'the request was answered before');
  const relayState = formText(context, 'RelayState');
  const waiting: Waiting = {
    ...user,
    issuer,
    nameId,
    ...(sessionIndex !== undefined && { sessionIndex }),
    ...(inResponseTo !== undefined ? { inResponseTo } : { relayState }),
  };
  return goTo(context, `${PATHS.finish}?answer=${await keepAnswer(waiting, db, vault)}`);
}

/** Reads what a posted answer proves. @throws Rejected */
async function readProof(
  exchange: Exchange,
  context: PublicContext,
): Promise<{ proved: Proved; issuer: string }> {
  const provider = await reachProvider(exchange);
  const { privateKey } = await keyOf(exchange);
  const { site, entityId } = ownSide(exchange, context);
  const proved = await readMessage(exchange, () =>
    readAnswer(posted(context, 'SAMLResponse'), {
      provider,
      privateKey,
      audience: entityId,
      acs: `${site}${PATHS.acs}`,
    }),
  );
  return { proved, issuer: provider.entityId };
}

const GROUPS_LINK = 'http://schemas.microsoft.com/claims/groups.link';

/** Returns the user of an answer, by the attributes in the settings. @throws Rejected */
function userOf(exchange: Exchange, { nameId, attributes, lists }: Proved) {
  const { settings } = exchange.services;
  const map: Readonly<Record<string, unknown>> = settings.get('AUTH_SAML_USER_ATTR_MAP');
  const value = (field: string) => {
    const attribute = String(map[field] ?? '').trim();
    return attribute === 'NameID' ? nameId.value : (attributes.get(attribute) ?? '').trim();
  };
  const byAttribute = String(map.subject ?? 'NameID').trim() !== 'NameID';
  // A transient identifier changes with each sign-in, so it cannot identify the user.
  if (!byAttribute && nameId.format === TRANSIENT)
    throw refusal(exchange, 'the name identifier is transient: map an attribute to "subject"');
  const subject = byAttribute ? value('subject') : nameId.value;
  if (subject === '') throw refusal(exchange, 'the attribute for "subject" is missing');
  const name = settings.get('AUTH_SAML_GROUPS_ATTR');
  // Entra ID sends this link in place of very many groups.
  const none = lists.has(GROUPS_LINK) ? undefined : null;
  const groups = name ? (lists.get(name) ?? none) : undefined;
  return {
    subject,
    username: value('username'),
    name: value('name'),
    email: value('email'),
    ...(groups !== undefined && { groups }),
  };
}

/** Signs in with the stored answer that waits for this browser. */
export async function finishSignIn(exchange: Exchange, context: PublicContext) {
  const { pages, services } = exchange;
  pages.assertEnabled();
  const waiting = await takeAnswer<Waiting>(
    context.query.get('answer') ?? '',
    services.db,
    services.vault,
  );
  if (!waiting) throw refusal(exchange, 'no answer waits for this browser');
  if (waiting.inResponseTo === undefined)
    return arrive(exchange, context, waiting, safeNext(waiting.relayState));
  const { id, next } = pages.question<{ id: string }>(context);
  // Rejects an answer to the request of another browser.
  if (waiting.inResponseTo !== id) throw refusal(exchange, 'the answer is for another browser');
  return arrive(exchange, context, waiting, next);
}

function arrive(
  { pages, services }: Exchange,
  context: PublicContext,
  { issuer, subject, username, name, email, groups, nameId, sessionIndex }: Waiting,
  next: string,
) {
  const end: ProviderSession = { nameId, sessionIndex };
  return pages.arrive(
    context,
    {
      issuer,
      subject,
      username,
      name,
      email,
      groups,
      emailVerified: email !== '',
      usernameGiven: true,
    },
    {
      next,
      origin: { source: 'saml', issuer, subject: nameId.value, session: sessionIndex ?? '' },
      ...(services.settings.get('AUTH_SAML_LOGOUT') && { end }),
    },
  );
}
