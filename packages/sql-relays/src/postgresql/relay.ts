import type { Duplex } from 'node:stream';
import type { Outgoing } from '../journal.ts';
import { type RelayEnd, RelayStreams } from '../relay-streams.ts';
import { ClientMessages, MAX_BIND } from './client-messages.ts';
import { Exchange } from './exchange.ts';
import { Frames } from './frames.ts';
import { message } from './messages.ts';
import { MAX_OBJECT, ServerAnswers } from './server-answers.ts';
import type { SessionModeParts } from './session-mode.ts';

/** Maximum size of messages that pass. */
const MAX_PASSED = 0x40000000;

export interface RelayParts extends SessionModeParts {
  readonly client: Duplex;
  /** Bytes that the server has sent before. */
  readonly fromTarget: Buffer;
  /** Called once with the reason of the end. */
  readonly onEnd: (how: RelayEnd) => void;
}

/** Relays the messages of one session between client and server. */
export class PostgresRelay {
  private readonly sentBefore: Buffer;
  private readonly journal: RelayParts['journal'];
  private readonly streams: RelayStreams;
  private readonly exchange: Exchange;
  private readonly messages: ClientMessages;
  private readonly answers: ServerAnswers;
  private readonly clientFrames: Frames;
  private readonly serverFrames: Frames;
  /** True if the client has received a message of the server in part. */
  private isClientWithin = false;
  /** Our messages that wait for the end of a message of the server. */
  private readonly untold: Buffer[] = [];

  constructor(parts: RelayParts) {
    const { client, target, journal, onEnd } = parts;
    this.sentBefore = parts.fromTarget;
    this.journal = journal;
    this.exchange = new Exchange(journal);
    this.streams = new RelayStreams({
      client,
      target,
      fromClient: (chunk) => this.fromClient(chunk),
      fromTarget: (chunk) => this.fromTarget(chunk),
      written: () => journal.written(),
      active: () => journal.active(),
      onPassed: () => {
        this.isClientWithin = this.serverFrames.isWithin;
      },
      onEnd: (how) => {
        this.exchange.wake();
        onEnd(how);
      },
    });
    this.messages = new ClientMessages(parts, this.exchange, this.streams);
    this.answers = new ServerAnswers(target, this.exchange, this.streams);
    this.clientFrames = new Frames({
      onHeader: (type, length) => this.messages.header(type, length),
      maxCollected: MAX_BIND,
      maxPassed: MAX_PASSED,
    });
    this.serverFrames = new Frames({
      onHeader: (type, length) => this.answers.header(type, length),
      maxCollected: MAX_OBJECT,
      maxPassed: MAX_PASSED,
    });
  }

  start(): void {
    this.streams.start(this.sentBefore);
  }

  /** True while the server has a statement to answer. */
  get isRunning(): boolean {
    return this.exchange.pipeline.awaitsStatement;
  }

  /**
   * Closes both connections. The client gets the error `last`, unless it is in the middle of a row.
   * If the log failed, the error takes the place of the answers that wait for the log.
   */
  stop(last: Buffer | undefined, isLogFailed = false): void {
    const isDropped = isLogFailed && this.streams.isHolding;
    const isWithin = isDropped ? this.isClientWithin : this.serverFrames.isWithin;
    this.streams.close(isWithin ? undefined : last, message('X'), isDropped);
    const { pipeline, record } = this.exchange;
    const unanswered = pipeline.takeUnanswered();
    const running = new Set(unanswered.map(({ portal }) => portal));
    record.settle(pipeline.takePortals().filter((portal) => !running.has(portal)));
    record.finishUnanswered(unanswered, this.journal.say('unanswered'));
    this.exchange.wake();
  }

  private *fromClient(chunk: Buffer): Generator<Outgoing> {
    for (const piece of this.clientFrames.split(chunk)) {
      if (piece.type !== undefined) yield this.messages.message(piece);
      else if (!piece.isPause) yield piece.bytes;
      else {
        yield this.messages.answered();
        if (this.streams.isOver) return;
      }
    }
  }

  /** Sends our own message to the client, after the message of the server that is passing. */
  tell(message: Buffer): void {
    if (this.streams.isOver) return;
    if (this.serverFrames.isWithin) this.untold.push(message);
    else this.streams.toClient(message);
  }

  private *fromTarget(chunk: Buffer): Generator<Buffer> {
    for (const piece of this.serverFrames.split(chunk)) {
      const bytes = piece.type === undefined ? piece.bytes : this.answers.message(piece);
      if (bytes) yield bytes;
      if (!this.serverFrames.isWithin) yield* this.untold.splice(0);
    }
  }
}
