import type { Duplex } from 'node:stream';
import type { Outgoing } from '../journal.ts';
import { type RelayEnd, RelayStreams } from '../relay-streams.ts';
import { ClientCommands, type ClientCommandsParts, MAX_COLLECTED } from './client-commands.ts';
import { Exchange } from './exchange.ts';
import { PacketFrames } from './packet-frames.ts';
import { COMMAND, errorPacket, packet } from './packets.ts';
import { MAX_ANSWER, ServerAnswers } from './server-answers.ts';

export interface MysqlRelayParts extends ClientCommandsParts {
  readonly client: Duplex;
  readonly onEnd: (how: RelayEnd) => void;
}

/** Relays the packets of one session between client and server, one command at a time. */
export class MysqlRelay {
  private readonly streams: RelayStreams;
  private readonly exchange: Exchange;
  private readonly commands: ClientCommands;
  private readonly answers: ServerAnswers;
  private readonly clientFrames: PacketFrames;
  private readonly serverFrames: PacketFrames;
  /** The position after the packets that the client has. */
  private passed = { isWithin: false, next: 0 };

  constructor(parts: MysqlRelayParts) {
    const { client, target, journal, onEnd } = parts;
    this.streams = new RelayStreams({
      client,
      target,
      fromClient: (chunk) => this.fromClient(chunk),
      fromTarget: (chunk) => this.fromTarget(chunk),
      written: () => journal.written(),
      active: () => journal.active(),
      onPassed: () => {
        this.passed = this.position;
      },
      onEnd: (how) => {
        this.exchange.wake();
        onEnd(how);
      },
    });
    this.exchange = new Exchange(journal, this.streams);
    this.commands = new ClientCommands(parts, this.exchange, this.streams);
    this.answers = new ServerAnswers(parts, this.exchange, this.streams);
    this.clientFrames = new PacketFrames((head) => this.commands.head(head), MAX_COLLECTED);
    this.serverFrames = new PacketFrames((head) => this.answers.head(head), MAX_ANSWER);
  }

  start(): void {
    this.streams.start();
  }

  /** True while the server has a command to answer. */
  get isRunning(): boolean {
    return this.exchange.isRunning;
  }

  /**
   * Closes both connections. The client gets the reason as an ERR packet, unless it is in the
   * middle of a row. If the log failed, the packet takes the place of the answers that wait for the
   * log.
   */
  stop(reason: string | undefined, isLogFailed = false): void {
    const isDropped = isLogFailed && this.streams.isHolding;
    const { isWithin, next } = isDropped ? this.passed : this.position;
    // The client of a dropped answer waits for the packet after its command, at least.
    const sequence = isDropped ? next || 1 : next;
    // ER_SERVER_SHUTDOWN.
    const last =
      reason === undefined || isWithin ? undefined : errorPacket(sequence, 1053, '08S01', reason);
    this.streams.close(last, packet(0, Buffer.from([COMMAND.quit])), isDropped);
    this.exchange.recordUnanswered();
    this.exchange.wake();
  }

  /** The position in the packets of the server: within one, and the number of the next one. */
  private get position(): { readonly isWithin: boolean; readonly next: number } {
    return {
      isWithin: this.serverFrames.isWithin,
      next: this.exchange.isRunning ? this.exchange.sequence + 1 : 0,
    };
  }

  private *fromClient(chunk: Buffer): Generator<Outgoing> {
    for (const piece of this.clientFrames.split(chunk))
      yield piece.head === undefined ? piece.bytes : this.commands.packet(piece);
  }

  private *fromTarget(chunk: Buffer): Generator<Buffer> {
    for (const piece of this.serverFrames.split(chunk)) {
      const bytes = piece.head === undefined ? piece.bytes : this.answers.packet(piece);
      if (bytes) yield bytes;
    }
  }
}
