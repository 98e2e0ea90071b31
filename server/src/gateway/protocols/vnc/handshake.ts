import type { Duplex } from 'node:stream';
import {
  answerChallenge,
  chooseCertified,
  Incoming,
  NotCertified,
  plainAnswer,
  readCertified,
  type SignInKind,
  type VncStream,
} from '@sallyport/vnc';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { beginPinnedTls, type CertificateKind } from '../tcp.ts';
import { connectionRefusalOf, readWords, signInRefusalOf } from './refusals.ts';

/** RFC 6143, section 7.1.2; VeNCrypt from the list of the RFB community. */
const SECURITY = { none: 1, vnc: 2, veNCrypt: 19 } as const;
const MAX_NAME = 4096;

type HandshakeRoute = Pick<Route, 'target' | 'hostKeys' | 'onStage'>;
/** A stream on which the handshake continues, encrypted or not. */
type Started = VncStream;

/** The desktop's size, as the server announces it. */
export interface ServerInit {
  readonly width: number;
  readonly height: number;
}

/**
 * Negotiates the version and signs in.
 *
 * @throws NotCertified if the server encrypts without a certificate; retry on a new connection with
 * `mayEncrypt` false
 * @throws Refusal
 */
export async function signIn(
  stream: Duplex,
  route: HandshakeRoute,
  mayEncrypt = true,
): Promise<Started> {
  const { target, onStage } = route;
  const host = `${target.host}:${target.port}`;
  const incoming = new Incoming(stream);
  const version = minorVersion(await incoming.take(12));
  if (version === undefined) throw notVnc(host);
  stream.write(`RFB 003.00${version}\n`);
  onStage('authenticating', target.name);
  const started =
    version === 3
      ? await readChoice(incoming, stream, route)
      : await chooseSignIn(incoming, stream, route, mayEncrypt);
  const { username, password = '' } = target.login;
  if (started.kind === 'vnc')
    started.stream.write(answerChallenge(await started.incoming.take(16), password));
  else if (started.kind === 'plain') started.stream.write(plainAnswer(username, password));
  // Before 3.8 the server sends no result for security type None.
  if (started.kind === 'none' && started.stream === stream && version !== 8) return started;
  const result = (await started.incoming.take(4)).readUInt32BE(0);
  if (result !== 0)
    throw signInRefusalOf(
      // Before 3.8 no text follows.
      { result, words: version === 8 ? await readWords(started.incoming, password) : '' },
      { host, account: username },
    );
  return started;
}

/** Requests the desktop, shared with other clients, and reads its size. @throws Refusal */
export async function requestDesktop(
  { stream, incoming }: Started,
  host: string,
): Promise<ServerInit> {
  stream.write(Buffer.from([1]));
  const head = await incoming.take(24);
  const length = head.readUInt32BE(20);
  if (length > MAX_NAME) throw notVnc(host);
  await incoming.take(length);
  return { width: head.readUInt16BE(0), height: head.readUInt16BE(2) };
}

/** The server speaks another protocol. */
export const notVnc = (host: string): Refusal =>
  new Refusal('connect_desktop_error', { host, protocol: 'VNC' });

/** The version that both sides support: 3.3, 3.7 or 3.8 (RFC 6143, section 7.1.1). */
function minorVersion(greeting: Buffer): 3 | 7 | 8 | undefined {
  const [, major, minor] = /^RFB (\d{3})\.(\d{3})\n$/.exec(greeting.toString('latin1')) ?? [];
  if (major === undefined || minor === undefined || Number(major) < 3) return undefined;
  if (Number(major) > 3 || Number(minor) >= 8) return 8;
  return Number(minor) === 7 ? 7 : 3;
}

/** The server offers no security type and says why (RFC 6143, section 7.1.2). */
const refusedConnection = async (
  incoming: Incoming,
  { target }: HandshakeRoute,
): Promise<Refusal> =>
  connectionRefusalOf(
    await readWords(incoming, target.login.password),
    `${target.host}:${target.port}`,
  );

