import type { Duplex } from 'node:stream';
import { MAX_SENT_STATEMENT } from '../../../limits.ts';
import { BodyReader, ProtocolViolation } from '../../../protocols/body-reader.ts';
import { Frames, type Handling, type Piece } from '../../../protocols/postgresql/frames.ts';
import {
  errorResponse,
  isOtherCharacterSet,
  message,
  query,
  readError,
  rowsOf,
  zeroEnded,
} from '../../../protocols/postgresql/messages.ts';
import type { StatementJournal, TextDecision } from '../journal.ts';
import { type RelayEnd, RelayStreams } from '../relay-streams.ts';
import { type ModeStatements, ServerMode } from '../server-mode.ts';
import { Copies } from './copies.ts';
import { type FunctionCall, LargeObjects, readCall } from './large-objects.ts';
import { readBind, readColumns, readRow } from './parameters.ts';
import { Pipeline, type Portal, type Step } from './pipeline.ts';

/** Bytes of a message besides its statement, and maximum Bind message. */
const MESSAGE_REST = 64 * 1024;
const MAX_BIND = MAX_SENT_STATEMENT + MESSAGE_REST;
/** Maximum size of other collected messages. */
const MAX_ANSWER = 16 * 1024 * 1024;
const MAX_PASSED = 0x40000000;
/** Sample rows for the recording, and maximum bytes of each. */
const SAMPLE_ROWS = 10;
const SAMPLE_BYTES = 8 * 1024;
/**
 * Sent in place of a rejected statement: it fails on the server, so the transaction fails as after
 * any failed statement.
 */
const REFUSED = 'SALLYPORT_REFUSED';
/** SQLSTATE: insufficient_privilege, program_limit_exceeded, protocol_violation. */
const DENIED = '42501';
const TOO_LONG = '54000';
/** Statements that set the mode of a session. */
export const MODE: ModeStatements = {
  characterSet: "SET client_encoding TO 'UTF8'",
  readOnly: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
  readWrite: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
};
/** Messages that run or prepare statements; they require the current mode. */
const STATEMENTS = 'QPBEF';
const COLLECTED = 'QPBEDCSHFXcf';
/** Messages that a server may send: answers and notifications. */
const ANSWERS = '123CEGHIKNSTWZnstAV';

/** Answers after which we know if a copy starts. */
const SETTLING: ReadonlySet<string> = new Set(['C', 'E', 'G', 'I', 'Z', 's']);
const IN_TRANSACTION = 'T';

export interface RelayParts {
  readonly client: Duplex;
  readonly target: Duplex;
  /** Bytes that the server has sent before. */
  readonly fromTarget: Buffer;
  readonly journal: StatementJournal;
  /** True if the session on the server is in read-only mode. */
  readonly isReadOnly: boolean;
  /** Called once with the reason of the end. */
  readonly onEnd: (how: RelayEnd) => void;
}

/**
 * Relays the messages of one session between client and server. Each statement is decided before it
 * is sent.
 */
export class PostgresRelay {
  private readonly parts: RelayParts;
  private readonly streams: RelayStreams;
  private readonly pipeline = new Pipeline();
  private readonly mode: ServerMode;
  /** Status of the last ReadyForQuery: I, T or E. */
  private status = 'I';
  private readonly clientFrames: Frames;
  private readonly serverFrames: Frames;
  /** True after a failed copy: the client may still send its data. */
  private isCopyDropped = false;
  private readonly copies: Copies;
  private readonly objects: LargeObjects;
  /** The function call being answered; clients send one at a time. */
  private call: FunctionCall | undefined;
  private wake: () => void = () => undefined;
  private tooLong = false;
  /** Row count of the statement being answered. */
  private rows = 0;
  private began = performance.now();
  private columns: ReturnType<typeof readColumns> = [];
  private sample: (readonly (string | null)[])[] = [];

