import { messageHandlers } from './internals.ts';

const [CHANNEL_OPEN, CONFIRMATION] = [90, 91] as const;
/** Packet size that every peer must accept (RFC 4253, section 6.1). */
const MIN_PACKET = 1024;

/** Offset of the maximum packet size in a message that opens or confirms a channel. */
const sizeAt = (payload: Buffer): number => {
  if (payload[0] === CONFIRMATION) return 1 + 4 + 4 + 4;
  return payload.length < 5 ? payload.length : 1 + 4 + payload.readUInt32BE(1) + 4 + 4;
};

/**
 * Raises the maximum packet size of a peer's channel to one that every peer must accept. ssh2 cuts
 * data into packets of that size: with one of zero its loop never ended, and with one byte each key
 * cost a packet.
 */
export function raisePacketSizes(): void {
  const handlers = messageHandlers();
  for (const type of [CHANNEL_OPEN, CONFIRMATION]) {
    const handle = handlers[type];
    if (typeof handle !== 'function') throw new Error('ssh2 has changed inside');
    handlers[type] = (protocol, payload) => {
      const at = sizeAt(payload);
      if (at + 4 <= payload.length && payload.readUInt32BE(at) < MIN_PACKET)
        payload.writeUInt32BE(MIN_PACKET, at);
      return handle(protocol, payload);
    };
  }
}
