import type { Duplex } from 'node:stream';
import { BodyReader, ProtocolViolation } from '../../../protocols/body-reader.ts';
import {
  type Handling,
  PacketFrames,
  type PacketHead,
  type Piece,
} from '../../../protocols/mysql/packet-frames.ts';
import {
  COMMAND,
  errorPacket,
  FULL_PACKET,
  packet,
  readColumnName,
  readErrorPacket,
  readLength,
  readOkPacket,
} from '../../../protocols/mysql/packets.ts';
import type { FileTransfer } from '../../../sessions/file-transfers.ts';
import type { StatementJournal } from '../journal.ts';
import { type RelayEnd, RelayStreams } from '../relay-streams.ts';
import { type ModeStatements, ServerMode } from '../server-mode.ts';
import { Answers, type Meaning } from './answers.ts';
import { formatValues, PreparedStatements, readTextRow } from './prepared.ts';

const MAX_COLLECTED = FULL_PACKET - 1;
const SAMPLE_ROWS = 10;
const SAMPLE_BYTES = 8 * 1024;
/** ER_SPECIFIC_ACCESS_DENIED_ERROR and ER_UNKNOWN_COM_ERROR. */
const DENIED = 1227;
const UNKNOWN = 1047;
/** SERVER_STATUS_IN_TRANS. */
const IN_TRANSACTION = 0x01;
/** Statements that set the mode of a session. */
export const MODE: ModeStatements = {
  characterSet: 'SET NAMES utf8mb4',
  readOnly: 'SET SESSION TRANSACTION READ ONLY',
  readWrite: 'SET SESSION TRANSACTION READ WRITE',
};
/** Commands that run or prepare statements; they require the current mode. */
const STATEMENTS: ReadonlySet<number> = new Set([
  COMMAND.query,
  COMMAND.prepare,
  COMMAND.execute,
  COMMAND.initDatabase,
]);
/** Commands without text, which pass unchanged. */
const PLAIN: ReadonlySet<number> = new Set([
  COMMAND.fieldList,
  COMMAND.statistics,
  COMMAND.ping,
  COMMAND.resetStatement,
  COMMAND.setOption,
  COMMAND.fetch,
  COMMAND.closeStatement,
]);

export interface MysqlRelayParts {
  readonly client: Duplex;
  readonly target: Duplex;
  readonly journal: StatementJournal;
  /** Name with which the client signed in, and its requested database. */
  readonly username: string;
  readonly database: string;
  /** True if the session on the server is in read-only mode. */
  readonly isReadOnly: boolean;
  /** Translates a client's `KILL`: replaces our connection id with the server's. */
  readonly killOf: (statement: string) => string;
  readonly onEnd: (how: RelayEnd) => void;
}

/** The command being answered. */
interface Running {
  readonly command: number;
  /** Statements that have not finished. */
  readonly statements: string[];
  /** Text of a statement to prepare. */
  readonly text: string;
  began: number;
}

/**
 * Relays the packets of one session between client and server, one command at a time. Each
 * statement is decided before it is sent.
 */
export class MysqlRelay {
  private readonly parts: MysqlRelayParts;
  private readonly streams: RelayStreams;
  private readonly answers = new Answers();
  private readonly prepared = new PreparedStatements();
  private readonly clientFrames: PacketFrames;
  private readonly serverFrames: PacketFrames;
  private readonly mode: ServerMode;
  private running: Running | undefined;
  /** True while the server answers our own statement. */
  private isOwn = false;
  private isInTransaction = false;
  private meaning: Meaning = 'other';
  /** True while the client sends a file that the server requested. */
  private isCopyingIn = false;
  private copying: FileTransfer | undefined;
  /**
   * The reason for which a file was rejected. The client already has it as the answer, so the
   * server's is dropped.
   */
  private refusal: string | undefined;
  private tooLong = false;
  private rows = 0;
  private columns: string[] = [];
  private sample: (readonly (string | null)[])[] = [];
  private lastSequence = 0;
  private wake: () => void = () => undefined;

