import { X509Certificate } from 'node:crypto';
import { isProtected } from '../../platform/outgoing.ts';
import {
  attributeOf,
  childrenOf,
  elementsOf,
  escapeXml,
  isNamed,
  readXml,
  textOf,
  type XmlElement,
  XmlRefused,
} from '../../platform/xml/document.ts';
import { ASSERTION, DS, METADATA, PATHS, POST, PROTOCOL, REDIRECT, readTime } from './names.ts';

/** The metadata of an identity provider. */
export interface IdentityProvider {
  readonly entityId: string;
  /** Address to which browsers take sign-in requests. */
  readonly signOn: string;
  /**
   * Addresses to which browsers take sign-out requests and answers. Undefined if the provider has
   * none.
   */
  readonly signOut: { readonly request: string; readonly answer: string } | undefined;
  readonly certificates: readonly X509Certificate[];
}

/** The identity of this server. */
export interface ServiceProvider {
  readonly entityId: string;
  /** The address of this server without a trailing slash. */
  readonly site: string;
}

const MAX_CERTIFICATES = 10;
export const MAX_METADATA = 200_000;
/** Administrators choose the metadata, and some providers describe hundreds of claims. */
const MAX_ELEMENTS = 5_000;

/** The entity descriptors of a document, which is one descriptor or a list. */
function entitiesOf(root: XmlElement): XmlElement[] {
  if (isNamed(root, METADATA, 'EntityDescriptor')) return [root];
  if (!isNamed(root, METADATA, 'EntitiesDescriptor'))
    throw new XmlRefused('it is no SAML metadata');
  return elementsOf(root).flatMap((child) =>
    child.namespaceURI === METADATA && child.localName.startsWith('Entit') ? entitiesOf(child) : [],
  );
}

const roleOf = (entity: XmlElement) =>
  childrenOf(entity, METADATA, 'IDPSSODescriptor').find((role) =>
    (attributeOf(role, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL),
  );

function locationOf(
  service: XmlElement,
  name: 'Location' | 'ResponseLocation',
): string | undefined {
  const location = attributeOf(service, name);
  if (location === undefined) return undefined;
  if (!URL.canParse(location) || !isProtected(new URL(location)))
    throw new XmlRefused(`the address ${location.slice(0, 200)} is not protected by HTTPS`);
  return location;
}

function certificateOf(element: XmlElement): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(textOf(element).replace(/\s+/g, ''), 'base64'));
  } catch {
    throw new XmlRefused('a certificate cannot be read');
  }
}

/** Certificates for signing, including those without a declared use. */
function certificatesOf(role: XmlElement): X509Certificate[] {
  const certificates = childrenOf(role, METADATA, 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => childrenOf(key, DS, 'KeyInfo'))
    .flatMap((info) => childrenOf(info, DS, 'X509Data'))
    .flatMap((data) => childrenOf(data, DS, 'X509Certificate'))
    .map(certificateOf);
  if (certificates.length === 0) throw new XmlRefused('it names no certificate that signs');
  if (certificates.length > MAX_CERTIFICATES)
    throw new XmlRefused('it names too many certificates');
  return certificates;
}

/** Parses the metadata of an identity provider (SAML 2.0 Metadata, 2.4.3). @throws XmlRefused */
export function readMetadata(text: string): IdentityProvider {
  const root = readXml(text.replace(/^\uFEFF/, ''), MAX_METADATA, MAX_ELEMENTS).documentElement;
  const providers = root
    ? entitiesOf(root).flatMap((entity) =>
        ((role) => (role ? [{ entity, role }] : []))(roleOf(entity)),
      )
    : [];
  const [only] = providers;
  if (!only || providers.length > 1)
    throw new XmlRefused(
      only ? 'it describes more than one identity provider' : 'it describes no identity provider',
    );
  const { entity, role } = only;
  for (const element of [root, entity, role]) {
    const until = readTime(element ? attributeOf(element, 'validUntil') : undefined);
    if (until !== undefined && until < Date.now()) throw new XmlRefused('it is no longer valid');
  }
  const entityId = attributeOf(entity, 'entityID') ?? '';
  if (entityId === '' || entityId.length > 1_024) throw new XmlRefused('it has no entityID');
  const serviceOf = (name: string) =>
    childrenOf(role, METADATA, name).find(
      (service) => attributeOf(service, 'Binding') === REDIRECT,
    );
  const signOn = serviceOf('SingleSignOnService');
  const signOnLocation = signOn && locationOf(signOn, 'Location');
  if (!signOnLocation) throw new XmlRefused('it has no SingleSignOnService for HTTP-Redirect');
  const signOut = serviceOf('SingleLogoutService');
  const request = signOut && locationOf(signOut, 'Location');
  return {
    entityId,
    signOn: signOnLocation,
    signOut:
      signOut && request
        ? { request, answer: locationOf(signOut, 'ResponseLocation') ?? request }
        : undefined,
    certificates: certificatesOf(role),
  };
}

/** Builds the metadata of this server for the provider. */
export function writeMetadata(
  { entityId, site }: ServiceProvider,
  certificate: X509Certificate,
): string {
  const key = (use: string) =>
    `<md:KeyDescriptor use="${use}"><ds:KeyInfo xmlns:ds="${DS}"><ds:X509Data><ds:X509Certificate>${certificate.raw.toString('base64')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
  const at = (path: string) => escapeXml(`${site}${path}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escapeXml(entityId)}">`,
    `<md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${PROTOCOL}">`,
    key('signing'),
    key('encryption'),
    `<md:SingleLogoutService Binding="${REDIRECT}" Location="${at(PATHS.sls)}"/>`,
    `<md:SingleLogoutService Binding="${POST}" Location="${at(PATHS.sls)}"/>`,
    `<md:AssertionConsumerService Binding="${POST}" Location="${at(PATHS.acs)}" index="0" isDefault="true"/>`,
    '</md:SPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n');
}

/** Returns true if the issuer equals the entityID of the provider exactly. */
export function isIssuedBy(
  message: XmlElement,
  { entityId }: Pick<IdentityProvider, 'entityId'>,
): boolean {
  const issuers = childrenOf(message, ASSERTION, 'Issuer');
  return issuers.length === 1 && issuers[0] !== undefined && textOf(issuers[0]) === entityId;
}
