/** Streams of a remote command, as `kubectl exec` and `attach` have them. */
export type ChannelName = 'stdin' | 'stdout' | 'stderr' | 'error' | 'resize';

/** Names by the number that begins each frame of `v5.channel.k8s.io`. */
export const CHANNELS: readonly ChannelName[] = ['stdin', 'stdout', 'stderr', 'error', 'resize'];

/** Unsent bytes above which a writer should pause. */
export const MOST_UNSENT = 1_048_576;

/** One side of a remote command, over WebSocket or SPDY. */
export interface Channels {
  /** Sends bytes. Returns false to request a pause until `onDrain`. */
  write(channel: ChannelName, bytes: Buffer): boolean;
  /** Bytes that the peer has not received. */
  readonly unsent: number;
  /** Ends the sending direction of a channel. */
  finish(channel: ChannelName): void;
  /** Stops reading from the peer (back pressure). */
  pause(): void;
  resume(): void;
  /** Ends the connection after the bytes that were sent. Idempotent. */
  close(): void;
  /** Ends the connection at once. */
  destroy(): void;
}

export interface ChannelEvents {
  onData(channel: ChannelName, bytes: Buffer): void;
  /** The peer ended its direction of a channel. */
  onFinish(channel: ChannelName): void;
  onDrain(): void;
  /** The connection has ended. Called once. */
  onClose(): void;
}

/** The channels that a command has. A terminal joins its errors with its output. */
export interface ChannelChoice {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Returns the channels of a command in the order in which clients open them. */
export function channelsOf({ stdin, stdout, stderr, tty }: ChannelChoice): ChannelName[] {
  const names: ChannelName[] = ['error'];
  if (stdin) names.push('stdin');
  if (stdout) names.push('stdout');
  if (stderr && !tty) names.push('stderr');
  if (tty) names.push('resize');
  return names;
}
