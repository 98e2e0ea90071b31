import { BodyReader, ProtocolViolation } from '../byte-reader.ts';
import { MAX_SENT_STATEMENT, type Outgoing, type TextDecision, whenKnown } from '../journal.ts';
import type { RelayStreams } from '../relay-streams.ts';
import type { Exchange } from './exchange.ts';
import type { Handling, Piece } from './frames.ts';
import { readCall } from './large-objects.ts';
import { message, query, readBind, zeroEnded } from './messages.ts';
import type { Portal } from './pipeline.ts';
import { SessionMode, type SessionModeParts } from './session-mode.ts';

/** Bytes of a message besides its statement, and maximum size of a collected message. */
const MESSAGE_REST = 64 * 1024;
export const MAX_BIND = MAX_SENT_STATEMENT + MESSAGE_REST;
/**
 * Sent in place of a rejected statement: it fails on the server, so the transaction fails as after
 * any failed statement.
 */
const REFUSED = 'SALLYPORT_REFUSED';
/** Messages that run or prepare statements; they require the current mode. */
const STATEMENTS = 'QPBEF';
const COLLECTED = 'QPBEDCSHFXcf';
/**
 * Messages that we drop after an error until Sync. PostgreSQL ignores them as well; H2 2.4.240 runs
 * the statement before instead.
 */
const SKIPPED = 'QPBEDCF';

type Message = Piece & { readonly type: string };

/** Handles the messages of a client. Each statement is decided before it is sent. */
export class ClientMessages {
  private readonly parts: SessionModeParts;
  private readonly exchange: Exchange;
  private readonly streams: RelayStreams;
  private readonly mode: SessionMode;

  constructor(parts: SessionModeParts, exchange: Exchange, streams: RelayStreams) {
    this.parts = parts;
    this.exchange = exchange;
    this.streams = streams;
    this.mode = new SessionMode(parts, exchange, streams);
  }

  /** Decides how to read a message, by its header. */
  header(type: string, length: number): Handling {
    if (type === 'd') {
      if (this.exchange.pipeline.isCopyingIn) {
        this.exchange.copies.add(length);
        return 'pass';
      }
      if (this.exchange.isCopyDropped || this.exchange.pipeline.isSkipping) return 'drop';
      // Drivers may send data with the statement, before the server has started the copy.
      if (this.exchange.pipeline.awaitsStatement) return 'wait';
      throw new ProtocolViolation('copied data without a copy');
    }
    if (!COLLECTED.includes(type)) throw new ProtocolViolation('an unknown message of a client');
    if (!'QPB'.includes(type) || length <= MAX_BIND) return 'collect';
    if (type !== 'Q') this.exchange.tooLong = true;
    this.refuse(type === 'Q' ? 'query' : 'parse', this.parts.journal.say('too_long'), true);
    return 'drop';
  }

  /** Waits for the next server answer that settles a pending copy. */
  async answered(): Promise<undefined> {
    await this.exchange.settled();
    // PostgreSQL ignores data of a copy that failed or never started.
    if (!this.exchange.pipeline.isCopyingIn && !this.exchange.pipeline.awaitsStatement)
      this.exchange.isCopyDropped = true;
  }

  /** Handles a message. Returns the bytes for the server, if any. */
  message(piece: Message): Outgoing {
    if (this.isSkipped(piece)) return undefined;
    if (!STATEMENTS.includes(piece.type)) return this.take(piece);
    if (this.mode.isPending) return this.inMode(piece);
    return whenKnown(this.mode.prove(), () => this.take(piece));
  }

  /** Handles a message after the mode of the session is set. */
  private async inMode(piece: Message): Promise<Buffer | undefined> {
    const refusal = await this.mode.set(piece);
    return refusal === undefined
      ? this.take(piece)
      : this.refuse('QF'.includes(piece.type) ? 'query' : 'parse', refusal);
  }

  private isSkipped({ type }: Message): boolean {
    return this.exchange.pipeline.isSkipping && SKIPPED.includes(type);
  }

  private take(piece: Message): Outgoing {
    const { pipeline } = this.exchange;
    // Setting the mode takes time, in which the server may have failed an earlier message.
    if (this.isSkipped(piece)) return undefined;
    if (!pipeline.hasRoom && piece.type !== 'S' && piece.type !== 'C')
      throw new ProtocolViolation('too much at a time');
    this.mode.noteMessage(piece.type);
    const reader = new BodyReader(piece.body);
    switch (piece.type) {
      case 'Q':
        return this.query(reader.zeroEnded(), piece.bytes);
      case 'P':
        return this.parse(reader, piece.bytes);
      case 'B':
        return this.bind(piece);
      case 'E':
        return this.execute(reader.text(), piece.bytes);
      case 'D':
        pipeline.push({ kind: 'describe' });
        return piece.bytes;
      case 'C': {
        const closes = reader.uint8() === 0x53 ? 'S' : 'P';
        const name = reader.text();
        if (closes === 'P') this.exchange.record.settle([pipeline.takePortal(name)]);
        pipeline.push({ kind: 'close', closes, name });
        return piece.bytes;
      }
      case 'S':
        this.exchange.isCopyDropped = false;
        pipeline.push({ kind: 'sync' });
        return piece.bytes;
      case 'H':
        return piece.bytes;
      case 'F':
        return this.callFunction(piece);
      case 'X':
        this.streams.end('client');
        return undefined;
      default:
        return this.endCopy(piece.bytes);
    }
  }

