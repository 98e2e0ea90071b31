import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from '@sallyport/ssh';
import { Refusal } from '../../refusal.ts';
import type { TargetExit } from '../connector.ts';
import type { TargetEnd } from '../target-end.ts';

/** The last server of a route, connected. */
export interface LastHop {
  readonly client: Client;
  readonly transport: Duplex;
  /** Closes all connections of the route. */
  readonly close: () => void;
  readonly peer: Peer;
}

/** We ended a connection because of the bytes that its target sent. */
export class TargetViolation extends Error {
  readonly how: TargetEnd;

  constructor(how: TargetEnd) {
    super(how);
    this.how = how;
  }
}

/** Returns the end of a connection by its error. */
function endOf(error: unknown): TargetEnd {
  if (error instanceof TargetViolation) return error.how;
  return textOf(error, 'level') === 'protocol' ? 'broke' : 'lost';
}

/**
 * Reports the end of a channel once: its program ended, the connection was lost, or a size limit
 * was exceeded.
 */
export class ChannelEnd {
  private over = false;
  private exited = false;
  /** The loss of the connection, which the end of the channel may precede. */
  private broken: TargetEnd | undefined;
  private isOpen = false;
  private readonly forget: () => void;
  private readonly hop: LastHop;
  private readonly onEnd: (how: TargetEnd) => void;

  /** `failed` is called if the connection is lost while the channel opens. */
  constructor(hop: LastHop, onEnd: (how: TargetEnd) => void, failed: (refusal: Refusal) => void) {
    this.hop = hop;
    this.onEnd = onEnd;
    const breakOff = (refusal: Refusal, how: TargetEnd) => {
      this.broken ??= how;
      failed(refusal);
      // Received data is still read; the channel closes after it.
      if (!this.isOpen) this.end(this.broken);
    };
    const { client } = hop;
    const onError = (error: Error) => breakOff(refusalOf(error, hop.peer), endOf(error));
    const onLost = () => breakOff(new Refusal('connect_target_lost'), 'lost');
    client.on('error', onError);
    client.on('end', onLost);
    client.on('close', onLost);
    this.forget = () => {
      client.off('error', onError);
      client.off('end', onLost);
      client.off('close', onLost);
    };
  }

  follow(channel: ClientChannel, onExit: (exit: TargetExit) => void): void {
    this.isOpen = true;
    channel.on('exit', (code: number | null, signal?: string) => {
      this.exited = true;
      onExit(code === null ? { signal: String(signal ?? '').replace(/^SIG/, '') } : { code });
    });
    channel.on('error', () => this.end(this.exited ? 'closed' : (this.broken ?? 'lost')));
    channel.on('close', () => this.end(this.broken && !this.exited ? this.broken : 'closed'));
  }

  /** The target exceeded its window. */
  readonly flooded = (): void => this.cut('flooded');
  /** The target violated the protocol of the channel. */
  readonly broke = (): void => this.cut('broke');

  private cut(how: TargetEnd): void {
    this.hop.transport.destroy();
    this.end(how);
  }

  end(how: TargetEnd): void {
    if (this.over) return;
    this.over = true;
    this.onEnd(how);
    this.hop.close();
    this.forget();
  }
}

/** The server of a step on the route, for error messages. */
export interface Peer {
  readonly host: string;
  readonly port: number;
  readonly account: string;
}

const UNREACHABLE = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'ENETDOWN',
  'EINVAL',
  'EACCES',
  'EPERM',
]);

/**
 * Maps an error of a step to a Refusal. The peer's own text is dropped: it would allow scans of the
 * network through us.
 */
export function refusalOf(error: unknown, peer: Peer): Refusal {
  if (error instanceof Refusal) return error;
  const host = `${peer.host}:${peer.port}`;
  const code = textOf(error, 'code');
  const level = textOf(error, 'level');
  if (code === 'ECONNREFUSED') return new Refusal('connect_refused', { host });
  if (code === 'ETIMEDOUT' || level === 'client-timeout')
    return new Refusal('connect_timeout', { host });
  if (code !== undefined && UNREACHABLE.has(code))
    return new Refusal('connect_unreachable', { host });
  if (level === 'client-authentication')
    return new Refusal('connect_credentials', { host, account: peer.account });
  return new Refusal('connect_protocol_error', { host });
}

/**
 * Maps the answer to a request for a shell or a command. The account has signed in
 * by then, so a refusal is none of the account or the protocol.
 */
export function requestRefusalOf(
  error: Error,
  peer: Peer,
  refused: 'connect_no_commands' | 'connect_no_terminal',
): Refusal {
  const about = { host: `${peer.host}:${peer.port}`, account: peer.account };
  // ssh2 gives the reason of a refused channel (RFC 4254, section 5.1), and only a text otherwise.
  if ('reason' in error && error.reason !== '') return new Refusal('connect_no_channel', about);
  if (/^Unable to /.test(error.message)) return new Refusal(refused, about);
  return refusalOf(error, peer);
}

/**
 * Maps the loss of a server that sent no data: a firewall, a limit or a starting service, but no
 * protocol error.
 */
export function silentRefusalOf(error: unknown, peer: Peer): Refusal {
  const refusal = refusalOf(error, peer);
  return refusal.problem.code === 'connect_protocol_error'
    ? new Refusal('connect_no_greeting', { host: `${peer.host}:${peer.port}` })
    : refusal;
}

/** Maps the failure of a gateway to reach the next server. */
export function forwardRefusalOf(error: unknown, next: Peer): Refusal {
  const host = `${next.host}:${next.port}`;
  const message = error instanceof Error ? error.message : '';
  if (/refused/i.test(message)) return new Refusal('connect_refused', { host });
  if (/timed? ?out/i.test(message)) return new Refusal('connect_timeout', { host });
  return new Refusal('connect_unreachable', { host });
}

function textOf(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}
