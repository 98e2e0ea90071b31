import type { Duplex } from 'node:stream';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { answerChallenge } from './challenge.ts';
import { Incoming } from './incoming.ts';
import {
  encrypt,
  NotCertified,
  plainAnswer,
  readCertified,
  type SignInKind,
  VNC_CERTIFICATE,
  type VncStream,
} from './vencrypt.ts';

/** RFC 6143, section 7.1.2; VeNCrypt by the list of the RFB community. */
const SECURITY = { none: 1, vnc: 2, veNCrypt: 19 } as const;
const MAX_NAME = 4096;

/** The parts of a route that a handshake needs. */
type Way = Pick<Route, 'target' | 'hostKeys' | 'onStage'>;
/** A stream on which the handshake goes on, encrypted or not. */
type Begun = VncStream;

/** What a server says of its desktop. */
export interface ServerInit {
  readonly width: number;
  readonly height: number;
}

/**
 * Agrees on a version and signs in. Nothing that the server says in words is repeated: an address must not be explored through us.
 *
 * @throws NotCertified where the server encrypts without a certificate; with `mayEncrypt` false another connection goes without
 * @throws Refusal
 */
export async function signIn(stream: Duplex, route: Way, mayEncrypt = true): Promise<Begun> {
  const { target, onStage } = route;
  const host = `${target.host}:${target.port}`;
  const incoming = new Incoming(stream);
  const version = minorVersion(await incoming.take(12));
  if (version === undefined) throw notVnc(host);
  stream.write(`RFB 003.00${version}\n`);
  onStage('authenticating', target.name);
  const begun =
    version === 3
      ? await decided(incoming, stream, route)
      : await chosen(incoming, stream, route, mayEncrypt);
  const { username, password = '' } = target.login;
  if (begun.kind === 'vnc')
    begun.stream.write(answerChallenge(await begun.incoming.take(16), password));
  else if (begun.kind === 'plain') begun.stream.write(plainAnswer(username, password));
  // Before 3.8 nothing is said to somebody who was not asked for anything.
  if (begun.kind === 'none' && begun.stream === stream && version !== 8) return begun;
  if ((await begun.incoming.take(4)).readUInt32BE(0) !== 0)
    throw new Refusal('connect_credentials', { host, account: username });
  return begun;
}

/** Asks for the desktop, shared with others, and reads what it is. @throws Refusal */
export async function begin({ stream, incoming }: Begun, host: string): Promise<ServerInit> {
  stream.write(Buffer.from([1]));
  const head = await incoming.take(24);
  const length = head.readUInt32BE(20);
  if (length > MAX_NAME) throw notVnc(host);
  await incoming.take(length);
  return { width: head.readUInt16BE(0), height: head.readUInt16BE(2) };
}

/** What answers like something else. */
export const notVnc = (host: string): Refusal =>
  new Refusal('connect_desktop_error', { host, protocol: 'VNC' });

/** The version that both know: 3.3, 3.7 or 3.8. RFC 6143, section 7.1.1. */
function minorVersion(greeting: Buffer): 3 | 7 | 8 | undefined {
  const [, major, minor] = /^RFB (\d{3})\.(\d{3})\n$/.exec(greeting.toString('latin1')) ?? [];
  if (major === undefined || minor === undefined || Number(major) < 3) return undefined;
  if (Number(major) > 3 || Number(minor) >= 8) return 8;
  return Number(minor) === 7 ? 7 : 3;
}

/** In 3.3 the server decides. @throws Refusal */
async function decided(incoming: Incoming, stream: Duplex, route: Way): Promise<Begun> {
  const kind = (await incoming.take(4)).readUInt32BE(0);
  return { stream, incoming, kind: await inClear(kind === 0 ? [] : [kind], route) };
}

/** Since 3.7 the server offers some and the client chooses: encryption under a certificate before anything else. @throws Refusal @throws NotCertified */
async function chosen(
  incoming: Incoming,
  stream: Duplex,
  route: Way,
  mayEncrypt: boolean,
): Promise<Begun> {
  const offered = [...(await incoming.take((await incoming.take(1))[0] ?? 0))];
  if (mayEncrypt && offered.includes(SECURITY.veNCrypt)) {
    stream.write(Buffer.from([SECURITY.veNCrypt]));
    const certified = await readCertified(incoming, stream);
    const kind = certified.find((one) => isUsable(one, route));
    if (kind) return encrypt(incoming, stream, route, kind);
    if (certified.length > 0) throw noWay(route);
    throw new NotCertified(offered.some((type) => type !== SECURITY.veNCrypt));
  }
  const kind = await inClear(offered, route);
  stream.write(Buffer.from([SECURITY[kind]]));
  return { stream, incoming, kind };
}

/** Which sign-in is used without encryption. @throws Refusal */
async function inClear(offered: readonly number[], route: Way): Promise<'none' | 'vnc'> {
  const { target } = route;
  const host = `${target.host}:${target.port}`;
  if (offered.length === 0) throw new Refusal('connect_desktop_busy', { host });
  // Who is in the middle could leave the encryption out.
  if (await isPinned(route)) throw new Refusal('connect_desktop_unchecked', { host });
  if (target.login.isOpen) {
    if (offered.includes(SECURITY.none)) return 'none';
    throw new Refusal('connect_credentials', { host, account: target.login.username });
  }
  if (offered.includes(SECURITY.vnc)) return 'vnc';
  if (offered.includes(SECURITY.none)) throw new Refusal('connect_desktop_open', { host });
  throw noWay(route);
}

/** Whether an account can sign in so: an open one where nothing is asked for, any other one where a password is. */
function isUsable(kind: SignInKind, { target: { login } }: Way): boolean {
  if (login.isOpen) return kind === 'none';
  return kind === 'vnc' || (kind === 'plain' && login.username !== '');
}

const isPinned = ({ target, hostKeys }: Way): Promise<boolean> =>
  hostKeys.isPinned({ kind: 'asset', ownerId: target.id, keyType: VNC_CERTIFICATE });

const noWay = ({ target }: Way): Refusal =>
  new Refusal('connect_desktop_sign_in', {
    host: `${target.host}:${target.port}`,
    protocol: 'VNC',
  });
