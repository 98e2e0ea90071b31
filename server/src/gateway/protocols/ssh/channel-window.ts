/** Window of a channel in ssh2, in bytes. */
const LIBRARY_WINDOW = 2 * 1024 * 1024;

/**
 * Gives the next session channel of a client a smaller window than ssh2's own, to buffer less for
 * slow readers (RFC 4254, section 5.2). Pass the opened channel to the returned function before
 * reading its data.
 */
export function limitWindow(client: object, bytes: number): (channel: object) => void {
  const protocol: unknown = Reflect.get(client, '_protocol');
  if (!isProtocol(protocol)) throw new Error('ssh2 has changed inside');
  const openSession = protocol.session.bind(protocol);
  protocol.session = (id, _window, packetSize) => {
    protocol.session = openSession;
    openSession(id, bytes, packetSize);
  };
  return (channel) => {
    const incoming: unknown = Reflect.get(channel, 'incoming');
    const outgoing: unknown = Reflect.get(channel, 'outgoing');
    if (!isSide(incoming) || !isSide(outgoing)) throw new Error('ssh2 has changed inside');
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

interface Protocol {
  session(id: number, window: number, packetSize: number): void;
  channelWindowAdjust(id: number, amount: number): void;
}

interface Side {
  readonly id: number;
  window: number;
}

function isProtocol(value: unknown): value is Protocol {
  return (
    typeof value === 'object' &&
    value !== null &&
    'session' in value &&
    'channelWindowAdjust' in value
  );
}

function isSide(value: unknown): value is Side {
  return typeof value === 'object' && value !== null && 'id' in value && 'window' in value;
}