/** Protocol 3.3: the server chooses the security type. @throws Refusal */
async function readChoice(
  incoming: Incoming,
  stream: Duplex,
  route: HandshakeRoute,
): Promise<Started> {
  const kind = (await incoming.take(4)).readUInt32BE(0);
  if (kind === 0) throw await refusedConnection(incoming, route);
  return { stream, incoming, kind: await inClear([kind], route) };
}

/**
 * Protocol 3.7 and later: the server offers security types, and we prefer encryption under a
 * certificate.
 * @throws Refusal
 * @throws NotCertified
 */
async function chooseSignIn(
  incoming: Incoming,
  stream: Duplex,
  route: HandshakeRoute,
  mayEncrypt: boolean,
): Promise<Started> {
  const offered = [...(await incoming.take((await incoming.take(1))[0] ?? 0))];
  if (offered.length === 0) throw await refusedConnection(incoming, route);
  if (mayEncrypt && offered.includes(SECURITY.veNCrypt)) {
    stream.write(Buffer.from([SECURITY.veNCrypt]));
    const certified = await readCertified(incoming, stream);
    const kind = certified.find((one) => isUsable(one, route));
    if (kind) return encrypt(incoming, stream, route, kind);
    if (certified.length > 0)
      throw certified.includes('vnc') && route.target.login.isOpen
        ? needsPassword(`${route.target.host}:${route.target.port}`)
        : noSignIn(route);
    throw new NotCertified(offered.some((type) => type !== SECURITY.veNCrypt));
  }
  const kind = await inClear(offered, route);
  stream.write(Buffer.from([SECURITY[kind]]));
  return { stream, incoming, kind };
}

/** Chooses the sign-in without encryption. @throws Refusal */
async function inClear(offered: readonly number[], route: HandshakeRoute): Promise<'none' | 'vnc'> {
  const { target } = route;
  const host = `${target.host}:${target.port}`;
  // A man in the middle could have removed the encryption from the offer.
  if (await isPinned(route)) throw new Refusal('connect_desktop_unchecked', { host });
  if (target.login.isOpen) {
    if (offered.includes(SECURITY.none)) return 'none';
    throw offered.includes(SECURITY.vnc) ? needsPassword(host) : noSignIn(route);
  }
  if (offered.includes(SECURITY.vnc)) return 'vnc';
  if (offered.includes(SECURITY.none)) throw new Refusal('connect_desktop_open', { host });
  throw noSignIn(route);
}

/**
 * Returns true if the account fits the sign-in: an open account requires no password, others
 * require one.
 */
function isUsable(kind: SignInKind, { target: { login } }: HandshakeRoute): boolean {
  if (login.isOpen) return kind === 'none';
  return kind === 'vnc' || (kind === 'plain' && login.username !== '');
}

const isPinned = ({ target, hostKeys }: HandshakeRoute): Promise<boolean> =>
  hostKeys.isPinned({ kind: 'asset', ownerId: target.id, keyType: VNC_CERTIFICATE });

/** The system user has no password, and the server asks for one. */
const needsPassword = (host: string): Refusal => new Refusal('connect_desktop_password', { host });

const noSignIn = ({ target }: HandshakeRoute): Refusal =>
  new Refusal('connect_desktop_sign_in', {
    host: `${target.host}:${target.port}`,
    protocol: 'VNC',
  });

/** Key type of the pin of a VNC certificate. */
const VNC_CERTIFICATE: CertificateKind = 'x509-vnc';

/**
 * Chooses a type and begins TLS. Compares the certificate with the pin before sending data.
 * @throws Refusal
 */
async function encrypt(
  incoming: Incoming,
  stream: Duplex,
  route: Pick<Route, 'target' | 'hostKeys'>,
  kind: SignInKind,
): Promise<VncStream> {
  const host = `${route.target.host}:${route.target.port}`;
  if (!(await chooseCertified(incoming, stream, kind)))
    throw new Refusal('connect_desktop_unchecked', { host });
  const { stream: encrypted } = await beginPinnedTls(stream, route, VNC_CERTIFICATE);
  return { stream: encrypted, incoming: new Incoming(encrypted), kind };
}