  constructor(parts: MysqlRelayParts) {
    this.parts = parts;
    const { client, target, journal, isReadOnly, onEnd } = parts;
    this.mode = new ServerMode(MODE, journal, isReadOnly);
    const ended = (how: RelayEnd) => {
      this.wake();
      onEnd(how);
    };
    this.streams = new RelayStreams({
      client,
      target,
      fromClient: (chunk) => this.fromClient(chunk),
      fromTarget: (chunk) => this.fromTarget(chunk),
      written: () => journal.written(),
      active: () => journal.active(),
      onEnd: ended,
    });
    this.clientFrames = new PacketFrames((head) => this.clientHead(head), MAX_COLLECTED);
    this.serverFrames = new PacketFrames((head) => this.serverHead(head), MAX_COLLECTED);
  }

  start(): void {
    this.streams.start();
  }

  /**
   * Closes both connections. The client gets the reason as an ERR packet, unless it is in the
   * middle of a row.
   */
  stop(reason: string | undefined): void {
    // ER_SERVER_SHUTDOWN. Its sequence number continues that of an unfinished answer.
    const last =
      reason === undefined || this.serverFrames.isWithin
        ? undefined
        : errorPacket(this.running ? this.lastSequence + 1 : 0, 1053, '08S01', reason);
    this.streams.close(last, packet(0, Buffer.from([COMMAND.quit])));
    this.wake();
  }

  private async *fromClient(chunk: Buffer): AsyncGenerator<Buffer> {
    for (const piece of this.clientFrames.split(chunk)) {
      const bytes = piece.head === undefined ? piece.bytes : await this.clientPacket(piece);
      if (bytes) yield bytes;
    }
  }

  private *fromTarget(chunk: Buffer): Generator<Buffer> {
    for (const piece of this.serverFrames.split(chunk)) {
      const bytes = piece.head === undefined ? piece.bytes : this.serverPacket(piece);
      if (bytes) yield bytes;
    }
  }

  private clientHead({ length, first, isContinued }: PacketHead): Handling {
    if (this.isCopyingIn) {
      if (length === 0) this.isCopyingIn = false;
      this.copying?.add(length);
      return 'pass';
    }
    if (isContinued) return 'drop';
    const isLong = length > MAX_COLLECTED - 1;
    if (first === COMMAND.longData && this.answers.isComplete && length < FULL_PACKET)
      return 'pass';
    if (!isLong) return 'collect';
    if (!this.answers.isComplete)
      throw new ProtocolViolation('a command before the last one was answered');
    // Reject now, and skip the rest of the packet.
    if (!this.tooLong) this.refuse(DENIED, this.parts.journal.say('too_long'));
    this.tooLong = false;
    return 'drop';
  }

  /** Handles a command of the client. Returns the bytes for the server, if any. */
  private async clientPacket({
    payload,
    bytes,
  }: Piece & { readonly head: PacketHead }): Promise<Buffer | undefined> {
    const { journal } = this.parts;
    // One command at a time: wait for the end of the previous answer.
    await this.answered();
    const command = payload[0] ?? 0;
    const rest = payload.subarray(1);
    if (STATEMENTS.has(command) && this.mode.isPending) {
      const text = command === COMMAND.query ? rest.toString('utf8', 0, 100) : '';
      if (this.mode.refuses(text, this.isInTransaction))
        return this.refuse(DENIED, journal.say('read_only'));
      for (const statement of this.mode.missing(this.isInTransaction)) await this.run(statement);
    }
    if (this.streams.isOver) return undefined;
    switch (command) {
      case COMMAND.query: {
        const text = rest.toString('utf8');
        const decision = await journal.decide(rest);
        const refusal = decision.refusal ?? this.copyRefusal(text);
        if (decision.refusal !== undefined || refusal !== undefined)
          return this.refuse(DENIED, refusal ?? '');
        if (decision.isCharacterSetUnknown) this.mode.characterSetChanged();
        const sent = this.parts.killOf(text);
        this.begin(command, [...decision.statements], text.trim());
        return sent === text ? bytes : packet(0, Buffer.from([command]), Buffer.from(sent));
      }
      case COMMAND.initDatabase:
        return this.decided(command, Buffer.concat([Buffer.from('USE '), rest]), bytes);
      case COMMAND.prepare: {
        const text = rest.toString('utf8');
        const refusal = this.prepared.hasRoom
          ? ((await journal.decide(rest)).refusal ?? this.copyRefusal(text))
          : journal.say('too_long');
        if (refusal !== undefined) return this.refuse(DENIED, refusal);
        this.begin(command, [], text);
        return bytes;
      }
      case COMMAND.execute: {
        const prepared = this.prepared.get(new BodyReader(rest).uintLE(4));
        if (!prepared) return this.refuse(UNKNOWN, journal.say('unknown_message'));
        const values = formatValues(rest, prepared);
        // The rules may have changed since the statement was prepared.
        return this.decided(
          command,
          Buffer.from(values === '' ? prepared.text : `${prepared.text} -- ${values}`),
          bytes,
        );
      }
      case COMMAND.resetConnection:
        this.prepared.clear();
        this.mode.wasReset();
        return this.decided(command, Buffer.from('RESET CONNECTION'), bytes, false);
      case COMMAND.changeUser: {
        // Connection pools use it to reset a connection. Another user must sign in with a separate
        // password.
        if (!this.isSameUser(rest)) return this.refuse(UNKNOWN, journal.say('unknown_message'));
        this.prepared.clear();
        this.mode.wasReset();
        return this.decided(
          COMMAND.resetConnection,
          Buffer.from('RESET CONNECTION'),
          packet(0, Buffer.from([COMMAND.resetConnection])),
          false,
        );
      }
      case COMMAND.quit:
        this.streams.end('client');
        return undefined;
      default:
        if (!PLAIN.has(command)) return this.refuse(UNKNOWN, journal.say('unknown_message'));
        if (command === COMMAND.closeStatement)
          this.prepared.remove(new BodyReader(rest).uintLE(4));
        this.begin(command, [], '');
        return bytes;
    }
  }

