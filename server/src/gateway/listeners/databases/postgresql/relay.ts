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
import { Ends, type RelayEnd } from '../ends.ts';
import type { StatementJournal, TextDecision } from '../journal.ts';
import { type ModeStatements, ServerMode } from '../server-mode.ts';
import { Copies } from './copies.ts';
import { type FunctionCall, LargeObjects, readCall } from './large-objects.ts';
import { readBind, readColumns, readRow } from './parameters.ts';
import { Pipeline, type Portal, type Step } from './pipeline.ts';

/** What a message has besides its statement, and the longest Bind with its values. */
const MESSAGE_REST = 64 * 1024;
const MAX_BIND = MAX_SENT_STATEMENT + MESSAGE_REST;
/** Other messages that are looked at as a whole. */
const MAX_ANSWER = 16 * 1024 * 1024;
const MAX_PASSED = 0x40000000;
/** Rows that a recording shows, and bytes of each. */
const SAMPLE_ROWS = 10;
const SAMPLE_BYTES = 8 * 1024;
/** What the server gets in the place of a refused statement: it fails there, so that its transaction ends as that of any failed statement. */
const REFUSED = 'SALLYPORT_REFUSED';
/** SQLSTATE: insufficient_privilege, program_limit_exceeded, protocol_violation. */
const DENIED = '42501';
const TOO_LONG = '54000';
/** What a session is set to. */
export const MODE: ModeStatements = {
  characterSet: "SET client_encoding TO 'UTF8'",
  readOnly: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
  readWrite: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
};
/** Messages that run or prepare statements: the session must be in its mode before. */
const STATEMENTS = 'QPBEF';
const COLLECTED = 'QPBEDCSHFXcf';
/** What a server may send: answers, and what it sends unasked. */
const ANSWERS = '123CEGHIKNSTWZnstAV';

/** Answers after which it is known whether a copy begins. */
const SETTLING: ReadonlySet<string> = new Set(['C', 'E', 'G', 'I', 'Z', 's']);
const IN_TRANSACTION = 'T';

/** Both ends of a relay. */
export interface RelayParts {
  readonly client: Duplex;
  readonly target: Duplex;
  /** What had come of the server already. */
  readonly fromTarget: Buffer;
  readonly journal: StatementJournal;
  /** Whether the session at the server was set to read only. */
  readonly isReadOnly: boolean;
  /** Called once: how it came to its end. */
  readonly onEnd: (how: RelayEnd) => void;
}