  constructor(parts: RelayParts) {
    this.parts = parts;
    const { client, target, journal, isReadOnly, onEnd } = parts;
    this.mode = new ServerMode(MODE, journal, isReadOnly);
    this.copies = new Copies(journal);
    this.objects = new LargeObjects(journal);
    this.streams = new RelayStreams({
      client,
      target,
      fromClient: (chunk) => this.fromClient(chunk),
      fromTarget: (chunk) => this.fromTarget(chunk),
      written: () => journal.written(),
      active: () => journal.active(),
      onEnd: (how) => {
        this.wake();
        onEnd(how);
      },
    });
    this.clientFrames = new Frames({
      onHeader: (type, length) => this.clientHeader(type, length),
      maxCollected: MAX_BIND,
      maxPassed: MAX_PASSED,
    });
    this.serverFrames = new Frames({
      onHeader: (type, length) => this.serverHeader(type, length),
      maxCollected: MAX_ANSWER,
      maxPassed: MAX_PASSED,
    });
  }

  start(): void {
    this.streams.start(this.parts.fromTarget);
  }

  /**
   * Closes both connections. The client gets the error `last`, unless it is in the middle of a row.
   */
  stop(last: Buffer | undefined): void {
    this.settle(this.pipeline.takePortals());
    this.streams.close(this.serverFrames.isWithin ? undefined : last, message('X'));
    this.wake();
  }

  private async *fromClient(chunk: Buffer): AsyncGenerator<Buffer> {
    for (const piece of this.clientFrames.split(chunk)) {
      if (piece.type === undefined && piece.isPause) {
        await this.answered();
        if (this.streams.isOver) return;
      }
      const bytes = piece.type === undefined ? piece.bytes : await this.clientMessage(piece);
      if (bytes) yield bytes;
    }
  }

  private *fromTarget(chunk: Buffer): Generator<Buffer> {
    for (const piece of this.serverFrames.split(chunk)) {
      const bytes = piece.type === undefined ? piece.bytes : this.serverMessage(piece);
      if (bytes) yield bytes;
    }
  }

  private clientHeader(type: string, length: number): Handling {
    if (type === 'd') {
      if (this.pipeline.isCopyingIn) {
        this.copies.add(length);
        return 'pass';
      }
      if (this.isCopyDropped) return 'drop';
      // Drivers may send data with the statement, before the server has started the copy.
      if (this.pipeline.awaitsStatement) return 'wait';
      throw new ProtocolViolation('copied data without a copy');
    }
    if (!COLLECTED.includes(type)) throw new ProtocolViolation('an unknown message of a client');
    if (!'QPB'.includes(type) || length <= MAX_BIND) return 'collect';
    if (type !== 'Q') this.tooLong = true;
    this.refuse(type === 'Q' ? 'query' : 'parse', this.parts.journal.say('too_long'), true);
    return 'drop';
  }

  /** Waits for the next server answer that settles a pending copy. */
  private async answered(): Promise<void> {
    await new Promise<void>((done) => {
      this.wake = done;
    });
    // PostgreSQL ignores data of a copy that failed or never started.
    if (!this.pipeline.isCopyingIn && !this.pipeline.awaitsStatement) this.isCopyDropped = true;
  }