  /** Handles the end of copied data, which may arrive before the copy starts or after an error. */
  private async endCopy(bytes: Buffer): Promise<Buffer | undefined> {
    while (
      !this.exchange.pipeline.isCopyingIn &&
      !this.exchange.isCopyDropped &&
      this.exchange.pipeline.awaitsStatement &&
      !this.streams.isOver
    )
      await this.answered();
    if (!this.exchange.pipeline.isCopyingIn) return undefined;
    this.exchange.pipeline.isCopyingIn = false;
    return bytes;
  }

  /**
   * Handles a function call by id. Only calls of large objects are known, so others are rejected.
   */
  private async callFunction({
    body,
    bytes,
  }: {
    readonly body: Buffer;
    readonly bytes: Buffer;
  }): Promise<Buffer> {
    const call = this.exchange.call ? undefined : readCall(body);
    if (!call) return this.refuse('query', this.parts.journal.say('unknown_call'));
    const refusal = await this.exchange.objects.refusalOf(call);
    if (refusal !== undefined) return this.refuse('query', refusal);
    if (this.exchange.pipeline.length === 0) this.exchange.record.begin();
    this.exchange.call = call;
    this.exchange.pipeline.push({ kind: 'query', statements: [call.statement] });
    return bytes;
  }

  private query(text: Buffer, bytes: Buffer): Outgoing {
    this.exchange.isCopyDropped = false;
    return whenKnown(this.decide(text), (decision) => {
      if (decision.refusal !== undefined) return this.refuse('query', decision.refusal);
      this.mode.ran(decision.endsTransaction === true);
      if (this.exchange.pipeline.length === 0) this.exchange.record.begin();
      const statements = [...decision.statements];
      this.exchange.pipeline.push({
        kind: 'query',
        statements: statements.length > 0 ? statements : [text.toString('utf8').trim()],
      });
      return bytes;
    });
  }

  private parse(reader: BodyReader, bytes: Buffer): Outgoing {
    const name = reader.text();
    const text = reader.zeroEnded();
    return whenKnown(this.decide(text), ({ refusal }) => {
      if (refusal !== undefined) return this.refuse('parse', refusal);
      this.exchange.pipeline.push({ kind: 'parse', name, text: text.toString('utf8') });
      return bytes;
    });
  }

  private decide(bytes: Buffer): TextDecision | Promise<TextDecision> {
    return whenKnown(this.parts.journal.decide(bytes), (decision): TextDecision => {
      if (decision.refusal !== undefined) return decision;
      const text = bytes.toString('utf8');
      const refusal = this.exchange.copies.refusalOf(text);
      if (refusal !== undefined) return { refusal };
      this.forgetRedefined(text);
      return decision;
    });
  }

  private bind({ body, bytes }: { readonly body: Buffer; readonly bytes: Buffer }): Buffer {
    const { portal: name, statement, values } = readBind(body);
    const text = this.exchange.pipeline.textOf(statement) ?? `EXECUTE "${statement}"`;
    this.exchange.record.settle([this.exchange.pipeline.takePortal(name)]);
    const portal: Portal = {
      statement: values === '' ? text : `${text} -- ${values}`,
      rows: 0,
      began: performance.now(),
      hasRun: false,
      isRecorded: false,
    };
    this.exchange.pipeline.push({ kind: 'bind', name, text, portal });
    return bytes;
  }

  private execute(name: string, bytes: Buffer): Outgoing {
    const { pipeline } = this.exchange;
    const portal = pipeline.portalOf(name) ?? {
      statement: `FETCH FROM "${name}"`,
      rows: 0,
      began: 0,
      hasRun: false,
      isRecorded: false,
    };
    const pass = () => {
      pipeline.push({ kind: 'execute', portal });
      return bytes;
    };
    if (portal.hasRun) return pass();
    // The rules may have changed since the statement was prepared.
    return whenKnown(this.parts.journal.decide(Buffer.from(portal.statement)), (decision) => {
      if (decision.refusal !== undefined) return this.refuse('parse', decision.refusal);
      this.mode.ran(decision.endsTransaction === true);
      portal.began = performance.now();
      portal.hasRun = true;
      return pass();
    });
  }

  /** Returns the bytes that replace a rejected message. */
  private refuse(kind: 'query' | 'parse', refusal: string, sends = false): Buffer {
    this.exchange.pipeline.push({ kind, refusal });
    if (kind === 'parse') this.exchange.pipeline.isSkipping = true;
    const bytes =
      kind === 'query'
        ? query(REFUSED)
        : message('P', zeroEnded(''), zeroEnded(REFUSED), Buffer.from([0, 0]));
    if (sends) this.parts.target.write(bytes);
    return bytes;
  }

  /** Forgets prepared statements after SQL statements that redefine names. */
  private forgetRedefined(text: string): void {
    if (/\b(?:deallocate|discard|prepare)\b/i.test(text)) this.exchange.pipeline.forgetNames();
  }
}
