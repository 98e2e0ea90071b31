import type { Duplex } from 'node:stream';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { beginPinnedTls, type CertificateKind } from '../pinned-tls.ts';
import { Incoming } from './incoming.ts';

/** Key type of the pin of a VNC certificate. */
export const VNC_CERTIFICATE: CertificateKind = 'x509-vnc';

/**
 * VeNCrypt types with a certificate. The TLS types encrypt anonymously, for any man in the middle;
 * Plain does not encrypt.
 */
const CERTIFIED = { none: 260, vnc: 261, plain: 262 } as const;
/** Limit; nine types are defined. */
const MAX_KINDS = 32;
const VERSION = Buffer.from([0, 2]);

/** Sign-in inside the encryption. */
export type SignInKind = 'none' | 'vnc' | 'plain';

/** A stream with its reader and its sign-in. */
export interface VncStream {
  readonly stream: Duplex;
  readonly incoming: Incoming;
  readonly kind: SignInKind;
}

/** The server encrypts without a certificate. */
export class NotCertified extends Error {
  /** True if the server offers other security types. */
  readonly hasMore: boolean;

  constructor(hasMore: boolean) {
    super('the server shows no certificate');
    this.hasMore = hasMore;
  }
}

const NAMES: ReadonlyMap<number, SignInKind> = new Map([
  [CERTIFIED.none, 'none'],
  [CERTIFIED.vnc, 'vnc'],
  [CERTIFIED.plain, 'plain'],
]);

/**
 * Negotiates the VeNCrypt version; returns the certified sign-ins in the server's order. The caller
 * has already chosen VeNCrypt.
 */
export async function readCertified(
  incoming: Incoming,
  stream: Duplex,
): Promise<readonly SignInKind[]> {
  const version = await incoming.take(2);
  stream.write(VERSION);
  if (version.compare(VERSION) < 0 || (await incoming.take(1))[0] !== 0)
    throw new Error('another version of VeNCrypt');
  const count = (await incoming.take(1))[0] ?? 0;
  if (count === 0 || count > MAX_KINDS) throw new Error('a list of kinds that is none');
  const list = await incoming.take(count * 4);
  return Array.from({ length: count }, (_, index) =>
    NAMES.get(list.readUInt32BE(index * 4)),
  ).filter((kind) => kind !== undefined);
}

/**
 * Chooses a type and begins TLS. Compares the certificate with the pin before sending data.
 * @throws Refusal
 */
export async function encrypt(
  incoming: Incoming,
  stream: Duplex,
  route: Pick<Route, 'target' | 'hostKeys'>,
  kind: SignInKind,
): Promise<VncStream> {
  const choice = Buffer.alloc(4);
  choice.writeUInt32BE(CERTIFIED[kind]);
  stream.write(choice);
  const host = `${route.target.host}:${route.target.port}`;
  // A server without a certificate file still offers the type.
  if ((await incoming.take(1))[0] !== 1) throw new Refusal('connect_desktop_unchecked', { host });
  const { stream: encrypted } = await beginPinnedTls(stream, route, VNC_CERTIFICATE);
  return { stream: encrypted, incoming: new Incoming(encrypted), kind };
}

/** The answer of type Plain: name and password. */
export function plainAnswer(username: string, password: string): Buffer {
  const [name, secret] = [Buffer.from(username, 'utf8'), Buffer.from(password, 'utf8')];
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(name.length, 0);
  lengths.writeUInt32BE(secret.length, 4);
  return Buffer.concat([lengths, name, secret]);
}
