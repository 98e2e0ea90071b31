import {
  BodyReader,
  COMMAND,
  FULL_PACKET,
  MysqlAnswers,
  type MysqlPacketHead,
  PacketFrames,
  ProtocolViolation,
  readCounted,
  readErrorPacket,
  readLength,
  readOkPacket,
} from '@sallyport/sql-relays';
import { MAX_DATABASE_MESSAGE, MAX_RESULT_COLUMNS, MAX_STATEMENTS } from '../../limits.ts';
import { MAX_ROW } from './driver.ts';
import { Flood, type ReadCheck } from './guard-reads.ts';

/** Maximum packets and bytes of a packet of a sign-in. */
const MAX_STEPS = 16;
const MAX_STEP = 64 * 1024;
const HEADER = 4;
const ERROR = 0xff;
/** A column definition: texts, and bytes after them. */
const DEFINITION_TEXTS = 6;
const DEFINITION_REST = 12;

/** The server ends an idle connection, and says why. */
export class EndAnnounced extends ProtocolViolation {
  readonly answer: ReturnType<typeof readErrorPacket>;

  constructor(answer: ReturnType<typeof readErrorPacket>) {
    super('the server ends the connection');
    this.answer = answer;
  }
}

/**
 * Checks the packets of a MySQL server: their order (MySQL, "Command Phase"), sequence numbers and
 * lengths. The driver reads most fields without a check.
 */
export class MysqlGuard implements ReadCheck {
  private readonly answers = new MysqlAnswers();
  private readonly frames = new PacketFrames((head) => this.head(head), FULL_PACKET);
  /** Returns the sequence number that the driver expects. */
  private readonly expected: () => number;
  private isSignedIn = false;
  /** The packet is an error without a command. */
  private isAnnounced = false;
  private steps = 0;
  private sequence = -1;
  private meaning: ReturnType<MysqlAnswers['meaningOf']> = 'other';
  private columns = 0;
  private rowBytes = 0;
  /** Results of the current answer, and its bytes besides rows. */
  private results = 0;
  private bytes = 0;

  constructor(expected: () => number) {
    this.expected = expected;
  }

  /** Call it before each query. */
  expectAnswer(): void {
    this.answers.begin(COMMAND.query);
    this.results = 0;
    this.bytes = 0;
  }

  *check(chunk: Buffer): Generator<Buffer> {
    for (const { head, bytes, ...piece } of this.frames.split(chunk)) {
      if (head && 'payload' in piece) this.packet(piece.payload);
      yield bytes;
    }
  }

  private head(head: MysqlPacketHead): 'pass' | 'collect' {
    const { length, sequence, first, isContinued } = head;
    this.isAnnounced = this.isSignedIn && this.answers.isComplete && first === ERROR;
    const isBegin = this.isAnnounced && sequence === 0;
    if (!isBegin && sequence !== ((this.sequence + 1) & 0xff) && sequence !== this.expected())
      throw new ProtocolViolation('a packet out of order');
    this.sequence = sequence;
    if (!this.isSignedIn) {
      this.steps += 1;
      if (this.steps > MAX_STEPS || length > MAX_STEP) throw new Flood('a long sign-in');
      this.isSignedIn = first === 0;
      return 'pass';
    }
    this.meaning = this.answers.meaningOf(head);
    if (this.meaning === 'row') {
      this.rowBytes = isContinued ? this.rowBytes + length : length;
      if (this.rowBytes > MAX_ROW) throw new Flood('a row is too long');
      // The driver reports a wrong length on the console, for each row.
      return isContinued || length === FULL_PACKET ? 'pass' : 'collect';
    }
    this.bytes += HEADER + length;
    if (this.bytes > MAX_DATABASE_MESSAGE) throw new Flood('an answer is too long');
    return 'collect';
  }

  private packet(payload: Buffer): void {
    if (this.isAnnounced) throw new EndAnnounced(readErrorPacket(payload));
    const { answers, meaning } = this;
    const reader = new BodyReader(payload);
    switch (meaning) {
      case 'count': {
        const count = readLength(reader) ?? 0;
        if (count > MAX_RESULT_COLUMNS) throw new Flood('too many columns');
        this.countResult();
        this.columns = count;
        answers.took(meaning, { count });
        return;
      }
      case 'column':
        for (let part = 0; part < DEFINITION_TEXTS; part++) readCounted(reader);
        reader.bytes(DEFINITION_REST);
        answers.took(meaning, {});
        return;
      case 'row':
        for (let column = 0; column < this.columns; column++) readCounted(reader);
        return;
      case 'ok':
        this.countResult();
        answers.took(meaning, { status: readOkPacket(payload).status });
        return;
      case 'end':
        reader.bytes(3);
        answers.took(meaning, { status: reader.uintLE(2) });
        return;
      case 'other':
        // Reading this driver opens no cursor.
        answers.took(meaning, {});
        return;
      default:
        answers.took(meaning, {});
    }
  }

  private countResult(): void {
    this.results += 1;
    if (this.results > MAX_STATEMENTS) throw new Flood('too many results');
  }
}
