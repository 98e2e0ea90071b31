import type { Duplex } from 'node:stream';
import { KEXINIT, readOffer } from './key-exchange.ts';

/** Maximum bytes of the first line and the key exchange packet (RFC 4253, section 6.1). */
const MAX_FIRST = 64 * 1024;
/** Clients send both at once. A client that waits for our offer receives it after this timeout. */
const PATIENCE_MS = 500;
const NEWLINE = 0x0a;
/** Packet length and padding length precede the payload. */
const HEAD = 4 + 1;
/** Indexes of the two cipher lists. */
const SENT_CIPHERS = 2;
const RECEIVED_CIPHERS = 3;

/**
 * Holds a client's first bytes until its offer is complete, then calls `onOffer` with the ciphers
 * it supports in both directions.
 */
export function holdFirstPacket(
  socket: Duplex,
  onOffer: (ciphers: readonly string[]) => void,
): void {
  const push = socket.push.bind(socket);
  let held: Buffer[] = [];
  const release = () => {
    clearTimeout(timer);
    socket.push = push;
    const all = Buffer.concat(held);
    held = [];
    if (socket.destroyed || all.length === 0) return;
    const ciphers = ciphersOf(all);
    if (Array.isArray(ciphers)) onOffer(ciphers);
    push(all);
  };
  const timer = setTimeout(release, PATIENCE_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) {
      release();
      return push(chunk, encoding);
    }
    held.push(chunk);
    const all = Buffer.concat(held);
    held = [all];
    if (all.length > MAX_FIRST || ciphersOf(all) !== 'more') release();
    return true;
  };
}

/**
 * Returns the ciphers of both directions; `more` while the data is incomplete, undefined if it is
 * not SSH.
 */
function ciphersOf(data: Buffer): readonly string[] | 'more' | undefined {
  const lists = offeredLists(data);
  if (lists === undefined || lists === 'more') return lists;
  const received = lists[RECEIVED_CIPHERS] ?? [];
  return (lists[SENT_CIPHERS] ?? []).filter((cipher) => received.includes(cipher));
}

/**
 * Returns the algorithm lists in a peer's first bytes (see `Offer`); `more` while they are
 * incomplete, undefined if the data is not SSH.
 */
export function offeredLists(data: Buffer): readonly (readonly string[])[] | 'more' | undefined {
  const packet = behindIdentification(data);
  if (packet === undefined || packet.length < HEAD + 1)
    return data.length > MAX_FIRST ? undefined : 'more';
  if (packet[HEAD] !== KEXINIT) return undefined;
  const length = packet.readUInt32BE(0);
  if (length > MAX_FIRST) return undefined;
  if (packet.length < 4 + length) return 'more';
  return readOffer(packet.subarray(HEAD, 4 + length))?.lists;
}

/**
 * Returns the data after the line that begins with `SSH-`. A server may send other lines first (RFC
 * 4253, section 4.2).
 */
function behindIdentification(data: Buffer): Buffer | undefined {
  for (let at = 0; at < data.length; ) {
    const end = data.indexOf(NEWLINE, at);
    if (end < 0) return undefined;
    if (data.toString('latin1', at, at + 4) === 'SSH-') return data.subarray(end + 1);
    at = end + 1;
  }
  return undefined;
}
