import type { KeyObject } from 'node:crypto';
import {
  attributeOf,
  childrenOf,
  elementsOf,
  isNamed,
  onlyChild,
  readXml,
  textOf,
  type XmlElement,
  XmlRefused,
} from '../../platform/xml/document.ts';
import { decryptIn } from '../../platform/xml/encryption.ts';
import { readSigned, signatureOf } from '../../platform/xml/signature.ts';
import { type IdentityProvider, isIssuedBy } from './metadata.ts';
import {
  ASSERTION,
  BEARER,
  MAX_MESSAGE,
  PROTOCOL,
  readTime,
  SKEW_MILLISECONDS,
  SUCCESS,
} from './names.ts';

/** The name identifier of a user. Sign-outs repeat it. */
export interface NameId {
  readonly value: string;
  readonly format?: string;
  readonly nameQualifier?: string;
  readonly spNameQualifier?: string;
}

/** The verified facts of a provider's answer. */
export interface Proved {
  readonly assertionId: string;
  /** The id of the request. Undefined if the provider started the sign-in. */
  readonly inResponseTo: string | undefined;
  /** Time until which the assertion is remembered against replay, in milliseconds since 1970. */
  readonly until: number;
  readonly nameId: NameId;
  readonly sessionIndex: string | undefined;
  /** The first value of each attribute, by name and by friendly name. */
  readonly attributes: ReadonlyMap<string, string>;
  /** All values of each attribute, by name and by friendly name. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** The expected values of an answer. */
export interface Expected {
  readonly provider: IdentityProvider;
  readonly privateKey: KeyObject;
  /** The entityID of this server. */
  readonly audience: string;
  /** The assertion consumer service, where answers are posted. */
  readonly acs: string;
}

const MAX_ATTRIBUTES = 1_000;
const MAX_VALUE = 2_000;

function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new XmlRefused(otherwise);
}

/** Returns the signed assertion of a response. Reads the signed bytes only. */
function assertionOf(response: XmlElement, { provider, privateKey }: Expected): XmlElement {
  const plain = childrenOf(response, ASSERTION, 'Assertion');
  const encrypted = childrenOf(response, ASSERTION, 'EncryptedAssertion');
  const [open] = plain;
  const [sealed] = encrypted;
  check(plain.length + encrypted.length === 1, 'there is not exactly one assertion');
  if (open) {
    const { documentElement } = readSigned(open, provider.certificates);
    check(documentElement !== null, 'the assertion is empty');
    return documentElement;
  }
  check(sealed !== undefined, 'there is no assertion');
  const inside = readXml(decryptIn(sealed, privateKey), MAX_MESSAGE).documentElement;
  check(
    inside !== null && isNamed(inside, ASSERTION, 'Assertion'),
    'what was encrypted is no assertion',
  );
  const { documentElement } = readSigned(inside, provider.certificates);
  check(documentElement !== null, 'the assertion is empty');
  return documentElement;
}

/**
 * Checks the response around the assertion: status, destination, issuer, and its signature if it
 * has one. Providers need not sign it.
 */
function checkResponse(response: XmlElement, { provider, acs }: Expected): void {
  check(
    isNamed(response, PROTOCOL, 'Response') && attributeOf(response, 'Version') === '2.0',
    'it is no SAML 2.0 response',
  );
  check(
    attributeOf(response, 'Destination') === acs,
    'it is meant for another address (Destination)',
  );
  if (childrenOf(response, ASSERTION, 'Issuer').length > 0)
    check(isIssuedBy(response, provider), 'it is from another issuer');
  if (signatureOf(response)) readSigned(response, provider.certificates);
  const status = onlyChild(response, PROTOCOL, 'Status');
  const code = status && onlyChild(status, PROTOCOL, 'StatusCode');
  const value = code ? (attributeOf(code, 'Value') ?? '') : '';
  const inner = code && onlyChild(code, PROTOCOL, 'StatusCode');
  const message = status && onlyChild(status, PROTOCOL, 'StatusMessage');
  const parts = [value, inner && attributeOf(inner, 'Value'), message && textOf(message).trim()];
  check(
    value === SUCCESS,
    `the provider answered ${parts
      .filter(Boolean)
      .join(' ')
      .replace(/\p{Cc}/gu, ' ')
      .slice(0, 300)}`,
  );
}

/** Checks that an assertion is valid now and for this server. */
function checkConditions(assertion: XmlElement, audience: string, now: number): void {
  const conditions = onlyChild(assertion, ASSERTION, 'Conditions');
  check(conditions !== undefined, 'the assertion has no conditions');
  const known = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);
  check(
    elementsOf(conditions).every(
      (condition) => condition.namespaceURI === ASSERTION && known.has(condition.localName),
    ),
    'the assertion has a condition that is not known',
  );
  const from = attributeOf(conditions, 'NotBefore');
  const until = attributeOf(conditions, 'NotOnOrAfter');
  if (from !== undefined)
    check(
      (readTime(from) ?? Number.POSITIVE_INFINITY) <= now + SKEW_MILLISECONDS,
      'the assertion is not valid yet (check the clocks)',
    );
  if (until !== undefined)
    check(
      (readTime(until) ?? 0) > now - SKEW_MILLISECONDS,
      'the assertion is no longer valid (check the clocks)',
    );
  const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction');
  check(restrictions.length > 0, 'the assertion names no audience');
  for (const restriction of restrictions)
    check(
      childrenOf(restriction, ASSERTION, 'Audience').some((one) => textOf(one) === audience),
      'the assertion is for another audience',
    );
}

