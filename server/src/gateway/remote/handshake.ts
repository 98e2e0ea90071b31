import type { Duplex } from 'node:stream';
import type { Route } from '../protocols/connector.ts';
import { inTime } from '../protocols/ssh/ssh-client.ts';
import { openTransport } from '../protocols/ssh/transport.ts';
import { connectTelnet } from '../protocols/telnet/telnet.ts';
import { RemoteRefusal } from './words.ts';

/** A protocol whose port is tried without working on the host. */
export type TriedProtocol = 'telnet' | 'rdp' | 'vnc';

/** Answers are read up to here: each protocol shows itself in its first bytes. */
const MOST_BYTES = 64;

/**
 * An RDP client's first packet ([MS-RDPBCGR] 2.2.1.1): TPKT (RFC 1006), an X.224 connection request, and the offer of TLS and CredSSP, which every server answers, also one
 * that wants neither.
 */
const X224_REQUEST = Buffer.from('030000130ee000000000000100080003000000', 'hex');

/** What the first bytes of a server must be; undefined while more of them are needed. */
const ANSWERS: Readonly<Record<TriedProtocol, (bytes: Buffer) => boolean | undefined>> = {
  // A server begins to negotiate, or shows a banner.
  telnet: (bytes) => (bytes.length > 0 ? true : undefined),
  // TPKT version 3, then the length and the code of an X.224 connection confirm.
  rdp: (bytes) =>
    bytes.length < 6
      ? undefined
      : bytes[0] === 3 && bytes[1] === 0 && ((bytes[5] ?? 0) & 0xf0) === 0xd0,
  // RFC 6143, section 7.1.1.
  vnc: (bytes) =>
    bytes.length < 12 ? undefined : /^RFB \d{3}\.\d{3}\n/.test(bytes.toString('latin1', 0, 12)),
};

/**
 * Proves that a server speaks a protocol: opens the route to its port and does the first exchange. Over telnet it also signs in where the target has a username and a
 * password; the others need no account for it. @throws Refusal, RemoteRefusal
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
      seen = Buffer.concat([seen, chunk.subarray(0, MOST_BYTES)]);
      const verdict = ANSWERS[protocol](seen) ?? (seen.length >= MOST_BYTES ? false : undefined);
      if (verdict !== undefined) done(verdict);
    };
    stream.on('data', read);
    stream.once('error', () => done(false));
    stream.once('end', () => done(false));
    stream.once('close', () => done(false));
    if (protocol === 'rdp') stream.write(X224_REQUEST);
  });
}
