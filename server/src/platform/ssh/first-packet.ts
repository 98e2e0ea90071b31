import type { Duplex } from 'node:stream';

/** More than any first line and key exchange packet (RFC 4253, section 6.1). */
const MAX_FIRST = 64 * 1024;
/** Clients send both at once; one that waits for ours first gets it after so long. */
const PATIENCE_MS = 500;
const NEWLINE = 0x0a;
const KEXINIT = 20;
/** What comes before the lists: length, padding length, type and cookie. */
const BEFORE_LISTS = 4 + 1 + 1 + 16;
/** The places of the two lists of ciphers among the lists. */
const CIPHER_LISTS = [2, 3];

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
  const line = data.indexOf(NEWLINE);
  if (line < 0) return 'more';
  const packet = data.subarray(line + 1);
  if (packet.length < BEFORE_LISTS) return 'more';
  if (packet[5] !== KEXINIT) return undefined;
  const length = packet.readUInt32BE(0);
  if (length > MAX_FIRST) return undefined;
  if (packet.length < 4 + length) return 'more';
  const lists: string[][] = [];
  let at = BEFORE_LISTS;
  for (let index = 0; index <= Math.max(...CIPHER_LISTS); index++) {
    if (at + 4 > packet.length) return undefined;
    const size = packet.readUInt32BE(at);
    if (at + 4 + size > packet.length) return undefined;
    lists.push(packet.toString('latin1', at + 4, at + 4 + size).split(','));
    at += 4 + size;
  }
  const [sent = [], received = []] = CIPHER_LISTS.map((index) => lists[index] ?? []);
  return sent.filter((cipher) => received.includes(cipher));
}
