import {
  BodyReader,
  Frames,
  type Handling,
  isOtherCharacterSet,
  PlainPassword,
  ProtocolViolation,
  UnknownSignIn,
} from '@sallyport/sql-relays';
import {
  MAX_DATABASE_MESSAGE,
  MAX_RESULT_BYTES,
  MAX_RESULT_COLUMNS,
  MAX_SIGN_IN_STEPS,
} from '../../limits.ts';
import { MAX_ROW } from './driver.ts';
import { Flood, type ReadCheck } from './guard-reads.ts';

/** Dropped at any length, because the driver ignores them: notices, notifications, copied data. */
const IGNORED = 'NAd';
/** The only messages before the server has accepted the account. */
const SIGN_IN = 'RE';
const GREETING = 'RESKZ';
const ANSWERS = 'RESKZTtDCIGHcns123';
/** Kind of authentication that asks for the password in plain text. */
const PLAIN = 3;
/** Kinds of authentication that the driver knows: accepted, plain text, MD5 and SCRAM. */
const KINDS: ReadonlySet<number> = new Set([0, PLAIN, 5, 10, 11, 12]);

/** The driver asks for the description of the statement and of the portal. */
const MAX_DESCRIPTIONS = 2;

/**
 * Checks the messages of a PostgreSQL server: their order as far as the driver depends on it, their
 * lengths, and all fields (PostgreSQL, "Message Formats").
 */
export class PostgresGuard implements ReadCheck {
  /** Requests that the server has not answered; the sign-in is the first. */
  private pending = 1;
  private isAccepted = false;
  private isGreeted = false;
  private steps = 0;
  /** Bytes of the sign-in, or since the last message that the driver uses. */
  private bytes = 0;
  /** The parts of the current answer: descriptions, and one end of the statement. */
  private descriptions = 0;
  private ends = 0;
  private readonly frames = new Frames({
    onHeader: (type, length) => this.header(type, length),
    maxCollected: MAX_ROW,
    maxPassed: Number.POSITIVE_INFINITY,
  });

  private readonly hasTls: boolean;

  constructor({ hasTls }: { readonly hasTls: boolean }) {
    this.hasTls = hasTls;
  }

  /** Call it before each request: the server may answer once more. */
  expectAnswer(): void {
    this.pending += 1;
  }

  *check(chunk: Buffer): Generator<Buffer> {
    this.bytes += chunk.length;
    if (this.bytes > (this.isGreeted ? MAX_RESULT_BYTES : MAX_DATABASE_MESSAGE))
      throw new Flood('too many ignored messages');
    for (const piece of this.frames.split(chunk)) {
      if (piece.type === undefined) continue;
      this.message(piece.type, new BodyReader(piece.body));
      if (this.isGreeted) this.bytes = 0;
      yield piece.bytes;
    }
  }

  private header(type: string, length: number): Handling {
    if (IGNORED.includes(type)) return 'drop';
    const allowed = this.isGreeted ? ANSWERS : this.isAccepted ? GREETING : SIGN_IN;
    if (!allowed.includes(type)) throw new ProtocolViolation('an unexpected message');
    if (length > (type === 'D' ? MAX_ROW : MAX_DATABASE_MESSAGE))
      throw new Flood('a message is too long');
    return 'collect';
  }

  private message(type: string, body: BodyReader): void {
    // Settings and errors, such as that of a shutdown, need no request.
    if (this.pending === 0 && type !== 'S' && type !== 'E')
      throw new ProtocolViolation('an answer without a request');
    switch (type) {
      case 'R':
        this.authentication(body);
        break;
      case 'S':
        this.setting(body);
        break;
      case 'K':
        body.bytes(8);
        break;
      case 'E':
        this.error(body);
        break;
      case 'Z':
        this.ready(body);
        break;
      case 'T':
        this.descriptions += 1;
        this.description(body);
        break;
      case 't':
        body.bytes(columnCount(body) * 4);
        break;
      case 'D':
        this.row(body);
        break;
      case 'C':
        body.zeroEnded();
        this.end();
        break;
      case 'G':
      case 'H':
        body.uint8();
        body.bytes(columnCount(body) * 2);
        break;
      case 'I':
      case 's':
        this.end();
        break;
      default:
    }
  }

  private authentication(body: BodyReader): void {
    const kind = body.int32();
    if (!KINDS.has(kind)) throw new UnknownSignIn();
    if (kind === PLAIN && !this.hasTls) throw new PlainPassword();
    if (this.isAccepted) throw new ProtocolViolation('a second sign-in');
    this.countStep();
    if (kind === 0) this.isAccepted = true;
    else if (kind === 5) body.bytes(4);
    else if (kind === 10) while (body.text() !== '');
  }

  /** A function of the database may change how the server reads the bytes of a statement. */
  private setting(body: BodyReader): void {
    this.countStep();
    if (isOtherCharacterSet(body.rest()))
      throw new ProtocolViolation('another character set than UTF-8');
  }

  /** Limits the messages of a sign-in, and of settings within one answer. */
  private countStep(): void {
    this.steps += 1;
    if (this.steps > MAX_SIGN_IN_STEPS) throw new Flood('too many messages');
  }

  private error(body: BodyReader): void {
    while (body.uint8() !== 0) body.zeroEnded();
    this.end();
  }

  private ready(body: BodyReader): void {
    if (!'ITE'.includes(body.bytes(1).toString('latin1')))
      throw new ProtocolViolation('an unknown state');
    this.isGreeted = true;
    this.pending -= 1;
    this.steps = 0;
    this.descriptions = 0;
    this.ends = 0;
  }

  private description(body: BodyReader): void {
    const count = columnCount(body);
    if (this.descriptions > MAX_DESCRIPTIONS || this.ends > 0)
      throw new ProtocolViolation('a second result');
    for (let at = 0; at < count; at++) {
      body.zeroEnded();
      body.bytes(18);
    }
  }

  private row(body: BodyReader): void {
    if (this.descriptions === 0 || this.ends > 0) throw new ProtocolViolation('an unexpected row');
    const count = columnCount(body);
    for (let at = 0; at < count; at++) {
      const length = body.int32();
      if (length !== -1) body.bytes(length);
    }
  }

  /** A statement ends once. A failed commit may follow its completion with an error. */
  private end(): void {
    this.ends += 1;
    if (this.ends > 2) throw new ProtocolViolation('an answer without an end');
  }
}

function columnCount(body: BodyReader): number {
  const count = body.uint16();
  if (count > MAX_RESULT_COLUMNS) throw new Flood('too many columns');
  return count;
}