  /** Returns true if a change-user request names the signed-in user and no other database. */
  private isSameUser(body: Buffer): boolean {
    const { username, database } = this.parts;
    const reader = new BodyReader(body);
    if (reader.text() !== username) return false;
    // Skip the password proof; only a server that asks for it needs one.
    reader.bytes(reader.uint8());
    const requested = reader.left > 0 ? reader.text() : '';
    return requested === '' || requested === database;
  }

  private async decided(
    command: number,
    text: Buffer,
    bytes: Buffer,
    asks = true,
  ): Promise<Buffer | undefined> {
    const decision = asks ? await this.parts.journal.decide(text) : undefined;
    if (decision?.refusal !== undefined) return this.refuse(DENIED, decision.refusal);
    if (decision?.isCharacterSetUnknown) this.mode.characterSetChanged();
    const statement = text.toString('utf8');
    this.begin(command, [statement], statement);
    return bytes;
  }

  /** Settles when the server has answered the last command, or the session has ended. */
  private async answered(): Promise<void> {
    while (!this.answers.isComplete && !this.streams.isOver) {
      await new Promise<void>((done) => {
        this.wake = done;
      });
      if (this.isCopyingIn) throw new ProtocolViolation('a command in the place of a file');
    }
  }

  /** Runs our own statement. The client does not see its answer. */
  private async run(statement: string): Promise<void> {
    if (this.streams.isOver) return;
    this.isOwn = true;
    this.answers.begin(COMMAND.query);
    this.parts.target.write(packet(0, Buffer.from([COMMAND.query]), Buffer.from(statement)));
    await this.answered();
  }

  /**
   * Rejects a file upload early, by the text of the statement. The server's request for a file is
   * also rejected.
   */
  private copyRefusal(text: string): string | undefined {
    const { journal } = this.parts;
    return !journal.mayUpload() && /\bload\s+(?:data|xml)\b[\s\S]{0,200}?\blocal\b/i.test(text)
      ? journal.refuseTransfer('upload', text, text)
      : undefined;
  }

  private refuse(code: number, refusal: string): undefined {
    this.streams.toClient(errorPacket(1, code, '42000', refusal));
    return undefined;
  }

  private begin(command: number, statements: string[], text: string): void {
    this.answers.begin(command);
    if (this.answers.isComplete) return;
    this.running = { command, statements, text, began: performance.now() };
    this.next();
  }

  private next(): void {
    this.rows = 0;
    this.columns = [];
    this.sample = [];
    if (this.running) this.running.began = performance.now();
  }

  private serverHead(head: PacketHead): Handling {
    this.lastSequence = head.sequence;
    this.meaning = this.answers.meaningOf(head);
    const isShown =
      this.sample.length < SAMPLE_ROWS &&
      head.length <= SAMPLE_BYTES &&
      this.running?.command === COMMAND.query &&
      !head.isContinued;
    if (this.meaning === 'row' && !head.isContinued) this.rows++;
    return Answers.handlingOf(this.meaning, isShown);
  }

