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

/** Paths for providers and browsers. */
export const PATHS = {
  login: '/core/auth/saml/login/',
  metadata: '/core/auth/saml/metadata/',
  acs: '/core/auth/saml/acs/',
  finish: '/core/auth/saml/finish/',
  sls: '/core/auth/saml/sls/',
  logout: '/core/auth/saml/logout/',
} as const;

/**
 * Maximum characters of a provider's message. Anonymous clients can post one, so this limits the
 * work of parsing.
 */
export const MAX_MESSAGE = 131_072;
/** Maximum clock difference between the two servers. */
export const SKEW_MILLISECONDS = 90_000;

/** Parses a SAML time (xs:dateTime in UTC). Returns undefined if it is invalid. */
export function readTime(text: string | undefined): number | undefined {
  if (!text || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
