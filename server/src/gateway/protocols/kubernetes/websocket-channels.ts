import type { WebSocket } from 'ws';
import {
  CHANNELS,
  type ChannelEvents,
  type ChannelName,
  type Channels,
  MOST_UNSENT,
} from './channels.ts';

/** Subprotocols in the order of our choice. Only the fifth version can end an input. */
export const SUBPROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** Number of a frame that ends the channel in its second byte. */
const CLOSE = 255;
const NORMAL = 1000;
const PROTOCOL_ERROR = 1002;
const PING_MS = 10_000;
/** Pings without an answer after which the peer is dead. */
const MOST_MISSED = 6;
/** Time that a peer has for its close frame. */
const LINGER_MS = 5_000;

/** Pings a peer and ends the connection if it stops answering. */
function keepAlive(socket: WebSocket): void {
  let missed = 0;
  socket.on('pong', () => {
    missed = 0;
  });
  const timer = setInterval(() => {
    // A paused socket reads no answers.
    if (socket.isPaused) return;
    missed++;
    if (missed > MOST_MISSED) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, PING_MS);
  socket.once('close', () => clearInterval(timer));
}

/** Serves the channels of an open WebSocket, as its client or its server. */
export function websocketChannels(socket: WebSocket, events: ChannelEvents): Channels {
  const canFinish = socket.protocol === SUBPROTOCOLS[0];
  let isFull = false;
  keepAlive(socket);
  socket.on('error', () => socket.terminate());
  socket.once('close', () => events.onClose());
  socket.on('message', (message: Buffer, isBinary) => {
    const first = message[0];
    if (first === undefined) return;
    const isClose = isBinary && canFinish && first === CLOSE && message.length === 2;
    const channel = CHANNELS[(isClose ? message[1] : first) ?? CLOSE];
    if (!isBinary || channel === undefined) socket.close(PROTOCOL_ERROR);
    else if (isClose) events.onFinish(channel);
    // API servers send an empty frame for each channel when a command begins.
    else if (message.length > 1) events.onData(channel, message.subarray(1));
  });
  const sent = () => {
    if (!isFull || socket.bufferedAmount > MOST_UNSENT / 2) return;
    isFull = false;
    events.onDrain();
  };
  const number = (channel: ChannelName) => CHANNELS.indexOf(channel);
  return {
    get unsent() {
      return socket.bufferedAmount;
    },
    write(channel, bytes) {
      if (socket.readyState !== socket.OPEN) return true;
      socket.send(Buffer.concat([Buffer.from([number(channel)]), bytes]), sent);
      isFull ||= socket.bufferedAmount > MOST_UNSENT;
      return !isFull;
    },
    finish(channel) {
      if (socket.readyState === socket.OPEN && canFinish)
        socket.send(Buffer.from([CLOSE, number(channel)]));
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close() {
      // A paused socket would not see the close frame of its peer.
      socket.resume();
      socket.close(NORMAL);
      const timer = setTimeout(() => socket.terminate(), LINGER_MS);
      socket.once('close', () => clearTimeout(timer));
    },
    destroy: () => socket.terminate(),
  };
}
