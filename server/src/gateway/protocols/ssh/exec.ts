import type { Duplex } from 'node:stream';
import { type Client, type ClientChannel, guardWindow } from '@sallyport/ssh';
import { EXEC_WINDOW, MAX_TRANSPORT_BACKLOG } from '../../limits.ts';
import { encodeName } from '../../sessions/files/paths.ts';
import type { ExecEvents, ExecRequest, TargetExec } from '../connector.ts';
import { variablesFor } from './locale.ts';
import { ChannelEnd, type LastHop, requestRefusalOf } from './ssh-errors.ts';

/** Runs a command with the client's bytes, even if they are not UTF-8. */
export function runCommand(
  client: Client,
  command: string,
  ...rest: readonly [options: object, opened: unknown]
): void {
  // ssh2 accepts bytes, though its types do not say so.
  Reflect.apply(client.exec, client, [
    command.isWellFormed() ? command : encodeName(command, 'utf8'),
    ...rest,
  ]);
}

/** Controls that shells and commands share: signals, end of input, back pressure, and closing. */
export function controlsOf(
  channel: ClientChannel,
  end: () => void,
): Pick<TargetExec, 'finishInput' | 'signal' | 'pause' | 'resume' | 'close'> {
  return {
    finishInput: () => {
      if (channel.writable) channel.end();
    },
    signal: (name) => channel.signal(name),
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

/** Runs a command, or the shell, without a terminal at the last server of a route. */
export function requestExec(
  hop: LastHop,
  request: ExecRequest,
  events: ExecEvents,
): Promise<TargetExec> {
  const { client, transport, peer } = hop;
  const { command } = request;
  return new Promise((done, failed) => {
    const end = new ChannelEnd(hop, (how) => events.onEnd(how), failed);
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      if (error) {
        const refused = command === undefined ? 'connect_no_terminal' : 'connect_no_commands';
        failed(requestRefusalOf(error, peer, refused));
        return;
      }
      end.follow(channel, (exit) => events.onExit(exit));
      guardWindow(channel, EXEC_WINDOW, end.flooded);
      guardWindow(channel.stderr, EXEC_WINDOW, end.flooded);
      channel.on('data', (chunk: Buffer) => events.onOutput(chunk, false));
      channel.stderr.on('data', (chunk: Buffer) => events.onOutput(chunk, true));
      channel.on('drain', () => events.onDrain());
      transport.on('drain', () => events.onDrain());
      done(execOf(channel, transport, () => end.end('closed')));
    };
    const env = variablesFor(client, request);
    if (command === undefined) client.shell(false, { env }, opened);
    else runCommand(client, command, { env }, opened);
  });
}

function execOf(channel: ClientChannel, transport: Duplex, end: () => void): TargetExec {
  return {
    write: (chunk) => {
      if (!channel.writable) return true;
      const canContinue = channel.write(chunk);
      return canContinue && transport.writableLength < MAX_TRANSPORT_BACKLOG;
    },
    ...controlsOf(channel, end),
  };
}
