import type { Duplex } from 'node:stream';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { beginPinnedTls, type CertificateKind } from '../pinned-tls.ts';
import { Incoming } from './incoming.ts';

/** How the certificate of a VNC server is pinned. */
export const VNC_CERTIFICATE: CertificateKind = 'x509-vnc';

/** The kinds of VeNCrypt whose server shows a certificate. Those named TLS encrypt for anybody who is in the middle, Plain for nobody. */
const CERTIFIED = { none: 260, vnc: 261, plain: 262 } as const;
/** There are nine kinds. */
const MAX_KINDS = 32;
const VERSION = Buffer.from([0, 2]);

/** How to sign in behind the encryption. */
export type SignInKind = 'none' | 'vnc' | 'plain';

/** A stream, what reads from it, and how to sign in on it. */
export interface VncStream {
  readonly stream: Duplex;
  readonly incoming: Incoming;
  readonly kind: SignInKind;
}

/** A server encrypts, and shows no certificate. */
export class NotCertified extends Error {
  /** Whether it offers something besides that. */
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

/** Agrees on the version and reads the ways to sign in under a certificate, as the server prefers them; the type of VeNCrypt was chosen before. */
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

/** Chooses a kind and begins TLS; the certificate is compared with the pinned one before anything is sent. @throws Refusal */
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
  // A server without a certificate file offers the kind all the same.
  if ((await incoming.take(1))[0] !== 1) throw new Refusal('connect_desktop_unchecked', { host });
  const { stream: encrypted } = await beginPinnedTls(stream, route, VNC_CERTIFICATE);
  return { stream: encrypted, incoming: new Incoming(encrypted), kind };
}

/** The answer to a server that asks for name and password. */
export function plainAnswer(username: string, password: string): Buffer {
  const [name, secret] = [Buffer.from(username, 'utf8'), Buffer.from(password, 'utf8')];
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(name.length, 0);
  lengths.writeUInt32BE(secret.length, 4);
  return Buffer.concat([lengths, name, secret]);
}
