import type { Duplex } from 'node:stream';
import {
  CHANNELS,
  type ChannelEvents,
  type ChannelName,
  type Channels,
  MOST_UNSENT,
} from './channels.ts';
import { SpdyConnection } from './spdy/connection.ts';

/** The version of the streams that we speak over SPDY. */
export const SPDY_PROTOCOL = 'v4.channel.k8s.io';
/** Time in which the streams of a command must open, as in an API server. */
const STREAMS_MS = 30_000;
const isChannel = (name: string | undefined): name is ChannelName =>
  CHANNELS.some((channel) => channel === name);

export interface SpdySide {
  readonly socket: Duplex;
  readonly head: Buffer;
  /** A client opens the streams, a server waits for them. */
  readonly isClient: boolean;
  readonly channels: readonly ChannelName[];
}

/**
 * Serves the channels of a SPDY connection. Resolves when all of its streams are open.
 * @throws Error if they are not in time
 */
export function spdyChannels(
  { socket, head, isClient, channels }: SpdySide,
  events: ChannelEvents,
): Promise<Channels> {
  const names = new Map<number, ChannelName>();
  const ids = new Map<ChannelName, number>();
  const unfinished = new Set<ChannelName>();
  const waiting = new Set(channels);
  const opened = Promise.withResolvers<Channels>();
  const timer = setTimeout(() => connection.destroy(), STREAMS_MS);
  let isFull = false;
  const ready = (channel: ChannelName) => {
    unfinished.add(channel);
    waiting.delete(channel);
    if (waiting.size === 0) opened.resolve(side);
  };
  const add = (id: number, channel: ChannelName) => {
    names.set(id, channel);
    ids.set(channel, id);
  };
  const connection = new SpdyConnection(socket, head, isClient, {
    onStream(id, { streamtype }) {
      if (isClient || !isChannel(streamtype) || !waiting.has(streamtype)) return false;
      add(id, streamtype);
      // The peer may send once it has our reply, which follows.
      queueMicrotask(() => ready(streamtype));
      return true;
    },
    onReply(id) {
      const channel = names.get(id);
      if (channel && waiting.has(channel)) ready(channel);
    },
    onData(id, bytes) {
      const channel = names.get(id);
      if (channel) events.onData(channel, bytes);
    },
    onFinish(id) {
      const channel = names.get(id);
      if (channel) events.onFinish(channel);
    },
    onDrain() {
      if (!isFull) return;
      isFull = false;
      events.onDrain();
    },
    onClose() {
      clearTimeout(timer);
      opened.reject(new Error('the streams of the command did not open'));
      events.onClose();
    },
  });
  const finish = (channel: ChannelName) => {
    const id = ids.get(channel);
    if (id !== undefined && unfinished.delete(channel)) connection.send(id, Buffer.alloc(0), true);
  };
  const side: Channels = {
    get unsent() {
      return connection.unsent;
    },
    write(channel, bytes) {
      const id = ids.get(channel);
      if (id === undefined || !unfinished.has(channel)) return true;
      connection.send(id, bytes);
      isFull ||= connection.unsent > MOST_UNSENT;
      return !isFull;
    },
    finish,
    pause: () => connection.pause(),
    resume: () => connection.resume(),
    close() {
      for (const channel of channels) finish(channel);
      connection.end();
    },
    destroy: () => connection.destroy(),
  };
  if (isClient)
    for (const channel of channels) add(connection.open({ streamtype: channel }), channel);
  return opened.promise.finally(() => clearTimeout(timer));
}
