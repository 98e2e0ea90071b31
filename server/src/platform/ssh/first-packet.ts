import type { Duplex } from 'node:stream';

/** More than any first line and key exchange packet (RFC 4253, section 6.1). */
const MAX_FIRST = 64 * 1024;
/** Clients send both at once; one that waits for ours first gets it after so long. */
const PATIENCE_MS = 500;
const NEWLINE = 0x0a;
const KEXINIT = 20;
/** What comes before the lists: length, padding length, type and cookie. */
const BEFORE_LISTS = 4 + 1 + 1 + 16;
/** The places of the lists of ciphers among the lists. */
const SENT_CIPHERS = 2;
const RECEIVED_CIPHERS = 3;
/** How many lists of algorithms there are that both sides must share one of. */
const LISTS = 6;

/** Holds a client's first bytes back until its offer of algorithms is complete, and calls `onOffer` with the ciphers it can use in both directions. */
export function holdFirstPacket(socket: Duplex, onOffer: (ciphers: readonly string[]) => void): void {
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

/** The ciphers of both directions in a first line and a key exchange packet; `more` while they are not complete, nothing when they are none. */
function ciphersOf(data: Buffer): readonly string[] | 'more' | undefined {
  const lists = offeredLists(data);
  if (lists === undefined || lists === 'more') return lists;
  const received = lists[RECEIVED_CIPHERS] ?? [];
  return (lists[SENT_CIPHERS] ?? []).filter((cipher) => received.includes(cipher));
}

/**
 * The lists of algorithms that a peer's first bytes offer, in the order of RFC 4253, section 7.1, up to the message authentication codes; `more` while they are not
 * complete, nothing when they are none.
 */
export function offeredLists(data: Buffer): readonly (readonly string[])[] | 'more' | undefined {
  const packet = behindIdentification(data);
  if (packet === undefined || packet.length < BEFORE_LISTS) return data.length > MAX_FIRST ? undefined : 'more';
  if (packet[5] !== KEXINIT) return undefined;
  const length = packet.readUInt32BE(0);
  if (length > MAX_FIRST) return undefined;
  if (packet.length < 4 + length) return 'more';
  const lists: string[][] = [];
  let at = BEFORE_LISTS;
  for (let index = 0; index < LISTS; index++) {
    if (at + 4 > packet.length) return undefined;
    const size = packet.readUInt32BE(at);
    if (at + 4 + size > packet.length) return undefined;
    lists.push(packet.toString('latin1', at + 4, at + 4 + size).split(','));
    at += 4 + size;
  }
  return lists;
}

/** What follows the line that begins with `SSH-`; a server may send others before it (RFC 4253, section 4.2). */
function behindIdentification(data: Buffer): Buffer | undefined {
  for (let at = 0; at < data.length; ) {
    const end = data.indexOf(NEWLINE, at);
    if (end < 0) return undefined;
    if (data.toString('latin1', at, at + 4) === 'SSH-') return data.subarray(end + 1);
    at = end + 1;
  }
  return undefined;
}