  /** Processes an answer. Returns the bytes for the client, if any. */
  private serverPacket({
    head,
    payload,
    bytes,
  }: Piece & { readonly head: PacketHead }): Buffer | undefined {
    const { meaning, answers } = this;
    if (this.isOwn) return this.ownAnswer(payload);
    const reader = new BodyReader(payload);
    switch (meaning) {
      case 'row':
        this.sample.push(readTextRow(reader));
        return bytes;
      case 'column':
        if (this.running?.command === COMMAND.query) this.columns.push(readColumnName(payload));
        answers.took(meaning, {});
        return bytes;
      case 'count':
        answers.took(meaning, { count: readLength(reader) ?? 0 });
        return bytes;
      case 'prepared': {
        reader.uint8();
        const id = reader.uintLE(4);
        const columns = reader.uintLE(2);
        const parameters = reader.uintLE(2);
        if (this.running) this.prepared.add(id, this.running.text, parameters);
        answers.took(meaning, { parameters, columns });
        break;
      }
      case 'ok': {
        const { rows, status } = readOkPacket(payload);
        this.isInTransaction = (status & IN_TRANSACTION) !== 0;
        answers.took(meaning, { status });
        this.record(rows);
        break;
      }
      case 'end': {
        reader.bytes(3);
        const status = reader.uintLE(2);
        this.isInTransaction = (status & IN_TRANSACTION) !== 0;
        answers.took(meaning, { status });
        this.record(this.rows);
        break;
      }
      case 'error': {
        const { code, message } = readErrorPacket(payload);
        answers.took(meaning, {});
        this.record(undefined, `${code} ${message}`);
        break;
      }
      case 'local-file':
        return this.localFile(head, payload, bytes);
      default:
        // End of columns; its status tells if a cursor was opened.
        answers.took(meaning, {
          status: payload[0] === 0xfe && payload.length >= 5 ? payload.readUInt16LE(3) : 0,
        });
    }
    const isDropped = this.refusal !== undefined;
    if (answers.isComplete) this.settled();
    return isDropped ? undefined : bytes;
  }

  /** Handles the answer to our own statement. Ends the session if the server rejects it. */
  private ownAnswer(payload: Buffer): undefined {
    this.isOwn = false;
    if (this.meaning !== 'ok') {
      this.streams.end('target-broke');
      return;
    }
    this.answers.took('ok', { status: readOkPacket(payload).status });
    this.settled();
  }

  /** Handles `LOAD DATA LOCAL`: the server requests a file from the client. */
  private localFile({ sequence }: PacketHead, payload: Buffer, bytes: Buffer): Buffer | undefined {
    const { journal, target } = this.parts;
    const name = payload.subarray(1).toString('utf8');
    this.answers.took('local-file', {});
    if (journal.mayUpload()) {
      this.copying = journal.transfer('upload', name);
      this.isCopyingIn = true;
      this.wake();
      return bytes;
    }
    // For the server, an empty packet ends the file.
    this.refusal = journal.refuseTransfer('upload', name);
    target.write(packet(sequence + 1));
    return errorPacket(sequence, DENIED, '42000', this.refusal);
  }

  /** Ends an answer, so that the next command may be sent. */
  private settled(): void {
    this.running = undefined;
    this.isCopyingIn = false;
    this.refusal = undefined;
    this.wake();
  }

  /** Records a finished statement; commands without text are not recorded. */
  private record(rows: number | undefined, error?: string): void {
    const { running } = this;
    this.copying?.end(error === undefined ? undefined : 'file_incomplete');
    this.copying = undefined;
    if (!running) return;
    const { statements, command } = running;
    const statement =
      statements.length > 1
        ? statements.shift()
        : (statements[0] ?? (command === COMMAND.prepare ? running.text : undefined));
    if (statement !== undefined) {
      const result = this.columns.length > 0 ? { columns: this.columns, sample: this.sample } : {};
      const failure = this.refusal ?? error;
      this.parts.journal.done({
        statement,
        rows: failure === undefined ? rows : undefined,
        milliseconds: performance.now() - running.began,
        error: failure,
        ...result,
      });
    }
    this.next();
  }
}
