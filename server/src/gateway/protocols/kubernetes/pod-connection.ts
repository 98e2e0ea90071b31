import { Refusal } from '../../refusal.ts';
import type {
  Connection,
  ExecEvents,
  ExecRequest,
  ShellRequest,
  TargetEvents,
  TargetExec,
  TargetShell,
} from '../connector.ts';
import { type ChannelChoice, type ChannelEvents, type Channels, channelsOf } from './channels.ts';
import { StatusReader } from './command-status.ts';
import { openRemoteCommand, type RemoteCommand } from './remote-command.ts';

/** A command at a pod, and the channels that its client asked for. */
export interface PodCommand extends Omit<RemoteCommand, 'channels'> {
  readonly choice: ChannelChoice;
  /** The words of the path as a line; undefined to attach. */
  readonly line: string | undefined;
}

/** A pod runs the words of the path, so a rule cannot replace them. @throws Refusal */
function requireSame({ line }: PodCommand, decided: string | undefined): void {
  if (decided !== undefined && decided !== line) throw new Refusal('connect_cluster_command');
}

/** Opens the command. Its end follows the last output. */
function open(
  { choice, line: _line, ...command }: PodCommand,
  events: Pick<TargetEvents, 'onExit' | 'onEnd'>,
  channelEvents: Pick<ChannelEvents, 'onData' | 'onDrain'>,
): Promise<Channels> {
  const status = new StatusReader();
  return openRemoteCommand(
    { ...command, channels: channelsOf(choice) },
    {
      onData: (channel, bytes) =>
        channel === 'error' ? status.add(bytes) : channelEvents.onData(channel, bytes),
      onFinish: () => undefined,
      onDrain: channelEvents.onDrain,
      onClose() {
        const end = status.read();
        if (!end) events.onEnd('lost');
        else if ('message' in end) events.onEnd('disconnected', end.message);
        else {
          events.onExit?.(end.exit);
          events.onEnd('closed');
        }
      },
    },
  );
}

async function openShell(
  command: PodCommand,
  { cols, rows, command: decided }: ShellRequest,
  events: TargetEvents,
): Promise<TargetShell> {
  requireSame(command, decided);
  const channels = await open(command, events, {
    onData: (_channel, bytes) => events.onData(bytes),
    onDrain: () => undefined,
  });
  const resize = (width: number, height: number) =>
    void channels.write('resize', Buffer.from(JSON.stringify({ Width: width, Height: height })));
  resize(cols, rows);
  return {
    write: (chunk) => void channels.write('stdin', chunk),
    get waiting() {
      return channels.unsent;
    },
    resize,
    finishInput: () => channels.finish('stdin'),
    pause: () => channels.pause(),
    resume: () => channels.resume(),
    close: () => channels.destroy(),
  };
}

async function openExec(
  command: PodCommand,
  { command: decided }: ExecRequest,
  events: ExecEvents,
): Promise<TargetExec> {
  requireSame(command, decided);
  const channels = await open(command, events, {
    onData: (channel, bytes) => events.onOutput(bytes, channel === 'stderr'),
    onDrain: () => events.onDrain(),
  });
  return {
    write: (chunk) => channels.write('stdin', chunk),
    finishInput: () => channels.finish('stdin'),
    // Kubernetes has no signals.
    signal: () => undefined,
    pause: () => channels.pause(),
    resume: () => channels.resume(),
    close: () => channels.destroy(),
  };
}

/** Returns a connection that runs one command at a pod, whatever the session asks to run. */
export const podConnection = (connection: Connection, command: PodCommand): Connection => ({
  close: () => connection.close(),
  openShell: (request, events) => openShell(command, request, events),
  openExec: (request, events) => openExec(command, request, events),
});
