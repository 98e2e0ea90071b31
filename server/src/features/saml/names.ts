/** Namespaces and identifiers of SAML 2.0. */
export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const DS = 'http://www.w3.org/2000/09/xmldsig#';
export const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
export const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
export const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

/** Where providers and browsers find us. */
export const PATHS = {
  login: '/core/auth/saml/login/',
  metadata: '/core/auth/saml/metadata/',
  acs: '/core/auth/saml/acs/',
  finish: '/core/auth/saml/finish/',
  sls: '/core/auth/saml/sls/',
  logout: '/core/auth/saml/logout/',
} as const;

/**
 * Maximum length of a provider's message, in characters of XML. Anybody may post one, so it bounds
 * the work of parsing.
 */
export const MAX_MESSAGE = 131_072;
/** Clocks of two servers may differ by so much. */
export const SKEW_MILLISECONDS = 90_000;

/** A time of SAML (xs:dateTime in UTC); undefined when it is none. */
export function readTime(text: string | undefined): number | undefined {
  if (!text || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
