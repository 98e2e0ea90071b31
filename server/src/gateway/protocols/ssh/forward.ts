import type { Duplex } from 'node:stream';
import { type ClientChannel, guardWindow } from '@sallyport/ssh';
import { EXEC_WINDOW, MAX_TRANSPORT_BACKLOG } from '../../limits.ts';
import type { ForwardEvents, TargetForward } from '../connector.ts';
import { ChannelEnd, type LastHop } from './channel-end.ts';
import { refusalOf } from './ssh-errors.ts';

/** Connects to a port from the last server of a route (RFC 4254, section 7.2). */
export function requestForward(
  hop: LastHop,
  { host, port }: { readonly host: string; readonly port: number },
  events: ForwardEvents,
): Promise<TargetForward> {
  const { client, transport, peer } = hop;
  return new Promise((done, failed) => {
    const end = new ChannelEnd(hop, (how) => events.onEnd(how), failed);
    client.forwardOut('127.0.0.1', 0, host, port, (error, channel) => {
      if (error) {
        failed(refusalOf(error, peer));
        return;
      }
      end.follow(channel, () => undefined);
      guardWindow(channel, EXEC_WINDOW, end.flooded);
      channel.on('data', (chunk: Buffer) => events.onData(chunk));
      channel.on('end', () => events.onDataEnd());
      channel.on('drain', () => events.onDrain());
      transport.on('drain', () => events.onDrain());
      done(forwardOf(channel, transport, () => end.end('closed')));
    });
  });
}

function forwardOf(channel: ClientChannel, transport: Duplex, end: () => void): TargetForward {
  return {
    write: (chunk) => {
      if (!channel.writable) return true;
      const canContinue = channel.write(chunk);
      return canContinue && transport.writableLength < MAX_TRANSPORT_BACKLOG;
    },
    finishInput: () => {
      if (channel.writable) channel.end();
    },
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => {
      channel.close();
      end();
    },
  };
}
