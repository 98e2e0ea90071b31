import type { Duplex } from 'node:stream';
import { type ClientChannel, guardWindow, limitWindow } from '@sallyport/ssh';
import { TERMINAL_WINDOW } from '../../limits.ts';
import type { ShellRequest, TargetEvents, TargetShell } from '../connector.ts';
import { ChannelEnd, type LastHop } from './channel-end.ts';
import { controlsOf, runCommand } from './exec.ts';
import { refusalOf } from './ssh-errors.ts';

export function requestShell(
  hop: LastHop,
  request: ShellRequest,
  events: TargetEvents,
): Promise<TargetShell> {
  const { client, transport, peer } = hop;
  return new Promise((done, failed) => {
    const end = new ChannelEnd(hop, (how) => events.onEnd(how), failed);
    const takeWindow = limitWindow(client, TERMINAL_WINDOW);
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      if (error) {
        failed(refusalOf(error, peer));
        return;
      }
      takeWindow(channel);
      end.follow(channel, (exit) => events.onExit?.(exit));
      guardWindow(channel, TERMINAL_WINDOW, end.flooded);
      guardWindow(channel.stderr, TERMINAL_WINDOW, end.flooded);
      channel.on('data', events.onData);
      channel.stderr.on('data', events.onData);
      done(shellOf(channel, transport, () => end.end('closed')));
    };
    const { cols, rows, term = 'xterm-256color', modes, environment = {}, command } = request;
    const terminal = { term, cols, rows, width: 0, height: 0, ...(modes && { modes }) };
    if (command === undefined) client.shell(terminal, { env: { ...environment } }, opened);
    else runCommand(client, command, { pty: terminal, env: { ...environment } }, opened);
  });
}

function shellOf(channel: ClientChannel, transport: Duplex, end: () => void): TargetShell {
  return {
    write: (chunk) => {
      if (channel.writable) channel.write(chunk);
    },
    get waiting() {
      // Input waits in the transport when the server granted a window and does not read.
      return channel.writableLength + transport.writableLength;
    },
    resize: (cols, rows) => channel.setWindow(rows, cols, 0, 0),
    ...controlsOf(channel, end),
  };
}