/** Carries the messages of one session between a client and its server, and lets no statement pass before it was decided on. */
export class PostgresRelay {
  private readonly parts: RelayParts;
  private readonly ends: Ends;
  private readonly pipeline = new Pipeline();
  private readonly mode: ServerMode;
  /** Of the last ReadyForQuery: I, T or E. */
  private status = 'I';
  private readonly clientFrames: Frames;
  private readonly serverFrames: Frames;
  /** A copy has failed: its client may still be sending. */
  private isCopyDropped = false;
  private readonly copies: Copies;
  private readonly objects: LargeObjects;
  /** The call of a function that is being answered; the client waits for each. */
  private call: FunctionCall | undefined;
  private wake: () => void = () => undefined;
  private tooLong = false;
  /** Of the statement that is being answered. */
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
    this.ends = new Ends({
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

  /** Begins to carry. */
  start(): void {
    this.ends.start(this.parts.fromTarget);
  }

  /** Ends both connections; the client gets the reason as an error of the protocol, unless it is in the middle of a row. */
  stop(last: Buffer | undefined): void {
    this.settle(this.pipeline.takePortals());
    this.ends.close(this.serverFrames.isWithin ? undefined : last, message('X'));
    this.wake();
  }

  private async *fromClient(chunk: Buffer): AsyncGenerator<Buffer> {
    for (const piece of this.clientFrames.split(chunk)) {
      if (piece.type === undefined && piece.isPause) {
        await this.answered();
        if (this.ends.isOver) return;
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
      // Drivers may send the data with the statement, before the server has said that it copies.
      if (this.pipeline.awaitsStatement) return 'wait';
      throw new ProtocolViolation('copied data without a copy');
    }
    if (!COLLECTED.includes(type)) throw new ProtocolViolation('an unknown message of a client');
    if (!'QPB'.includes(type) || length <= MAX_BIND) return 'collect';
    if (type !== 'Q') this.tooLong = true;
    this.refuse(type === 'Q' ? 'query' : 'parse', this.parts.journal.say('too_long'), true);
    return 'drop';
  }

  /** Waits for the next answer of the server that says what becomes of a copy. */
  private async answered(): Promise<void> {
    await new Promise<void>((done) => {
      this.wake = done;
    });
    // PostgreSQL ignores data of a copy that failed or never began.
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
        this.ends.end('client');
        return undefined;
      default:
        return this.endCopy(piece.bytes);
    }
  }

  /** The end of copied data, which may come before the copy has begun, or cross an error. */
  private async endCopy(bytes: Buffer): Promise<Buffer | undefined> {
    while (
      !this.pipeline.isCopyingIn &&
      !this.isCopyDropped &&
      this.pipeline.awaitsStatement &&
      !this.ends.isOver
    )
      await this.answered();
    if (!this.pipeline.isCopyingIn) return undefined;
    this.pipeline.isCopyingIn = false;
    return bytes;
  }

  /** A call of a function by its number. Only those of large objects say what they do. */
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

  /** Sets the mode of the session before a message of the client. Returns why the message is refused. */
  private async setMode({
    type,
    body,
  }: Piece & { readonly type: string }): Promise<string | undefined> {
    const { pipeline, mode, ends } = this;
    // What was sent is answered first; of a batch that has begun, nothing can be sent in between.
    while (!ends.isOver && pipeline.length > 0 && pipeline.isAtEnd && !pipeline.isCopyingIn)
      await new Promise<void>((done) => {
        this.wake = done;
      });
    if (ends.isOver) return undefined;
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
    const { portal: name, statement, shown } = readBind(body);
    const text = this.pipeline.textOf(statement) ?? `EXECUTE "${statement}"`;
    this.settle([this.pipeline.takePortal(name)]);
    const portal: Portal = {
      statement: shown === '' ? text : `${text} -- ${shown}`,
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
      // The rules may have changed since it was prepared.
      const { refusal } = await this.parts.journal.decide(Buffer.from(portal.statement));
      if (refusal !== undefined) return this.refuse('parse', refusal);
      portal.began = performance.now();
      portal.hasRun = true;
    }
    this.pipeline.push({ kind: 'execute', portal });
    return bytes;
  }

  /** What goes to the server in the place of a refused message. */
  private refuse(kind: 'query' | 'parse', refusal: string, sends = false): Buffer {
    this.pipeline.push({ kind, refusal });
    const bytes =
      kind === 'query'
        ? query(REFUSED)
        : message('P', zeroEnded(''), zeroEnded(REFUSED), Buffer.from([0, 0]));
    if (sends) this.parts.target.write(bytes);
    return bytes;
  }

  /** Statements that give names another meaning: what was prepared by messages is not known any more. */
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

  /** Takes notice of an answer; what the client gets of it. */
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
        if (pipeline.head?.isOwn) this.ends.end('target-broke');
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

  /** The server reports a setting. Its client, and we, read texts as UTF-8. */
  private reported(body: Buffer, bytes: Buffer): Buffer | undefined {
    if (!isOtherCharacterSet(body)) return bytes;
    this.ends.end('character-set');
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
    // The server's error ends the copy; the client never hears that it could have sent something.
    this.parts.target.write(message('f', zeroEnded(refusal)));
    return undefined;
  }

  /** What is being answered. */
  private get statement(): string {
    const { head } = this.pipeline;
    return head?.portal?.statement ?? head?.statements?.[0] ?? 'COPY';
  }

  /** A function was called. */
  private called(body: Buffer, bytes: Buffer): Buffer {
    const { call } = this;
    if (call && this.objects.answered(call, body)) this.record(call.statement, undefined);
    return bytes;
  }

  /** A statement is over. */
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

  /** Some rows of a portal were read. */
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
    // A statement that cannot be prepared was sent all the same.
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
      ...this.shown(),
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
      ...this.shown(),
    });
  }

  private shown(): {
    readonly columns?: readonly string[];
    readonly sample?: readonly (readonly (string | null)[])[];
  } {
    return this.columns.length > 0
      ? { columns: this.columns.map(({ name }) => name), sample: this.sample }
      : {};
  }

  /** Portals that are gone before they were read to their end. */
  private settle(gone: readonly (Portal | undefined)[]): void {
    for (const portal of gone)
      if (portal?.hasRun && !portal.isRecorded) this.recordPortal(portal, portal.rows);
  }
}

/** The statement of a query that is being answered; the last one where the server counts others than we do. */
function nextOf({ statements = [] }: Step): string {
  return (statements.length > 1 ? statements.shift() : statements[0]) ?? '';
}