  private async clientMessage(
    piece: Piece & { readonly type: string },
  ): Promise<Buffer | undefined> {
    const { pipeline } = this;
    if (STATEMENTS.includes(piece.type) && this.mode.isPending) {
      const refusal = await this.setMode(piece);
      if (refusal !== undefined)
        return this.refuse('QF'.includes(piece.type) ? 'query' : 'parse', refusal);
    }
    if (!pipeline.hasRoom && piece.type !== 'S' && piece.type !== 'C')
      throw new ProtocolViolation('too much at a time');
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
        if (closes === 'P') this.settle([pipeline.takePortal(name)]);
        pipeline.push({ kind: 'close', closes, name });
        return piece.bytes;
      }
      case 'S':
        this.isCopyDropped = false;
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
      !this.pipeline.isCopyingIn &&
      !this.isCopyDropped &&
      this.pipeline.awaitsStatement &&
      !this.streams.isOver
    )
      await this.answered();
    if (!this.pipeline.isCopyingIn) return undefined;
    this.pipeline.isCopyingIn = false;
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
    const call = this.call ? undefined : readCall(body);
    if (!call) return this.refuse('query', this.parts.journal.say('unknown_call'));
    const refusal = await this.objects.refusalOf(call);
    if (refusal !== undefined) return this.refuse('query', refusal);
    if (this.pipeline.length === 0) this.begin();
    this.call = call;
    this.pipeline.push({ kind: 'query', statements: [call.statement] });
    return bytes;
  }

  /**
   * Sets the mode of the session before a message of the client. Returns the refusal of the
   * message, if any.
   */
  private async setMode({
    type,
    body,
  }: Piece & { readonly type: string }): Promise<string | undefined> {
    const { pipeline, mode, streams } = this;
    // Wait for pending answers. Within an open batch nothing else can be sent.
    while (!streams.isOver && pipeline.length > 0 && pipeline.isAtEnd && !pipeline.isCopyingIn)
      await new Promise<void>((done) => {
        this.wake = done;
      });
    if (streams.isOver) return undefined;
    const isInTransaction = this.status !== 'I';
    const text = type === 'Q' ? new BodyReader(body).text().slice(0, 200) : '';
    if (pipeline.length > 0)
      return this.parts.journal.isReadOnly() ? this.parts.journal.say('read_only') : undefined;
    if (mode.refuses(text, isInTransaction)) return this.parts.journal.say('read_only');
    for (const statement of mode.missing(isInTransaction)) {
      pipeline.push({ kind: 'query', isOwn: true });
      this.parts.target.write(query(statement));
    }
    return undefined;
  }

  private async query(text: Buffer, bytes: Buffer): Promise<Buffer> {
    this.isCopyDropped = false;
    const decision = await this.decide(text);
    if (decision.refusal !== undefined) return this.refuse('query', decision.refusal);
    if (this.pipeline.length === 0) this.begin();
    const statements = [...decision.statements];
    this.pipeline.push({
      kind: 'query',
      statements: statements.length > 0 ? statements : [text.toString('utf8').trim()],
    });
    return bytes;
  }

  private async parse(reader: BodyReader, bytes: Buffer): Promise<Buffer> {
    const name = reader.text();
    const text = reader.zeroEnded();
    const { refusal } = await this.decide(text);
    if (refusal !== undefined) return this.refuse('parse', refusal);
    this.pipeline.push({ kind: 'parse', name, text: text.toString('utf8') });
    return bytes;
  }

  private async decide(bytes: Buffer): Promise<TextDecision> {
    const decision = await this.parts.journal.decide(bytes);
    if (decision.refusal !== undefined) return decision;
    const text = bytes.toString('utf8');
    const refusal = this.copies.refusalOf(text);
    if (refusal !== undefined) return { refusal };
    this.namesOf(text);
    return decision;
  }

  private bind({ body, bytes }: { readonly body: Buffer; readonly bytes: Buffer }): Buffer {
    const { portal: name, statement, values } = readBind(body);
    const text = this.pipeline.textOf(statement) ?? `EXECUTE "${statement}"`;
    this.settle([this.pipeline.takePortal(name)]);
    const portal: Portal = {
      statement: values === '' ? text : `${text} -- ${values}`,
      rows: 0,
      began: performance.now(),
      hasRun: false,
      isRecorded: false,
    };
    this.pipeline.push({ kind: 'bind', name, text, portal });
    return bytes;
  }

  private async execute(name: string, bytes: Buffer): Promise<Buffer> {
    const portal = this.pipeline.portalOf(name) ?? {
      statement: `FETCH FROM "${name}"`,
      rows: 0,
      began: 0,
      hasRun: false,
      isRecorded: false,
    };
    if (!portal.hasRun) {
      // The rules may have changed since the statement was prepared.
      const { refusal } = await this.parts.journal.decide(Buffer.from(portal.statement));
      if (refusal !== undefined) return this.refuse('parse', refusal);
      portal.began = performance.now();
      portal.hasRun = true;
    }
    this.pipeline.push({ kind: 'execute', portal });
    return bytes;
  }

  /** Returns the bytes that replace a rejected message. */
  private refuse(kind: 'query' | 'parse', refusal: string, sends = false): Buffer {
    this.pipeline.push({ kind, refusal });
    const bytes =
      kind === 'query'
        ? query(REFUSED)
        : message('P', zeroEnded(''), zeroEnded(REFUSED), Buffer.from([0, 0]));
    if (sends) this.parts.target.write(bytes);
    return bytes;
  }

  /** Forgets prepared statements after SQL statements that redefine names. */
  private namesOf(text: string): void {
    if (/\b(?:deallocate|discard|prepare)\b/i.test(text)) this.pipeline.forgetNames();
  }

  private serverHeader(type: string, length: number): Handling {
    if (type === 'D') {
      this.rows++;
      return this.sample.length < SAMPLE_ROWS && length <= SAMPLE_BYTES && this.columns.length > 0
        ? 'collect'
        : 'pass';
    }
    if (type === 'd') {
      this.copies.add(length);
      return this.copies.isDropped ? 'drop' : 'pass';
    }
    if (type === 'c') return 'collect';
    if (!ANSWERS.includes(type)) throw new ProtocolViolation('an unknown message of a server');
    return type === 'N' || type === 'A' ? 'pass' : 'collect';
  }

  /** Processes an answer. Returns the bytes for the client, if any. */
  private serverMessage(piece: Piece & { readonly type: string }): Buffer | undefined {
    const bytes = this.takeAnswer(piece);
    if (SETTLING.has(piece.type)) this.wake();
    return bytes;
  }

  private takeAnswer({ type, bytes, body }: Piece & { readonly type: string }): Buffer | undefined {
    const { pipeline } = this;
    switch (type) {
      case '1':
      case '2':
      case '3':
        pipeline.pop();
        return bytes;
      case 'D':
        this.sample.push(readRow(body));
        return bytes;
      case 'T':
        this.described(body);
        return bytes;
      case 'n':
        if (pipeline.head?.kind === 'describe') pipeline.pop();
        return bytes;
      case 'C':
      case 'I':
        return this.complete(type === 'C' ? new BodyReader(body).text() : '', bytes);
      case 's':
        this.suspended();
        return bytes;
      case 'G':
        return this.copyIn(bytes);
      case 'H':
        this.copies.beginOut(this.statement);
        return this.copies.isDropped ? undefined : bytes;
      case 'c':
        return this.copies.isDropped ? undefined : bytes;
      case 'V':
        return this.called(body, bytes);
      case 'W':
        throw new ProtocolViolation('replication');
      case 'E':
        if (pipeline.head?.isOwn) this.streams.end('target-broke');
        return this.failed(body, bytes);
      case 'S':
        return this.reported(body, bytes);
      case 'Z': {
        const isOwn = pipeline.head?.isOwn === true;
        this.call = undefined;
        this.status = body.toString('latin1', 0, 1);
        if (this.status !== IN_TRANSACTION) this.objects.closeAll();
        this.settle(pipeline.ready(this.status));
        this.begin();
        this.wake();
        return isOwn ? undefined : bytes;
      }
      default:
        return bytes;
    }
  }

  /**
   * Handles a reported setting. Ends the session on another character set, because we parse texts
   * as UTF-8.
   */
  private reported(body: Buffer, bytes: Buffer): Buffer | undefined {
    if (!isOtherCharacterSet(body)) return bytes;
    this.streams.end('character-set');
    return undefined;
  }

  private described(body: Buffer): void {
    const { head } = this.pipeline;
    if (head?.kind === 'describe') this.pipeline.pop();
    const columns = readColumns(body);
    this.sample = [];
    this.columns = columns.length > 0 && columns.every(({ isText }) => isText) ? columns : [];
  }

  private copyIn(bytes: Buffer): Buffer | undefined {
    const refusal = this.copies.beginIn(this.statement);
    if (refusal === undefined) {
      this.pipeline.beginCopyIn();
      return bytes;
    }
    // The server's error ends the copy. The client never learns that the copy started.
    this.parts.target.write(message('f', zeroEnded(refusal)));
    return undefined;
  }

  /** The statement being answered. */
  private get statement(): string {
    const { head } = this.pipeline;
    return head?.portal?.statement ?? head?.statements?.[0] ?? 'COPY';
  }

  /** Handles the answer to a function call. */
  private called(body: Buffer, bytes: Buffer): Buffer {
    const { call } = this;
    if (call && this.objects.answered(call, body)) this.record(call.statement, undefined);
    return bytes;
  }

  /** Handles the end of a statement. */
  private complete(tag: string, bytes: Buffer): Buffer | undefined {
    const { head } = this.pipeline;
    if (head?.isOwn) return undefined;
    const rows = rowsOf(tag);
    const refusal = this.copies.end(true);
    if (head?.kind === 'query') {
      if (head.refusal === undefined) this.record(nextOf(head), rows, refusal);
    } else if (head?.kind === 'execute') {
      this.pipeline.pop();
      if (head.portal)
        this.recordPortal(
          head.portal,
          rows === undefined ? undefined : Math.max(rows, head.portal.rows + this.rows),
          refusal,
        );
      this.begin();
    }
    return refusal === undefined
      ? bytes
      : errorResponse({ severity: 'ERROR', code: DENIED, message: refusal });
  }

  /** Handles a portal that returned only some of its rows. */
  private suspended(): void {
    const { head } = this.pipeline;
    if (head?.kind !== 'execute') return;
    this.pipeline.pop();
    if (head.portal) head.portal.rows += this.rows;
    this.begin();
  }

  private failed(body: Buffer, bytes: Buffer): Buffer {
    const wasCopying = this.pipeline.isCopyingIn;
    const failed = this.pipeline.fail();
    this.copies.end(false);
    if (wasCopying) this.isCopyDropped = true;
    if (failed?.refusal !== undefined) {
      const code = this.tooLong ? TOO_LONG : DENIED;
      this.tooLong = false;
      return errorResponse({ severity: 'ERROR', code, message: failed.refusal });
    }
    const { code, message: text } = readError(body);
    const error = `${code} ${text}`;
    if (failed?.kind === 'query') this.record(nextOf(failed), undefined, error);
    else if (failed?.kind === 'execute' && failed.portal)
      this.recordPortal(failed.portal, undefined, error);
    // A statement that fails to prepare was still sent.
    else if ((failed?.kind === 'parse' || failed?.kind === 'bind') && failed.text !== undefined)
      this.record(failed.text, undefined, error);
    return bytes;
  }

  private begin(): void {
    this.rows = 0;
    this.began = performance.now();
    this.columns = [];
    this.sample = [];
  }

  private record(statement: string, rows: number | undefined, error?: string): void {
    this.parts.journal.done({
      statement,
      rows,
      milliseconds: performance.now() - this.began,
      error,
      ...this.resultSample(),
    });
    this.begin();
  }

  private recordPortal(portal: Portal, rows: number | undefined, error?: string): void {
    portal.isRecorded = true;
    this.parts.journal.done({
      statement: portal.statement,
      rows,
      milliseconds: performance.now() - portal.began,
      error,
      ...this.resultSample(),
    });
  }

  private resultSample(): {
    readonly columns?: readonly string[];
    readonly sample?: readonly (readonly (string | null)[])[];
  } {
    return this.columns.length > 0
      ? { columns: this.columns.map(({ name }) => name), sample: this.sample }
      : {};
  }

  /** Logs portals that ended before they were read completely. */
  private settle(portals: readonly (Portal | undefined)[]): void {
    for (const portal of portals)
      if (portal?.hasRun && !portal.isRecorded) this.recordPortal(portal, portal.rows);
  }
}

/**
 * Returns the statement of a query being answered. Keeps the last one if the server counts more
 * statements than we do.
 */
function nextOf({ statements = [] }: Step): string {
  return (statements.length > 1 ? statements.shift() : statements[0]) ?? '';
}
