import type { Duplex } from 'node:stream';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { answerChallenge } from './challenge.ts';
import { Incoming } from './incoming.ts';

/** RFC 6143, section 7.1.2. */
const SECURITY = { none: 1, vnc: 2 } as const;
const MAX_NAME = 4096;

/** What a server says of its desktop. */
export interface ServerInit {
  readonly width: number;
  readonly height: number;
}

/** Agrees on a version and signs in with the password. Nothing that the server says in words is repeated: an address must not be explored through us. @throws Refusal */
export async function signIn(stream: Duplex, { target, onStage }: Pick<Route, 'target' | 'onStage'>): Promise<Incoming> {
  const host = `${target.host}:${target.port}`;
  const incoming = new Incoming(stream);
  const version = minorVersion(await incoming.take(12));
  if (version === undefined) throw notVnc(host);
  stream.write(`RFB 003.00${version}\n`);
  onStage('authenticating', target.name);
  const kind = version === 3 ? await decided(incoming) : await chosen(incoming, stream);
  if (kind === 0) throw new Refusal('connect_desktop_busy', { host });
  if (kind === SECURITY.none) throw new Refusal('connect_desktop_open', { host });
  if (kind !== SECURITY.vnc) throw new Refusal('connect_desktop_sign_in', { host, protocol: 'VNC' });
  stream.write(answerChallenge(await incoming.take(16), target.login.password ?? ''));
  if ((await incoming.take(4)).readUInt32BE(0) !== 0) throw new Refusal('connect_credentials', { host, account: target.login.username });
  return incoming;
}

/** Asks for the desktop, shared with others, and reads what it is. @throws Refusal */
export async function begin(stream: Duplex, incoming: Incoming, host: string): Promise<ServerInit> {
  stream.write(Buffer.from([1]));
  const head = await incoming.take(24);
  const length = head.readUInt32BE(20);
  if (length > MAX_NAME) throw notVnc(host);
  await incoming.take(length);
  return { width: head.readUInt16BE(0), height: head.readUInt16BE(2) };
}

/** What answers like something else. */
export const notVnc = (host: string): Refusal => new Refusal('connect_desktop_error', { host, protocol: 'VNC' });

/** The version that both know: 3.3, 3.7 or 3.8. RFC 6143, section 7.1.1. */
function minorVersion(greeting: Buffer): 3 | 7 | 8 | undefined {
  const [, major, minor] = /^RFB (\d{3})\.(\d{3})\n$/.exec(greeting.toString('latin1')) ?? [];
  if (major === undefined || minor === undefined || Number(major) < 3) return undefined;
  if (Number(major) > 3 || Number(minor) >= 8) return 8;
  return Number(minor) === 7 ? 7 : 3;
}

/** In 3.3 the server decides. */
const decided = async (incoming: Incoming): Promise<number> => (await incoming.take(4)).readUInt32BE(0);

/** Since 3.7 the server offers some and the client chooses. */
async function chosen(incoming: Incoming, stream: Duplex): Promise<number | undefined> {
  const count = (await incoming.take(1))[0] ?? 0;
  if (count === 0) return 0;
  const offered = new Set(await incoming.take(count));
  const kind = [SECURITY.vnc, SECURITY.none].find((one) => offered.has(one));
  if (kind === SECURITY.vnc) stream.write(Buffer.from([kind]));
  return kind;
}