interface Confirmation {
  readonly inResponseTo: string | undefined;
  readonly until: number;
}

/** Returns the bearer confirmation of the subject (SAML 2.0 Profiles 4.1.4.2). */
function confirmationOf(subject: XmlElement, acs: string, now: number): Confirmation {
  const confirmations = childrenOf(subject, ASSERTION, 'SubjectConfirmation').filter(
    (one) => attributeOf(one, 'Method') === BEARER,
  );
  const reasons: string[] = [];
  for (const one of confirmations) {
    const data = onlyChild(one, ASSERTION, 'SubjectConfirmationData');
    const until = data && readTime(attributeOf(data, 'NotOnOrAfter'));
    if (!data || until === undefined) reasons.push('the confirmation has no end');
    else if (attributeOf(data, 'Recipient') !== acs)
      reasons.push('the assertion is for another address (Recipient)');
    else if (until <= now - SKEW_MILLISECONDS)
      reasons.push('the assertion is no longer valid (check the clocks)');
    else if (attributeOf(data, 'NotBefore') !== undefined)
      reasons.push('the confirmation has a beginning');
    else return { inResponseTo: attributeOf(data, 'InResponseTo'), until };
  }
  throw new XmlRefused(reasons[0] ?? 'the assertion has no bearer confirmation');
}

function nameIdOf(subject: XmlElement, privateKey: KeyObject): NameId {
  const sealed = onlyChild(subject, ASSERTION, 'EncryptedID');
  const element = sealed
    ? readXml(decryptIn(sealed, privateKey), MAX_MESSAGE).documentElement
    : onlyChild(subject, ASSERTION, 'NameID');
  check(
    element !== null && element !== undefined && isNamed(element, ASSERTION, 'NameID'),
    'the assertion names nobody',
  );
  const value = textOf(element);
  check(value !== '' && value.length <= 1_024, 'the name identifier is empty or too long');
  const format = attributeOf(element, 'Format');
  const nameQualifier = attributeOf(element, 'NameQualifier');
  const spNameQualifier = attributeOf(element, 'SPNameQualifier');
  return {
    value,
    ...(format && { format }),
    ...(nameQualifier && { nameQualifier }),
    ...(spNameQualifier && { spNameQualifier }),
  };
}

function attributesOf(assertion: XmlElement): Pick<Proved, 'attributes' | 'lists'> {
  const values = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  const attributes = childrenOf(assertion, ASSERTION, 'AttributeStatement').flatMap((statement) =>
    childrenOf(statement, ASSERTION, 'Attribute'),
  );
  check(attributes.length <= MAX_ATTRIBUTES, 'the assertion has too many attributes');
  for (const attribute of attributes) {
    const all = childrenOf(attribute, ASSERTION, 'AttributeValue');
    const names = [attributeOf(attribute, 'Name'), attributeOf(attribute, 'FriendlyName')];
    const texts = all
      .filter((one) => elementsOf(one).length === 0)
      .map((one) => textOf(one).slice(0, MAX_VALUE));
    for (const name of names) if (name && !lists.has(name)) lists.set(name, texts);
    const [first] = all;
    // Skips structured values, which no user field can take.
    if (!first || elementsOf(first).length > 0) continue;
    const value = textOf(first).slice(0, MAX_VALUE);
    for (const name of names) if (name && !values.has(name)) values.set(name, value);
  }
  return { attributes: values, lists };
}

/**
 * Reads the answer that a provider posted (SAML 2.0 Profiles 4.1.4.3). Every fact comes from the
 * signed assertion, never from the document around it.
 * @throws XmlRefused with the failed check
 */
export function readAnswer(text: string, expected: Expected, now = Date.now()): Proved {
  const response = readXml(text, MAX_MESSAGE).documentElement;
  check(response !== null, 'the document is empty');
  checkResponse(response, expected);
  const assertion = assertionOf(response, expected);
  check(isIssuedBy(assertion, expected.provider), 'the assertion is from another issuer');
  check(attributeOf(assertion, 'Version') === '2.0', 'the assertion is of another version');
  const issued = readTime(attributeOf(assertion, 'IssueInstant'));
  check(
    issued !== undefined && issued <= now + SKEW_MILLISECONDS,
    'the assertion is from the future (check the clocks)',
  );
  checkConditions(assertion, expected.audience, now);
  const subject = onlyChild(assertion, ASSERTION, 'Subject');
  check(subject !== undefined, 'the assertion has no subject');
  const { inResponseTo, until } = confirmationOf(subject, expected.acs, now);
  const [statement] = childrenOf(assertion, ASSERTION, 'AuthnStatement');
  check(statement !== undefined, 'the assertion does not say that the user signed in');
  const session = readTime(attributeOf(statement, 'SessionNotOnOrAfter'));
  check(
    session === undefined || session > now - SKEW_MILLISECONDS,
    'the session at the provider is over',
  );
  const outer = attributeOf(response, 'InResponseTo');
  check(
    outer === undefined || outer === inResponseTo,
    'response and assertion answer different requests',
  );
  const sessionIndex = attributeOf(statement, 'SessionIndex');
  check(
    sessionIndex === undefined || sessionIndex.length <= 1_024,
    'the session index is too long',
  );
  return {
    assertionId: attributeOf(assertion, 'ID') ?? '',
    inResponseTo,
    until: until + SKEW_MILLISECONDS,
    nameId: nameIdOf(subject, expected.privateKey),
    sessionIndex,
    ...attributesOf(assertion),
  };
}
