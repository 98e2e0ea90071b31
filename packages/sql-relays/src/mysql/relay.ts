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

  constructor(parts: MysqlRelayParts) {
    const { client, target, journal, onEnd } = parts;
    this.streams = new RelayStreams({
      client,
      target,
      fromClient: (chunk) => this.fromClient(chunk),
      fromTarget: (chunk) => this.fromTarget(chunk),
      written: () => journal.written(),
      active: () => journal.active(),
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

  /**
   * Closes both connections. The client gets the reason as an ERR packet, unless it is in the
   * middle of a row.
   */
  stop(reason: string | undefined, isLogFailed = false): void {
    // ER_SERVER_SHUTDOWN. Its sequence number continues that of an unfinished answer.
    const last =
      reason === undefined || this.serverFrames.isWithin
        ? undefined
        : errorPacket(
            this.exchange.isRunning ? this.answers.lastSequence + 1 : 0,
            1053,
            '08S01',
            reason,
          );
    this.streams.close(last, packet(0, Buffer.from([COMMAND.quit])), isLogFailed);
    this.exchange.wake();
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
