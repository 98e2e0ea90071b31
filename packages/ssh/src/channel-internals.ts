/**
 * The private parts of ssh2's channels, as `internals.ts` has those of its connections.
 * `internals.test.ts` checks each part.
 */
import { having, member, type Protocol, protocolOf } from './internals.ts';
import type { ClientChannel } from './ssh2.ts';

/** One direction of a channel. */
export interface Side {
  readonly id: number;
  readonly packetSize: number;
  window: number;
  readonly state: string;
}

const sideOf = (value: unknown): Side => having<Side>(value, 'id', 'packetSize', 'window', 'state');

export const incomingOf = (channel: object): Side => sideOf(member(channel, 'incoming'));
export const outgoingOf = (channel: object): Side => sideOf(member(channel, 'outgoing'));

export const protocolOfChannel = (channel: object): Protocol =>
  protocolOf(having(member(channel, '_client')));

/** Calls back when the peer enlarges its window. */
export function awaitWindow(channel: object, onWindow: () => void): void {
  Reflect.set(channel, '_waitWindow', true);
  Reflect.set(channel, '_chunkcb', onWindow);
}

/** The keep-alive of a client. */
export function keepaliveOf(client: object): {
  /** Calls a listener for each packet of the server. */
  onPacket(listener: () => void): void;
  /** Forgets the unanswered questions. */
  reset(): void;
} {
  const { _resetKA: reset } = having<{ _resetKA: () => void }>(client, '_resetKA');
  const protocol = having<{ _onPacket: () => void }>(protocolOf(client), '_onPacket');
  return {
    onPacket: (listener) => Reflect.set(protocol, '_onPacket', listener),
    reset,
  };
}

type OnDisconnect = (protocol: Protocol, reason: number, text: string) => void;

/** The function with which ssh2 handles a disconnect of the server. */
export function disconnectHandlerOf(protocol: Protocol): {
  get(): OnDisconnect;
  set(handler: OnDisconnect): void;
} {
  const handlers = having<{ DISCONNECT: OnDisconnect }>(
    member(protocol, '_handlers'),
    'DISCONNECT',
  );
  return {
    get: () => handlers.DISCONNECT,
    set: (handler) => {
      handlers.DISCONNECT = handler;
    },
  };
}

/** Returns the open channel of a client that the server knows by this number. */
export function channelWithId(client: object, id: number): ClientChannel | undefined {
  const { _channels: channels } = having<{ _channels: Record<number, unknown> }>(
    member(client, '_chanMgr'),
    '_channels',
  );
  for (const channel of Object.values(channels)) {
    // A function waits for a channel that is not open yet.
    if (typeof channel !== 'object' || channel === null) continue;
    if (outgoingOf(channel).id === id) return having<ClientChannel>(channel, 'stderr', 'close');
  }
  return undefined;
}

/** Returns true if the server has closed the channel. */
export const isClosedByServer = (channel: object): boolean =>
  incomingOf(channel).state === 'closed';
