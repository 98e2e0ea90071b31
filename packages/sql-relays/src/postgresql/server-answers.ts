import type { Duplex } from 'node:stream';
import { BodyReader, ProtocolViolation } from '../byte-reader.ts';
import type { RelayStreams } from '../relay-streams.ts';
import { DENIED, type Exchange, TOO_LONG } from './exchange.ts';
import type { Handling, Piece } from './frames.ts';
import {
  errorResponse,
  isOtherCharacterSet,
  message,
  readColumns,
  readError,
  readRow,
  rowsOf,
  zeroEnded,
} from './messages.ts';
import type { Step } from './pipeline.ts';

/** Messages that a server may send: answers and notifications. */
const ANSWERS = '123CEGHIKNSTWZnstAV';

/** Maximum size of an answer that the relay reads, and of a large object in a function's result. */
const MAX_ANSWER = 1024 * 1024;
export const MAX_OBJECT = 16 * 1024 * 1024;

/** Answers after which we know if a copy starts. */
const SETTLING: ReadonlySet<string> = new Set(['C', 'E', 'G', 'I', 'Z', 's']);
/** Answers to our own statements. */
const OF_OWN: ReadonlySet<string> = new Set(['1', '2', '3', 'C', 'D']);
const IN_TRANSACTION = 'T';
/** SQLSTATE: in_failed_sql_transaction. */
const IN_FAILED = '25P02';

/** Handles the answers of a server: records results and rejects forbidden copies. */
export class ServerAnswers {
  private readonly target: Duplex;
  private readonly exchange: Exchange;
  private readonly streams: RelayStreams;

  constructor(target: Duplex, exchange: Exchange, streams: RelayStreams) {
    this.target = target;
    this.exchange = exchange;
    this.streams = streams;
  }

  /** Decides how to read a message, by its header. */
  header(type: string, length: number): Handling {
    if (type === 'D' && this.exchange.pipeline.head?.isOwn) return 'collect';
    if (type === 'D') return this.exchange.record.countRow(length) ? 'collect' : 'pass';
    if (type === 'd') {
      this.exchange.copies.add(length);
      return this.exchange.copies.isDropped ? 'drop' : 'pass';
    }
    if (type === 'c') return 'collect';
    if (!ANSWERS.includes(type)) throw new ProtocolViolation('an unknown message of a server');
    if (type === 'N' || type === 'A') return 'pass';
    if (length > (type === 'V' ? MAX_OBJECT : MAX_ANSWER))
      throw new ProtocolViolation('an answer is too long');
    return 'collect';
  }

  /** Processes an answer. Returns the bytes for the client, if any. */
  message(piece: Piece & { readonly type: string }): Buffer | undefined {
    const bytes = this.takeAnswer(piece);
    if (SETTLING.has(piece.type)) this.exchange.wake();
    return bytes;
  }

