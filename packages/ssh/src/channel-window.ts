import { incomingOf, outgoingOf, protocolOf } from './internals.ts';

/** Window of a channel in ssh2, in bytes. */
const LIBRARY_WINDOW = 2 * 1024 * 1024;

/**
 * Gives the next session channel of a client a smaller window than ssh2's own, to buffer less for
 * slow readers (RFC 4254, section 5.2). Pass the opened channel to the returned function before
 * reading its data.
 */
export function limitWindow(client: object, bytes: number): (channel: object) => void {
  const protocol = protocolOf(client);
  const openSession = protocol.session.bind(protocol);
  protocol.session = (id, _window, packetSize) => {
    protocol.session = openSession;
    openSession(id, bytes, packetSize);
  };
  return (channel) => {
    const incoming = incomingOf(channel);
    const outgoing = outgoingOf(channel);
    incoming.window -= LIBRARY_WINDOW - bytes;
    const adjust = protocol.channelWindowAdjust.bind(protocol);
    protocol.channelWindowAdjust = (id, amount) => {
      if (id !== outgoing.id) return adjust(id, amount);
      // ssh2 already refilled its own window after every packet, because ours is always below its
      // threshold.
      const left = incoming.window - amount;
      const isDue = left <= bytes / 2;
      incoming.window = isDue ? bytes : left;
      if (isDue) adjust(id, bytes - left);
    };
  };
}
