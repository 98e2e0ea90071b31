import { outgoingOf } from './channel-internals.ts';
import { protocolOf, socketOf } from './internals.ts';
import type { Connection, ServerChannel } from './ssh2.ts';

const MAX_BACKLOG = 1024 * 1024;

/** Packets that violate the protocol, for tests of hostile peers. */
export interface RawPackets {
  /** Sends output beyond the window; returns false if the connection is closed. */
  data(bytes: Buffer): boolean;
  /** Sends a request that requires an answer. */
  ping(): boolean;
  /** True while sent packets still wait in this process. */
  readonly isFull: boolean;
  /** Stops reading from the client. */
  deafen(): void;
  hear(): void;
}

export function rawPacketsOf(connection: Connection, channel: ServerChannel): RawPackets {
  const protocol = protocolOf(connection);
  const socket = socketOf(connection);
  const { id } = outgoingOf(channel);
  return {
    data: (bytes) => {
      if (!socket.writable) return false;
      protocol.channelData(id, bytes);
      return true;
    },
    ping: () => {
      if (!socket.writable) return false;
      protocol.ping();
      return true;
    },
    get isFull() {
      return socket.writableLength > MAX_BACKLOG;
    },
    deafen: () => void socket.pause(),
    hear: () => void socket.resume(),
  };
}