  private takeAnswer({ type, bytes, body }: Piece & { readonly type: string }): Buffer | undefined {
    const { pipeline } = this.exchange;
    if (pipeline.head?.isOwn && OF_OWN.has(type)) {
      if (type === 'D') pipeline.head.onValue?.(readRow(body)[0]);
      return undefined;
    }
    switch (type) {
      case '1':
      case '2':
      case '3':
        pipeline.pop();
        return bytes;
      case 'D':
        this.exchange.record.addRow(readRow(body));
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
        this.exchange.copies.beginOut(this.statement);
        return this.exchange.copies.isDropped ? undefined : bytes;
      case 'c':
        return this.exchange.copies.isDropped ? undefined : bytes;
      case 'V':
        return this.called(body, bytes);
      case 'W':
        throw new ProtocolViolation('replication');
      case 'E':
        return pipeline.head?.isOwn ? this.failedOwn(body) : this.failed(body, bytes);
      case 'S':
        return this.reported(body, bytes);
      case 'Z': {
        const isOwn = pipeline.head?.isOwn === true;
        this.exchange.call = undefined;
        this.exchange.status = body.toString('latin1', 0, 1);
        if (this.exchange.status !== IN_TRANSACTION) this.exchange.objects.closeAll();
        this.exchange.record.settle(pipeline.ready(this.exchange.status));
        this.exchange.record.begin();
        this.exchange.wake();
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

  /** A transaction that failed before our statement takes nothing but its end. */
  private failedOwn(body: Buffer): undefined {
    if (readError(body).code !== IN_FAILED) this.streams.end('target-broke');
  }

  private described(body: Buffer): void {
    const { head } = this.exchange.pipeline;
    if (head?.kind === 'describe') this.exchange.pipeline.pop();
    this.exchange.record.describe(readColumns(body));
  }

  private copyIn(bytes: Buffer): Buffer | undefined {
    const refusal = this.exchange.copies.beginIn(this.statement);
    if (refusal === undefined) {
      this.exchange.pipeline.beginCopyIn();
      return bytes;
    }
    // The server's error ends the copy. The client never learns that the copy started.
    this.target.write(message('f', zeroEnded(refusal)));
    return undefined;
  }

  /** The statement being answered. */
  private get statement(): string {
    const { head } = this.exchange.pipeline;
    return head?.portal?.statement ?? head?.statements?.[0] ?? 'COPY';
  }

  /** Handles the answer to a function call. */
  private called(body: Buffer, bytes: Buffer): Buffer {
    const { call } = this.exchange;
    const { head } = this.exchange.pipeline;
    if (head) head.isRecorded = true;
    if (call && this.exchange.objects.answered(call, body))
      this.exchange.record.finish(call.statement, undefined);
    return bytes;
  }

  /** Handles the end of a statement. */
  private complete(tag: string, bytes: Buffer): Buffer | undefined {
    const { head } = this.exchange.pipeline;
    const rows = rowsOf(tag);
    const refusal = this.exchange.copies.end(true);
    if (head?.kind === 'query') {
      if (head.refusal === undefined) this.exchange.record.finish(nextOf(head), rows, refusal);
    } else if (head?.kind === 'execute') {
      this.exchange.pipeline.pop();
      if (head.portal)
        this.exchange.record.finishPortal(
          head.portal,
          rows === undefined
            ? undefined
            : Math.max(rows, head.portal.rows + this.exchange.record.rows),
          refusal,
        );
      this.exchange.record.begin();
    }
    return refusal === undefined
      ? bytes
      : errorResponse({ severity: 'ERROR', code: DENIED, message: refusal });
  }

  /** Handles a portal that returned only some of its rows. */
  private suspended(): void {
    const { head } = this.exchange.pipeline;
    if (head?.kind !== 'execute') return;
    this.exchange.pipeline.pop();
    if (head.portal) head.portal.rows += this.exchange.record.rows;
    this.exchange.record.begin();
  }

  private failed(body: Buffer, bytes: Buffer): Buffer {
    const wasCopying = this.exchange.pipeline.isCopyingIn;
    const failed = this.exchange.pipeline.fail();
    this.exchange.copies.end(false);
    if (wasCopying) this.exchange.isCopyDropped = true;
    if (failed?.refusal !== undefined) {
      const code = this.exchange.tooLong ? TOO_LONG : DENIED;
      this.exchange.tooLong = false;
      return errorResponse({ severity: 'ERROR', code, message: failed.refusal });
    }
    const { code, message: text } = readError(body);
    const error = `${code} ${text}`;
    if (failed?.kind === 'query') {
      this.exchange.record.finish(nextOf(failed), undefined, error);
      // The server does not run the rest of the text.
      failed.isRecorded = true;
    } else if (failed?.kind === 'execute' && failed.portal)
      this.exchange.record.finishPortal(failed.portal, undefined, error);
    // A statement that fails to prepare was still sent.
    else if ((failed?.kind === 'parse' || failed?.kind === 'bind') && failed.text !== undefined)
      this.exchange.record.finish(failed.text, undefined, error);
    return bytes;
  }
}

/**
 * Returns the statement of a query being answered. Keeps the last one if the server counts more
 * statements than we do.
 */
function nextOf(step: Step): string {
  const { statements = [] } = step;
  step.isRecorded = statements.length <= 1;
  return (statements.length > 1 ? statements.shift() : statements[0]) ?? '';
}
