import { BadPdu, ByteReader, u16be } from './byte-reader.ts';

/** Security protocols (MS-RDPBCGR 2.2.1.1.1). */
export const SECURITY = { tls: 1, networkLevel: 2 } as const;

/** Characters of the name in the cookie, which load balancers read. */
const MAX_COOKIE_NAME = 9;
const CONFIRM = 0xd0;
const RESPONSE = 2;
const FAILURE = 3;
/** Failure code: the server requires network level authentication. */
const NETWORK_LEVEL_ONLY = 5;
/** Failure code: the server requires TLS, so it has no network level authentication. */
const TLS_ONLY = 1;
/** Failure codes of a server without TLS: it is not allowed, or the server has no certificate. */
const LACKS_TLS: ReadonlySet<number> = new Set([2, 3]);

/** Other failures are `unsupported`. */
type Failure = 'lacksTls' | 'lacksNetworkLevel' | 'requiresNetworkLevel' | 'unsupported';

/** Names of Windows for the security that a client may use. */
type AllowedSecurity = 'rdp' | 'nla' | 'tls' | 'any';

/** The security protocols to offer; all for `any`. */
export const offerOf = (security: AllowedSecurity | undefined): number => {
  if (security === 'nla') return SECURITY.networkLevel;
  return security === 'rdp' || security === 'tls'
    ? SECURITY.tls
    : SECURITY.tls | SECURITY.networkLevel;
};

/** Builds the X.224 Connection Request: the cookie for load balancers, and our offer. */
export function connectionRequest(username: string, offer: number): Buffer {
  // The cookie is a line: a name must not contain a line break.
  const name = username.replace(/[^\x21-\x7e]/g, '').slice(0, MAX_COOKIE_NAME);
  const cookie = Buffer.from(`Cookie: mstshash=${name}\r\n`, 'latin1');
  const request = Buffer.from([1, 0, 8, 0, offer, 0, 0, 0]);
  const length = 11 + cookie.length + request.length;
  return Buffer.concat([
    Buffer.from([3, 0]),
    u16be(length),
    Buffer.from([length - 5, 0xe0, 0, 0, 0, 0, 0]),
    cookie,
    request,
  ]);
}

/** The server rejected our security protocols (MS-RDPBCGR 2.2.1.2.2). */
export class NegotiationRefused extends Error {
  override readonly name = 'NegotiationRefused';
  readonly failure: Failure;
  /** The failure code of the server, if it sent one. */
  readonly code: number | undefined;

  constructor(message: string, failure: Failure, code?: number) {
    super(message);
    this.failure = failure;
    this.code = code;
  }
}

/**
 * Parses the security protocol that the server chose.
 * @throws NegotiationRefused if it chose none of the offer; BadPdu
 */
export function readConfirm(pdu: Buffer, offer: number): number {
  const reader = new ByteReader(pdu);
  if (reader.u8() !== 3) throw new BadPdu('the server did not answer with X.224');
  reader.bytes(3);
  const length = reader.u8();
  if (length !== reader.left || reader.u8() !== CONFIRM)
    throw new BadPdu('the server did not confirm the connection');
  reader.bytes(5);
  // Servers before 2003 send no answer: they support only RDP encryption, which does not
  // authenticate the server.
  if (reader.left === 0) throw new NegotiationRefused('the server knows no TLS', 'lacksTls');
  const kind = reader.u8();
  reader.u8();
  if (reader.u16() !== 8) throw new BadPdu('the answer of the server has another length');
  const value = reader.u32();
  if (kind === FAILURE)
    throw new NegotiationRefused(`the server refuses with code ${value}`, failureOf(value), value);
  if (kind !== RESPONSE) throw new BadPdu('the answer of the server is unknown');
  if ((value !== SECURITY.tls && value !== SECURITY.networkLevel) || (value & offer) === 0)
    throw new NegotiationRefused('the server chose another protocol', chosen(value));
  return value;
}

/** The failure of a server that chose a protocol that was not offered. */
function chosen(value: number): Failure {
  if (value === 0) return 'lacksTls';
  return value === SECURITY.tls ? 'lacksNetworkLevel' : 'unsupported';
}

function failureOf(value: number): Failure {
  if (value === TLS_ONLY) return 'lacksNetworkLevel';
  if (value === NETWORK_LEVEL_ONLY) return 'requiresNetworkLevel';
  return LACKS_TLS.has(value) ? 'lacksTls' : 'unsupported';
}
