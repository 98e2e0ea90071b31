import type { Duplex } from 'node:stream';
import { BodyReader, ProtocolViolation } from '../byte-reader.ts';
import { type Outgoing, type StatementJournal, type TextDecision, whenKnown } from '../journal.ts';
import type { RelayStreams } from '../relay-streams.ts';
import { type ModeStatements, ServerMode } from '../server-mode.ts';
import type { Exchange } from './exchange.ts';
import type { Handling, PacketHead, Piece } from './packet-frames.ts';
import { COMMAND, errorPacket, FULL_PACKET, packet } from './packets.ts';
import { formatValues } from './prepared.ts';

/** Maximum size of a packet that is collected. */
export const MAX_COLLECTED = FULL_PACKET - 1;
/** ER_SPECIFIC_ACCESS_DENIED_ERROR and ER_UNKNOWN_COM_ERROR. */
export const DENIED = 1227;
const UNKNOWN = 1047;
/** Statements that set the mode of a session. */
export const MODE = {
  characterSet: 'SET NAMES utf8mb4',
  readOnly: 'SET SESSION TRANSACTION READ ONLY',
  readWrite: 'SET SESSION TRANSACTION READ WRITE',
  keepUtf8:
    "SET SESSION character_set_client = IF(@@session.character_set_client LIKE 'utf8%', @@session.character_set_client, 'utf8mb4')",
  keepReadable:
    "SET SESSION sql_mode = IF(@@session.sql_mode REGEXP 'ANSI|ORACLE|MSSQL|DB2|MAXDB|POSTGRESQL|MYSQL', @@global.sql_mode, @@session.sql_mode)",
} satisfies ModeStatements;
/** Commands that run or prepare statements; they require the current mode. */
const STATEMENTS: ReadonlySet<number> = new Set([
  COMMAND.query,
  COMMAND.prepare,
  COMMAND.execute,
  COMMAND.initDatabase,
]);
/** Maximum bytes of a statement that may ask about the last one. */
const MAX_ASKED = 1024;
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

type CommandPiece = Piece & { readonly head: PacketHead };

export interface ClientCommandsParts {
  readonly target: Duplex;
  readonly journal: StatementJournal;
  /** Name with which the client signed in, and its requested database. */
  readonly username: string;
  readonly database: string;
  /** True if the session on the server is in read-only mode. */
  readonly isReadOnly: boolean;
  /**
   * Translates a client's `KILL`: replaces our connection id with the server's. Returns a promise
   * only for a connection whose id it must ask for.
   */
  readonly killOf: (statement: string) => string | Promise<string>;
}

/** Handles the commands of a client, one at a time. Each statement is decided before it is sent. */
export class ClientCommands {
  private readonly parts: ClientCommandsParts;
  private readonly exchange: Exchange;
  private readonly streams: RelayStreams;
  private readonly mode: ServerMode;
  private tooLong = false;

  constructor(parts: ClientCommandsParts, exchange: Exchange, streams: RelayStreams) {
    this.parts = parts;
    this.exchange = exchange;
    this.streams = streams;
    this.mode = new ServerMode(MODE, parts.journal, parts.isReadOnly);
  }

  /** Decides how to read a packet, by its header. */
  head({ length, first, isContinued }: PacketHead): Handling {
    if (this.exchange.isCopyingIn) {
      if (length === 0) this.exchange.isCopyingIn = false;
      this.exchange.copying?.add(length);
      return 'pass';
    }
    if (isContinued) return 'drop';
    const isLong = length > MAX_COLLECTED - 1;
    if (first === COMMAND.longData && this.exchange.answers.isComplete && length < FULL_PACKET)
      return 'pass';
    if (!isLong) return 'collect';
    if (!this.exchange.answers.isComplete)
      throw new ProtocolViolation('a command before the last one was answered');
    // Reject now, and skip the rest of the packet.
    if (!this.tooLong) this.refuse(DENIED, this.parts.journal.say('too_long'));
    this.tooLong = false;
    return 'drop';
  }

  /** Handles a command of the client. Returns the bytes for the server, if any. */
  packet(piece: CommandPiece): Outgoing {
    const command = piece.payload[0] ?? 0;
    const { isPending, isUnproven, isUtf8Unproven } = this.mode;
    const mustWait = STATEMENTS.has(command) && (isPending || isUnproven || isUtf8Unproven);
    return this.exchange.answers.isComplete && !mustWait
      ? this.take(piece)
      : this.takeLater(command, piece);
  }

  /** Handles a command after the previous answer, one at a time, and in the mode of the session. */
  private async takeLater(command: number, piece: CommandPiece): Promise<Buffer | undefined> {
    await this.exchange.answered();
    if (!STATEMENTS.has(command)) return this.take(piece);
    if (this.mode.isPending) {
      const text = command === COMMAND.query ? piece.payload.toString('utf8', 1, 101) : '';
      if (this.mode.refuses(text, this.exchange.isInTransaction))
        return this.refuse(DENIED, this.parts.journal.say('read_only'));
      for (const statement of this.mode.missing(this.exchange.isInTransaction))
        await this.run(statement);
    } else if (this.mustProve(piece)) await this.run(this.mode.proof());
    // The text of a prepared statement was read when it was prepared.
    const isText = command !== COMMAND.execute && !this.asksAboutLast(piece);
    const proof = isText ? this.mode.utf8Proof(piece.payload.subarray(1)) : undefined;
    if (proof !== undefined)
      await this.run(proof, this.parts.journal.isReadOnly() ? 'required' : 'optional');
    return this.take(piece);
  }

