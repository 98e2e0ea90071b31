import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from '../../../platform/ssh/ssh2.ts';
import { TERMINAL_WINDOW } from '../../limits.ts';
import type { Hop } from '../../ports.ts';
import { Refusal } from '../../refusal.ts';
import type { Connection, Connector, Route, TargetEnd, TargetEvents, TargetShell, TerminalSize } from '../connector.ts';
import { openTcp } from '../tcp.ts';
import { guardWindow } from './backpressure.ts';
import { limitWindow } from './channel-window.ts';
import { forwardTo, inTime, openSshClient } from './ssh-client.ts';
import { type Peer, refusalOf, silentRefusalOf } from './ssh-errors.ts';

/** SSH: terminals on servers, directly or through SSH gateways. */
export const ssh = { protocol: 'ssh', sessionKinds: ['terminal'], connect } as const satisfies Connector;

interface SshConnection extends Connection {
  openShell(size: TerminalSize, events: TargetEvents): Promise<TargetShell>;
}

/** Opens the route hop by hop; each hop proves its own host key, and nothing is left open when one refuses. */
async function connect(route: Route, signal: AbortSignal): Promise<SshConnection> {
  const { gateways, target, hostKeys, addresses, timeoutMs, onStage } = route;
  const clients: Client[] = [];
  const transports: Duplex[] = [];
  const close = () => {
    for (const client of clients.toReversed()) {
      client.on('error', () => undefined);
      client.end();
    }
  };
  try {
    let previous: Client | undefined;
    for (const [index, hop] of [...gateways, target].entries()) {
      const isTarget = index === gateways.length;
      onStage(isTarget ? 'connecting' : 'gateway', hop.name);
      const transport = previous
        ? await forwardTo(previous, hop, timeoutMs, signal)
        : await openTcp(hop, addresses, timeoutMs, signal).catch((error: unknown) => {
            throw silentRefusalOf(error, peerOf(hop));
          });
      transports.push(transport);
      previous = await openSshClient({
        hop,
        kind: isTarget ? 'asset' : 'gateway',
        hostKeys,
        timeoutMs,
        transport,
        onAuthenticating: () => {
          if (isTarget) onStage('authenticating', hop.name);
        },
        signal,
      });
      clients.push(previous);
    }
    const client = clients.at(-1);
    const transport = transports.at(-1);
    if (!client || !transport) throw new Refusal('internal');
    return {
      openShell: (size, events) =>
        inTime(requestShell({ client, transport, close, target }, size, events), timeoutMs, signal, { host: `${target.host}:${target.port}` }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

interface LastHop {
  readonly client: Client;
  readonly transport: Duplex;
  readonly close: () => void;
  readonly target: Hop;
}

function peerOf({ host, port, login }: Hop): Peer {
  return { host, port, account: login.username };
}

async function requestShell({ client, transport, close, target }: LastHop, size: TerminalSize, events: TargetEvents): Promise<TargetShell> {
  const peer = peerOf(target);
  return new Promise((done, failed) => {
    let over = false;
    const end = (how: TargetEnd) => {
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
    const takeWindow = limitWindow(client, TERMINAL_WINDOW);
    client.shell({ term: 'xterm-256color', cols: size.cols, rows: size.rows, width: 0, height: 0 }, (error, channel) => {
      if (error) {
        failed(refusalOf(error, peer));
        return;
      }
      channelOpen = true;
      takeWindow(channel);
      channel.on('exit', () => {
        exited = true;
      });
      const flooded = () => {
        transport.destroy();
        end('flooded');
      };
      guardWindow(channel, TERMINAL_WINDOW, flooded);
      guardWindow(channel.stderr, TERMINAL_WINDOW, flooded);
      channel.on('data', events.onData);
      channel.stderr.on('data', events.onData);
      channel.on('error', () => end('lost'));
      channel.on('close', () => end(broken && !exited ? 'lost' : 'closed'));
      done(shellOf(channel, transport, () => end('closed')));
    });
  });
}

function shellOf(channel: ClientChannel, transport: Duplex, end: () => void): TargetShell {
  return {
    write: (chunk) => {
      if (channel.writable) channel.write(chunk);
    },
    get waiting() {
      // What the server granted a window for and does not read waits in the transport.
      return channel.writableLength + transport.writableLength;
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
