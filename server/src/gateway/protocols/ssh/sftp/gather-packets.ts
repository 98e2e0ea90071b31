/** Maximum bytes that are joined. Longer packets pass without a copy. */
const MAX_JOINED = 16 * 1024;

/**
 * Joins the packets that one step of the program sends. Each message of SSH costs a cipher call and
 * a wake-up at both ends.
 */
export function gatherPackets(send: (bytes: Buffer) => void): (packet: Buffer) => void {
  let waiting: Buffer[] = [];
  let size = 0;
  const flush = () => {
    const [first, ...others] = waiting;
    waiting = [];
    size = 0;
    if (first) send(others.length === 0 ? first : Buffer.concat([first, ...others]));
  };
  return (packet) => {
    if (size + packet.length > MAX_JOINED) flush();
    if (packet.length > MAX_JOINED) {
      send(packet);
      return;
    }
    if (waiting.length === 0) queueMicrotask(flush);
    waiting.push(packet);
    size += packet.length;
  };
}
