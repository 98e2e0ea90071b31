import type { Duplex } from 'node:stream';
import {
  type ClientChannel,
  catchRequest,
  guardWindow,
  isClosedByServer,
  sendSignal,
} from '@sallyport/ssh';
import { EXEC_WINDOW, MAX_TRANSPORT_BACKLOG } from '../../limits.ts';
import type { Refusal } from '../../refusal.ts';
import { encodeName } from '../../sessions/files/paths.ts';
import type { ExecEvents, ExecRequest, TargetExec, TargetExit } from '../connector.ts';
import { variablesFor } from './locale.ts';
import { ChannelEnd, type LastHop, requestRefusalOf } from './ssh-errors.ts';

interface Program {
  /** Undefined requests the account's shell. */
  readonly command: string | undefined;
  readonly pty: object | false;
  readonly env: Readonly<Record<string, string>>;
}

interface ProgramEvents {
  readonly end: ChannelEnd;
  readonly onExit: (exit: TargetExit) => void;
  readonly opened: (channel: ClientChannel) => void;
  readonly failed: (refusal: Refusal) => void;
}

/**
 * Requests a shell, or a command with the client's bytes, even if they are not UTF-8. A program may
 * have ended before the server answers the request (Twisted Conch 26.10.0): its output counts.
 */
export function requestProgram(
  { client, peer }: LastHop,
  { command, pty, env }: Program,
  { end, onExit, opened, failed }: ProgramEvents,
): void {
  let requested: ClientChannel | undefined;
  let hasExited = false;
  const cancel = catchRequest(client, command === undefined ? 'shell' : 'exec', (channel) => {
    requested = channel;
    end.watchExit(channel, (exit) => {
      hasExited = true;
      onExit(exit);
    });
  });
  const answered = (error: Error | undefined) => {
    cancel();
    const hasRun =
      requested !== undefined &&
      (!error ||
        (isClosedByServer(requested) &&
          (hasExited || requested.readableLength > 0 || requested.stderr.readableLength > 0)));
    if (requested && hasRun) {
      end.follow(requested);
      opened(requested);
      return;
    }
    // ssh2 leaves the channel of a refused program open, which would count as a session.
    requested?.close();
    const refused = command === undefined ? 'connect_no_terminal' : 'connect_no_commands';
    failed(requestRefusalOf(error ?? new Error('Unable to find the channel'), peer, refused));
  };
  if (command === undefined) {
    client.shell(pty, { env }, answered);
    return;
  }
  // ssh2 accepts bytes, though its types do not say so.
  Reflect.apply(client.exec, client, [
    command.isWellFormed() ? command : encodeName(command, 'utf8'),
    { env, ...(pty && { pty }) },
    answered,
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
    signal: (name) => sendSignal(channel, name),
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
  const { client, transport } = hop;
  return new Promise((done, failed) => {
    const end = new ChannelEnd(hop, (how, message) => events.onEnd(how, message), failed);
    const opened = (channel: ClientChannel) => {
      guardWindow(channel, EXEC_WINDOW, end.flooded);
      guardWindow(channel.stderr, EXEC_WINDOW, end.flooded);
      channel.on('data', (chunk: Buffer) => events.onOutput(chunk, false));
      channel.stderr.on('data', (chunk: Buffer) => events.onOutput(chunk, true));
      channel.on('drain', () => events.onDrain());
      transport.on('drain', () => events.onDrain());
      done(execOf(channel, transport, () => end.end('closed')));
    };
    const onExit = (exit: TargetExit) => events.onExit(exit);
    const program = {
      command: request.command,
      pty: false,
      env: variablesFor(client, request),
    } as const;
    requestProgram(hop, program, { end, onExit, opened, failed });
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
