import type { Duplex } from 'node:stream';
import { BodyReader, ProtocolViolation } from '../byte-reader.ts';
import type { StatementJournal } from '../journal.ts';
import type { RelayStreams } from '../relay-streams.ts';
import { Answers, type Meaning } from './answers.ts';
import { DENIED } from './client-commands.ts';
import type { Exchange } from './exchange.ts';
import type { Handling, PacketHead, Piece } from './packet-frames.ts';
import {
  errorPacket,
  packet,
  readColumnName,
  readErrorPacket,
  readLength,
  readOkPacket,
} from './packets.ts';
import { readTextRow } from './prepared.ts';

/** Maximum size of a row in the recording. */
const SAMPLE_BYTES = 8 * 1024;
/** Maximum packet that the relay reads: everything besides rows. Maximum columns of a result. */
export const MAX_ANSWER = 1024 * 1024;
const MAX_COLUMNS = 4096;
/** Characters of a column name in the recording. */
const MAX_NAME = 200;
/** SERVER_STATUS_IN_TRANS. */
const IN_TRANSACTION = 0x01;

export interface ServerAnswersParts {
  readonly target: Duplex;
  readonly journal: StatementJournal;
}

/** Handles the answers of a server: records results and rejects forbidden file requests. */
export class ServerAnswers {
  private readonly parts: ServerAnswersParts;
  private readonly exchange: Exchange;
  private readonly streams: RelayStreams;
  private meaning: Meaning = 'other';

  constructor(parts: ServerAnswersParts, exchange: Exchange, streams: RelayStreams) {
    this.parts = parts;
    this.exchange = exchange;
    this.streams = streams;
  }

  /** Decides how to read a packet, by its header. */
  head(head: PacketHead): Handling {
    this.exchange.sequence = head.sequence;
    this.meaning = this.exchange.answers.meaningOf(head);
    const isShown =
      this.exchange.hasSampleRoom &&
      head.length <= SAMPLE_BYTES &&
      this.exchange.isQuery &&
      !head.isContinued;
    if (this.meaning === 'row' && !head.isContinued) this.exchange.rows++;
    return Answers.handlingOf(this.meaning, isShown);
  }

  /** Processes an answer. Returns the bytes for the client, if any. */
  packet({ head, payload, bytes }: Piece & { readonly head: PacketHead }): Buffer | undefined {
    const { meaning, exchange } = this;
    const { answers } = exchange;
    if (exchange.isOwn) return this.ownAnswer(payload);
    const reader = new BodyReader(payload);
    switch (meaning) {
      case 'row':
        exchange.sample.push(readTextRow(reader));
        return bytes;
      case 'column':
        if (exchange.isQuery) exchange.columns.push(readColumnName(payload).slice(0, MAX_NAME));
        answers.took(meaning, {});
        return bytes;
      case 'count': {
        const count = readLength(reader) ?? 0;
        if (count > MAX_COLUMNS) throw new ProtocolViolation('too many columns');
        answers.took(meaning, { count });
        return bytes;
      }
      case 'prepared': {
        reader.uint8();
        const id = reader.uintLE(4);
        const columns = reader.uintLE(2);
        const parameters = reader.uintLE(2);
        exchange.keepPrepared(id, parameters);
        answers.took(meaning, { parameters, columns });
        break;
      }
      case 'ok': {
        const { rows, status } = readOkPacket(payload);
        exchange.isInTransaction = (status & IN_TRANSACTION) !== 0;
        answers.took(meaning, { status });
        exchange.record(rows);
        break;
      }
      case 'end': {
        reader.bytes(3);
        const status = reader.uintLE(2);
        exchange.isInTransaction = (status & IN_TRANSACTION) !== 0;
        answers.took(meaning, { status });
        exchange.record(exchange.rows);
        break;
      }
      case 'error': {
        const { code, message } = readErrorPacket(payload);
        answers.took(meaning, {});
        exchange.record(undefined, `${code} ${message}`);
        break;
      }
      case 'local-file':
        return this.localFile(head, payload, bytes);
      default:
        // End of columns; its status tells if a cursor was opened.
        answers.took(meaning, {
          status: payload[0] === 0xfe && payload.length >= 5 ? payload.readUInt16LE(3) : 0,
        });
        // The rows of a cursor are answers to other commands, which have no text.
        if (answers.isComplete && exchange.runsStatement) exchange.record(undefined);
    }
    const isDropped = exchange.refusal !== undefined;
    if (answers.isComplete) exchange.settled();
    return isDropped ? undefined : bytes;
  }

  /**
   * Handles the answer to our own statement. Ends the session if the server rejects it, unless it
   * is a proof of the character set in a session that may write: servers that resemble MySQL do
   * not know it.
   */
  private ownAnswer(payload: Buffer): undefined {
    const { exchange, meaning } = this;
    const mayFail = exchange.isOwn === 'optional' && meaning === 'error';
    exchange.isOwn = false;
    if (meaning !== 'ok' && !mayFail) {
      this.streams.end('target-broke');
      return;
    }
    exchange.answers.took(meaning, mayFail ? {} : { status: readOkPacket(payload).status });
    exchange.settled();
  }

  /** Handles `LOAD DATA LOCAL`: the server requests a file from the client. */
  private localFile({ sequence }: PacketHead, payload: Buffer, bytes: Buffer): Buffer | undefined {
    const { journal, target } = this.parts;
    const name = payload.subarray(1).toString('utf8');
    this.exchange.answers.took('local-file', {});
    if (journal.mayUpload()) {
      this.exchange.copying = journal.transfer('upload', name);
      this.exchange.isCopyingIn = true;
      this.exchange.wake();
      return bytes;
    }
    // For the server, an empty packet ends the file.
    this.exchange.refusal = journal.refuseTransfer('upload', name);
    target.write(packet(sequence + 1));
    return errorPacket(sequence, DENIED, '42000', this.exchange.refusal);
  }
}
