import { fetchLimited } from '../../platform/limited-fetch.ts';
import { isProtected } from '../../platform/outgoing.ts';
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

const CAS = 'http://www.yale.edu/tp/cas';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const TIMEOUT_MILLISECONDS = 10_000;
const MAX_ANSWER = 200_000;
const MAX_ATTRIBUTES = 500;
const MAX_VALUE = 2_000;
/** A service ticket (CAS Protocol 3.1.1). Proxy tickets have another prefix. */
const TICKET = /^ST-[\w.-]{1,500}$/;

/** Address and protocol version of a server. */
export interface CasServer {
  /** Example: https://cas.example.com/cas, without a trailing slash. */
  readonly address: string;
  /** Version 3 sends attributes. */
  readonly version: '2' | '3';
}

/** A validated ticket. */
export interface Validated {
  readonly user: string;
  /** The first value of each attribute. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** The server rejected a ticket with this code. */
export class TicketRefused extends Error {
  override readonly name = 'TicketRefused';
  readonly code: string;

  constructor(code: string) {
    super(`the server answered ${code}`);
    this.code = code;
  }
}

const joined = (address: string, values: Readonly<Record<string, string>>) =>
  `${address}?${new URLSearchParams(values)}`;

/** The sign-in page for a service. */
export const loginAddress = ({ address }: CasServer, service: string): string =>
  joined(`${address}/login`, { service });
/** The sign-out page, which then redirects to the service. */
export const logoutAddress = ({ address }: CasServer, service: string): string =>
  joined(`${address}/logout`, { service });

/**
 * Fetches a page of a server without following redirects, up to a maximum size and within 10
 * seconds.
 * @throws Error
 */
export async function fetchFrom(
  address: string,
): Promise<{ readonly status: number; readonly text: string }> {
  if (!URL.canParse(address) || !isProtected(new URL(address)))
    throw new XmlRefused(`${address.slice(0, 200)} is not protected by HTTPS`);
  const { status, body } = await fetchLimited(
    address,
    { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) },
    { maximum: MAX_ANSWER, tooLarge: () => new XmlRefused('the answer is too large') },
  );
  return { status, text: body.toString('utf8') };
}

function attributesOf(success: XmlElement): ReadonlyMap<string, string> {
  const holder = onlyChild(success, CAS, 'attributes');
  const attributes = new Map<string, string>();
  const elements = holder ? elementsOf(holder) : [];
  if (elements.length > MAX_ATTRIBUTES) throw new XmlRefused('there are too many attributes');
  for (const element of elements) {
    // Some servers write <cas:attribute name="…" value="…"/>.
    const name =
      element.localName === 'attribute'
        ? (attributeOf(element, 'name') ?? 'attribute')
        : element.localName;
    if (attributes.has(name) || elementsOf(element).length > 0) continue;
    attributes.set(name, (attributeOf(element, 'value') ?? textOf(element)).slice(0, MAX_VALUE));
  }
  return attributes;
}

/**
 * Reads the answer of a server about a ticket (CAS Protocol 2.5.3, Appendix A).
 * @throws TicketRefused, XmlRefused
 */
export function readValidation(text: string): Validated {
  const root = readXml(text.trim(), MAX_ANSWER).documentElement;
  if (!root || !isNamed(root, CAS, 'serviceResponse'))
    throw new XmlRefused('it is no answer of CAS');
  const children = elementsOf(root);
  const [only] = children;
  if (!only || children.length > 1) throw new XmlRefused('it is not exactly one answer');
  if (isNamed(only, CAS, 'authenticationFailure'))
    throw new TicketRefused((attributeOf(only, 'code') ?? 'no reason').slice(0, 100));
  if (!isNamed(only, CAS, 'authenticationSuccess')) throw new XmlRefused('it is no answer of CAS');
  if (childrenOf(only, CAS, 'proxies').length > 0) throw new XmlRefused('it is for a proxy');
  const user = onlyChild(only, CAS, 'user');
  const name = user ? textOf(user) : '';
  if (name === '' || name.length > 256) throw new XmlRefused('it names no user');
  return { user: name, attributes: attributesOf(only) };
}

/**
 * Validates a ticket for a service. The server accepts each ticket once.
 * @throws TicketRefused, XmlRefused, Error
 */
export async function validate(
  { address, version }: CasServer,
  service: string,
  ticket: string,
): Promise<Validated> {
  if (!TICKET.test(ticket)) throw new TicketRefused('INVALID_TICKET_SPEC');
  const { status, text } = await fetchFrom(
    joined(`${address}${version === '3' ? '/p3' : ''}/serviceValidate`, { service, ticket }),
  );
  if (status !== 200) throw new XmlRefused(`HTTP ${status}`);
  return readValidation(text);
}

/** Returns the ticket whose session the server ends (CAS Protocol 2.3.3). @throws XmlRefused */
export function readSignOut(text: string): string {
  const root = readXml(text.trim(), MAX_ANSWER).documentElement;
  const index =
    root && isNamed(root, PROTOCOL, 'LogoutRequest')
      ? onlyChild(root, PROTOCOL, 'SessionIndex')
      : undefined;
  const ticket = index ? textOf(index) : '';
  if (!TICKET.test(ticket)) throw new XmlRefused('it names no ticket');
  return ticket;
}
