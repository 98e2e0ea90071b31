import type { Duplex } from 'node:stream';
import {
  type Client,
  type ClientChannel,
  DisconnectReason,
  readExit,
  ServerDisconnect,
} from '@sallyport/ssh';
import { peerWords } from '../../peer-words.ts';
import type { Hop } from '../../ports.ts';
import { Refusal } from '../../refusal.ts';
import type { TargetEvents, TargetExit } from '../connector.ts';
import { TARGET_ENDS, type TargetEnd } from '../target-end.ts';

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

interface Broken {
  readonly how: TargetEnd;
  readonly message?: string;
}

/** Returns the end of a connection by its error; undefined for a disconnect without a text. */
function endOf(error: unknown, secret: string | undefined): Broken | undefined {
  if (error instanceof TargetViolation) return { how: error.how };
  if (error instanceof ServerDisconnect)
    return error.text === ''
      ? undefined
      : { how: 'disconnected', message: secret ? error.text.replaceAll(secret, '…') : error.text };
  return { how: textOf(error, 'level') === 'protocol' ? 'broke' : 'lost' };
}

/**
 * A server that closes its connection this soon after a line does so because of the line, such as
 * `exit`. Network devices do not close the channel first (FakeNOS 1.2.1 as Cisco IOS and Junos).
 */
const LINE_ANSWER_MS = 10_000;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Reports the end of a channel once: its program ended, the connection was lost, or a size limit
 * was exceeded.
 */
export class ChannelEnd {
  private over = false;
  private exited = false;
  /** The loss of the connection, which the end of the channel may precede. */
  private broken: Broken | undefined;
  private isOpen = false;
  /** Time of the last input, if it ended a line. */
  private lineAt: number | undefined;
  private readonly forget: () => void;
  private readonly hop: LastHop;
  private readonly onEnd: TargetEvents['onEnd'];

  /** `failed` is called if the connection is lost while the channel opens. */
  constructor(hop: LastHop, onEnd: TargetEvents['onEnd'], failed: (refusal: Refusal) => void) {
    this.hop = hop;
    this.onEnd = onEnd;
    const breakOff = (refusal: Refusal, broken: Broken) => {
      this.broken ??= broken;
      failed(refusal);
      // Received data is still read; the channel closes after it.
      if (!this.isOpen) this.end(this.broken.how, this.broken.message);
    };
    const { client } = hop;
    const onError = (error: Error) => {
      const broken = endOf(error, hop.peer.secret) ?? this.fin;
      const refusal =
        error instanceof ServerDisconnect
          ? new Refusal(TARGET_ENDS[broken.how], { message: broken.message ?? '' })
          : refusalOf(error, hop.peer);
      breakOff(refusal, broken);
    };
    const onFin = () => breakOff(new Refusal('connect_target_lost'), this.fin);
    const onLost = () => breakOff(new Refusal('connect_target_lost'), { how: 'lost' });
    client.on('error', onError);
    client.on('end', onFin);
    client.on('close', onLost);
    this.forget = () => {
      client.off('error', onError);
      client.off('end', onFin);
      client.off('close', onLost);
    };
  }

  /** Notes input of a terminal, which may make the server close its connection. */
  typed(chunk: Buffer): void {
    const last = chunk.at(-1);
    this.lineAt = last === RETURN || last === NEWLINE ? performance.now() : undefined;
  }

  /** The end of a connection that the server closed without a reason. */
  private get fin(): Broken {
    const answersLine =
      this.lineAt !== undefined &&
      performance.now() - this.lineAt < LINE_ANSWER_MS &&
      this.hop.transport.writableLength === 0;
    return { how: answersLine ? 'closed' : 'lost' };
  }

  /** Reports how the program ends. Call it when the program is requested. */
  watchExit(channel: ClientChannel, onExit: (exit: TargetExit) => void): void {
    channel.on('exit', (code: number | null, signal?: string) => {
      this.exited = true;
      onExit(readExit(code, signal));
    });
  }

  /** Reports the end of an open channel. */
  follow(channel: ClientChannel): void {
    this.isOpen = true;
    channel.on('error', () => this.closed('lost'));
    channel.on('close', () => this.closed('closed'));
  }

  private closed(otherwise: TargetEnd): void {
    if (this.exited) this.end('closed');
    else this.end(this.broken?.how ?? otherwise, this.broken?.message);
  }

  /** The target exceeded its window. */
  readonly flooded = (): void => this.cut('flooded');
  /** The target violated the protocol of the channel. */
  readonly broke = (): void => this.cut('broke');
  /** The target did not answer in time. */
  readonly silent = (): void => this.cut('silent');

  private cut(how: TargetEnd): void {
    this.hop.transport.destroy();
    this.end(how);
  }

  end(how: TargetEnd, message?: string): void {
    if (this.over) return;
    this.over = true;
    this.onEnd(how, message);
    this.hop.close();
    this.forget();
  }
}

/** The server of a step on the route, for error messages. */
export interface Peer {
  readonly host: string;
  readonly port: number;
  readonly account: string;
  /** The password that it may have got, which its words must not repeat. */
  readonly secret: string | undefined;
}

/** The server of a hop, for error messages. */
export function peerOf({ host, port, login }: Hop): Peer {
  return { host, port, account: login.username, secret: login.password };
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
 * Maps an error of a step to a Refusal. Keeps the text of an SSH server only: that of other
 * services would allow scans of the network through us.
 */
export function refusalOf(error: unknown, peer: Peer): Refusal {
  if (error instanceof Refusal) return error;
  const host = `${peer.host}:${peer.port}`;
  if (error instanceof ServerDisconnect) {
    const about = { host, account: peer.account };
    if (refusesAccount(error)) return new Refusal('connect_credentials', about);
    const words = peerWords(error.text, peer.secret);
    return words
      ? new Refusal('connect_disconnected_words', { ...about, words })
      : new Refusal('connect_disconnected', about);
  }
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
 * Returns true if the server disconnected because it did not accept the account. OpenSSH 9.2 gives
 * "protocol error" as the reason after the last attempt, so its text decides.
 */
const refusesAccount = ({ reason, text }: ServerDisconnect): boolean =>
  reason === DisconnectReason.noMoreMethods || /\bauth\w* (?:failures?|attempts|tries)/i.test(text);

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

/** Maps the loss of a server of another protocol that sent no data: it reset the connection. */
export function unreachedRefusalOf(error: unknown, peer: Peer): Refusal {
  const refusal = refusalOf(error, peer);
  return refusal.problem.code === 'connect_protocol_error'
    ? new Refusal('connect_refused', { host: `${peer.host}:${peer.port}` })
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