  /**
   * Returns true if the read-only mode must be set again before a command: a function may have
   * lifted it since. A running transaction keeps its mode. A statement of ours would change what
   * SHOW WARNINGS and ROW_COUNT() tell, so a statement that only asks for that goes first.
   */
  private mustProve(piece: CommandPiece): boolean {
    const { mode, exchange } = this;
    return mode.isUnproven && !exchange.isInTransaction && !this.asksAboutLast(piece);
  }

  private asksAboutLast({ payload }: CommandPiece): boolean {
    const rest = payload.subarray(1);
    const text =
      payload[0] === COMMAND.execute
        ? this.exchange.prepared.get(new BodyReader(rest).uintLE(4))?.text
        : rest.length <= MAX_ASKED && rest.toString('utf8');
    return typeof text === 'string' && this.parts.journal.asksAboutLast(text);
  }

  private take({ payload, bytes }: CommandPiece): Outgoing {
    if (this.streams.isOver) return undefined;
    const { journal } = this.parts;
    const command = payload[0] ?? 0;
    const rest = payload.subarray(1);
    switch (command) {
      case COMMAND.query:
        return whenKnown(journal.decide(rest), (decision) => this.query(decision, rest, bytes));
      case COMMAND.initDatabase:
        return this.decided(command, Buffer.concat([Buffer.from('USE '), rest]), bytes);
      case COMMAND.prepare: {
        if (!this.exchange.prepared.hasRoom) return this.refuse(DENIED, journal.say('too_long'));
        return whenKnown(journal.decide(rest), (decision) => {
          const text = rest.toString('utf8');
          const refusal = decision.refusal ?? this.copyRefusal(text);
          if (refusal !== undefined) return this.refuse(DENIED, refusal);
          this.exchange.begin(command, [], text);
          return bytes;
        });
      }
      case COMMAND.execute: {
        const prepared = this.exchange.prepared.get(new BodyReader(rest).uintLE(4));
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
        this.exchange.prepared.clear();
        this.mode.wasReset();
        return this.begin(command, 'RESET CONNECTION', bytes);
      case COMMAND.changeUser: {
        // Connection pools use it to reset a connection. Another user must sign in with a separate
        // password.
        if (!this.isSameUser(rest)) return this.refuse(UNKNOWN, journal.say('unknown_message'));
        this.exchange.prepared.clear();
        this.mode.wasReset();
        return this.begin(
          COMMAND.resetConnection,
          'RESET CONNECTION',
          packet(0, Buffer.from([COMMAND.resetConnection])),
        );
      }
      case COMMAND.quit:
        this.streams.end('client');
        return undefined;
      default:
        if (!PLAIN.has(command)) return this.refuse(UNKNOWN, journal.say('unknown_message'));
        if (command === COMMAND.closeStatement)
          this.exchange.prepared.remove(new BodyReader(rest).uintLE(4));
        this.exchange.begin(command, [], '');
        return bytes;
    }
  }

  private query(decision: TextDecision, rest: Buffer, bytes: Buffer): Outgoing {
    const text = rest.toString('utf8');
    const refusal = decision.refusal ?? this.copyRefusal(text);
    if (decision.refusal !== undefined || refusal !== undefined)
      return this.refuse(DENIED, refusal ?? '');
    this.noteChanges(decision);
    return whenKnown(this.parts.killOf(text), (sent) => {
      this.mode.ran();
      this.exchange.begin(COMMAND.query, [...decision.statements], text.trim());
      return sent === text ? bytes : packet(0, Buffer.from([COMMAND.query]), Buffer.from(sent));
    });
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

  private decided(command: number, text: Buffer, bytes: Buffer): Outgoing {
    return whenKnown(this.parts.journal.decide(text), (decision) => {
      if (decision.refusal !== undefined) return this.refuse(DENIED, decision.refusal);
      this.noteChanges(decision);
      return this.begin(command, text.toString('utf8'), bytes);
    });
  }

  private noteChanges(decision: Exclude<TextDecision, { readonly refusal: string }>): void {
    if (decision.isCharacterSetUnknown) this.mode.characterSetChanged();
    if (decision.isModeUnknown) this.mode.modeChanged();
  }

  private begin(command: number, statement: string, bytes: Buffer): Buffer {
    this.mode.ran();
    this.exchange.begin(command, [statement], statement);
    return bytes;
  }

  /** Runs our own statement. The client does not see its answer. */
  private async run(
    statement: string,
    result: 'required' | 'optional' = 'required',
  ): Promise<void> {
    if (this.streams.isOver) return;
    this.exchange.isOwn = result;
    this.exchange.answers.begin(COMMAND.query);
    this.parts.target.write(packet(0, Buffer.from([COMMAND.query]), Buffer.from(statement)));
    await this.exchange.answered();
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
}
