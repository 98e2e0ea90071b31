import type { Duplex } from 'node:stream';
import type { Route } from '../protocols/connector.ts';
import { inTime } from '../protocols/ssh/ssh-client.ts';
import { openTransport } from '../protocols/ssh/transport.ts';
import { connectTelnet } from '../protocols/telnet/telnet.ts';
import { RemoteRefusal } from './words.ts';

/** Protocols whose port is tested without working on the host. */
export type TriedProtocol = 'telnet' | 'rdp' | 'vnc';

/** Maximum bytes read of the answer: each protocol identifies itself in its first bytes. */
const MAX_BYTES = 64;

/**
 * First packet of an RDP client ([MS-RDPBCGR] 2.2.1.1): TPKT (RFC 1006), an X.224 connection
 * request, and an offer of TLS and CredSSP. Every server answers it, even one without either.
 */
const X224_REQUEST = Buffer.from('030000130ee000000000000100080003000000', 'hex');

/** Returns true if the first bytes match the protocol; undefined while more bytes are needed. */
const ANSWERS: Readonly<Record<TriedProtocol, (bytes: Buffer) => boolean | undefined>> = {
  // A telnet server begins to negotiate, or sends a banner.
  telnet: (bytes) => (bytes.length > 0 ? true : undefined),
  // TPKT version 3, then length and code of an X.224 connection confirm.
  rdp: (bytes) =>
    bytes.length < 6
      ? undefined
      : bytes[0] === 3 && bytes[1] === 0 && ((bytes[5] ?? 0) & 0xf0) === 0xd0,
  // RFC 6143, section 7.1.1.
  vnc: (bytes) =>
    bytes.length < 12 ? undefined : /^RFB \d{3}\.\d{3}\n/.test(bytes.toString('latin1', 0, 12)),
};

/**
 * Verifies that a server speaks the protocol: opens the route to its port and does the first
 * exchange. Telnet also signs in if the target has username and password.
 * @throws Refusal, RemoteRefusal
 */
export async function shakeHands(
  protocol: TriedProtocol,
  route: Route,
  signal: AbortSignal,
): Promise<void> {
  const { host, port, login } = route.target;
  if (protocol === 'telnet' && login.username && login.password) {
    (await connectTelnet(route, signal)).close();
    return;
  }
  const peer = { host: `${host}:${port}` };
  const { stream, close } = await openTransport(route, signal);
  try {
    const isRight = await inTime(answerOf(stream, protocol), route.timeoutMs, signal, peer);
    if (!isRight) throw new RemoteRefusal('remote_handshake', { ...peer, protocol });
  } finally {
    stream.on('error', () => undefined);
    stream.destroy();
    close();
  }
}

function answerOf(stream: Duplex, protocol: TriedProtocol): Promise<boolean> {
  return new Promise((done) => {
    let seen = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk.subarray(0, MAX_BYTES)]);
      const verdict = ANSWERS[protocol](seen) ?? (seen.length >= MAX_BYTES ? false : undefined);
      if (verdict !== undefined) done(verdict);
    };
    stream.on('data', read);
    stream.once('error', () => done(false));
    stream.once('end', () => done(false));
    stream.once('close', () => done(false));
    if (protocol === 'rdp') stream.write(X224_REQUEST);
  });
}
