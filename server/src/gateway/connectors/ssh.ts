import type { ConnectStage } from '@sallyport/contract';
import type { Client, ClientChannel } from 'ssh2';
import type { Hop, HostKeys } from '../ports.ts';
import { Refusal } from '../refusal.ts';
import { forwardTo, inTime, openSshClient } from './ssh-client.ts';
import { refusalOf } from './ssh-errors.ts';
import type { TargetEvents, TargetShell } from './target.ts';

/** A way that is to be opened. */
export interface SshRoad {
  readonly gateways: readonly Hop[];
  readonly target: Hop;
  readonly hostKeys: HostKeys;
  readonly timeoutMs: number;
  readonly onStage: (stage: ConnectStage, host: string) => void;
  readonly signal: AbortSignal;
}

/** An authenticated way to a target, on which a shell can be opened. */
export interface SshConnection {
  openShell(size: { cols: number; rows: number }, events: TargetEvents): Promise<TargetShell>;
  close(): void;
}

/** Opens the way hop by hop; each hop proves its own host key, and nothing is left open when one refuses. */
export async function openSsh(road: SshRoad): Promise<SshConnection> {
  const clients: Client[] = [];
  const close = () => {
    for (const client of clients.toReversed()) {
      client.on('error', () => undefined);
      client.end();
    }
  };
  try {
    let previous: Client | undefined;
    for (const [index, hop] of [...road.gateways, road.target].entries()) {
      const isTarget = index === road.gateways.length;
      road.onStage(isTarget ? 'connecting' : 'gateway', hop.name);
      const through = previous ? await forwardTo(previous, hop, road.timeoutMs, road.signal) : undefined;
      previous = await openSshClient({
        hop,
        kind: isTarget ? 'asset' : 'gateway',
        hostKeys: road.hostKeys,
        timeoutMs: road.timeoutMs,
        ...(through ? { through } : {}),
        onAuthenticating: () => {
          if (isTarget) road.onStage('authenticating', hop.name);
        },
        signal: road.signal,
      });
      clients.push(previous);
    }
    const last = clients.at(-1);
    if (!last) throw new Refusal('internal');
    return {
      openShell: (size, events) =>
        inTime(openShell(last, close, road.target, size, events), road.timeoutMs, road.signal, { host: `${road.target.host}:${road.target.port}` }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function openShell(client: Client, close: () => void, target: Hop, size: { cols: number; rows: number }, events: TargetEvents): Promise<TargetShell> {
  const peer = { host: target.host, port: target.port, account: target.login.username };
  return new Promise((done, failed) => {
    let over = false;
    const end = (how: 'closed' | 'lost') => {
      if (over) return;
      over = true;
      events.onEnd(how);
      close();
    };
    let exited = false;
    let broken = false;
    let channelOpen = false;
    const breakOff = (refusal: Refusal) => {
      broken = true;
      failed(refusal);
      // What has come already is still read; the channel closes behind it.
      if (!channelOpen) end('lost');
    };
    client.on('error', (error) => breakOff(refusalOf(error, peer)));
    client.on('end', () => breakOff(new Refusal('connect_target_lost')));
    client.on('close', () => breakOff(new Refusal('connect_target_lost')));
    client.shell({ term: 'xterm-256color', cols: size.cols, rows: size.rows, width: 0, height: 0 }, (error, channel) => {
      if (error) {
        failed(refusalOf(error, peer));
        return;
      }
      channelOpen = true;
      channel.on('exit', () => {
        exited = true;
      });
      channel.on('data', events.onData);
      channel.stderr.on('data', events.onData);
      channel.on('error', () => end('lost'));
      channel.on('close', () => end(broken && !exited ? 'lost' : 'closed'));
      done(shellOf(channel, () => end('closed')));
    });
  });
}

function shellOf(channel: ClientChannel, end: () => void): TargetShell {
  return {
    write: (chunk) => {
      if (channel.writable) channel.write(chunk);
    },
    get waiting() {
      return channel.writableLength;
    },
    resize: (cols, rows) => channel.setWindow(rows, cols, 0, 0),
    pause: () => {
      channel.pause();
      channel.stderr.pause();
    },
    resume: () => {
      channel.resume();
      channel.stderr.resume();
    },
    close: () => {
      channel.close();
      end();
    },
  };
}
