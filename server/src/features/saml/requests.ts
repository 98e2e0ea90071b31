import type { X509Certificate } from 'node:crypto';
import {
  attributeOf,
  childrenOf,
  escapeXml,
  isNamed,
  onlyChild,
  readXml,
  textOf,
  type XmlElement,
  XmlRefused,
} from '../../platform/xml/document.ts';
import { readSigned } from '../../platform/xml/signature.ts';
import { type IdentityProvider, isIssuedBy, type ServiceProvider } from './metadata.ts';
import {
  ASSERTION,
  MAX_MESSAGE,
  PATHS,
  POST,
  PROTOCOL,
  readTime,
  SKEW_MILLISECONDS,
  SUCCESS,
} from './names.ts';
import type { ProviderSession } from './service-provider.ts';

const NAMESPACES = `xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}"`;
/** Maximum age of a sign-out. An older one may be a replay. */
const MAX_AGE_MILLISECONDS = 5 * 60_000;
const MAX_SESSIONS = 1_000;

const head = (id: string, destination: string) =>
  `ID="${id}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${escapeXml(destination)}"`;
const issuer = ({ entityId }: ServiceProvider) =>
  `<saml:Issuer>${escapeXml(entityId)}</saml:Issuer>`;

/** A request to sign in a user (SAML 2.0 Core 3.4.1). */
export function signOnRequest(
  id: string,
  us: ServiceProvider,
  { signOn }: Pick<IdentityProvider, 'signOn'>,
): string {
  const acs = escapeXml(`${us.site}${PATHS.acs}`);
  return `<samlp:AuthnRequest ${NAMESPACES} ${head(id, signOn)} ProtocolBinding="${POST}" AssertionConsumerServiceURL="${acs}">${issuer(us)}<samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>`;
}

/** A request to end a session at the provider (SAML 2.0 Core 3.7.1). */
export function signOutRequest(
  id: string,
  us: ServiceProvider,
  destination: string,
  { nameId, sessionIndex }: ProviderSession,
): string {
  const attribute = (name: string, value: string | undefined) =>
    value ? ` ${name}="${escapeXml(value)}"` : '';
  const qualifiers =
    attribute('Format', nameId.format) +
    attribute('NameQualifier', nameId.nameQualifier) +
    attribute('SPNameQualifier', nameId.spNameQualifier);
  const index = sessionIndex
    ? `<samlp:SessionIndex>${escapeXml(sessionIndex)}</samlp:SessionIndex>`
    : '';
  return `<samlp:LogoutRequest ${NAMESPACES} ${head(id, destination)}>${issuer(us)}<saml:NameID${qualifiers}>${escapeXml(nameId.value)}</saml:NameID>${index}</samlp:LogoutRequest>`;
}

/** The answer to a sign-out request of the provider (SAML 2.0 Core 3.7.2). */
export function signOutAnswer(
  id: string,
  us: ServiceProvider,
  destination: string,
  inResponseTo: string,
): string {
  return `<samlp:LogoutResponse ${NAMESPACES} ${head(id, destination)} InResponseTo="${escapeXml(inResponseTo)}">${issuer(us)}<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status></samlp:LogoutResponse>`;
}

/** A sign-out request of a provider. */
export interface SignOutRequest {
  readonly id: string;
  /** The user at the provider. */
  readonly nameId: string;
  /** Session indexes of the user. Empty for all sessions. */
  readonly sessions: readonly string[];
}

function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new XmlRefused(otherwise);
}

/** Returns the signed content of a posted message. @throws XmlRefused */
export function readPosted(text: string, certificates: readonly X509Certificate[]): XmlElement {
  const root = readXml(text, MAX_MESSAGE).documentElement;
  check(root !== null, 'the document is empty');
  const { documentElement } = readSigned(root, certificates);
  check(documentElement !== null, 'the document is empty');
  return documentElement;
}

/** Reads a sign-out request whose signature was already verified. @throws XmlRefused */
export function readSignOut(
  request: XmlElement,
  provider: IdentityProvider,
  destination: string,
  now = Date.now(),
): SignOutRequest {
  check(
    isNamed(request, PROTOCOL, 'LogoutRequest') && attributeOf(request, 'Version') === '2.0',
    'it is no SAML 2.0 sign-out',
  );
  check(isIssuedBy(request, provider), 'it is from another issuer');
  check(
    attributeOf(request, 'Destination') === destination,
    'it is meant for another address (Destination)',
  );
  const issued = readTime(attributeOf(request, 'IssueInstant'));
  check(
    issued !== undefined && Math.abs(now - issued) <= MAX_AGE_MILLISECONDS,
    'it is too old (check the clocks)',
  );
  const until = attributeOf(request, 'NotOnOrAfter');
  if (until !== undefined)
    check((readTime(until) ?? 0) > now - SKEW_MILLISECONDS, 'it is no longer valid');
  const nameId = onlyChild(request, ASSERTION, 'NameID');
  check(nameId !== undefined, 'it names nobody');
  const sessions = childrenOf(request, PROTOCOL, 'SessionIndex').map(textOf);
  check(sessions.length <= MAX_SESSIONS, 'it names too many sessions');
  const id = attributeOf(request, 'ID') ?? '';
  check(id !== '' && id.length <= 256, 'it has no ID');
  return { id, nameId: textOf(nameId), sessions };
}

/** Milliseconds for which a sign-out is remembered against replay. */
export const SIGN_OUT_REMEMBERED = MAX_AGE_MILLISECONDS * 2;
