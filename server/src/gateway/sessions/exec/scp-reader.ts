import { createHash, type Hash } from 'node:crypto';

/** Maximum length of a protocol line: a record with a name, or an error message. */
const MAX_LINE = 8192;
const MAX_DEPTH = 128;
const NEWLINE = 0x0a;
const OK = 0;
const FATAL = 2;

/** A file that was transferred, or rejected by either side. */
export interface ScpFile {
  /** Enclosing folders, then the file name. */
  readonly names: readonly string[];
  readonly size: number;
  /** SHA-256 of the content in lowercase hex; absent if incomplete. */
  readonly sha256: string | undefined;
  readonly isWhole: boolean;
}

interface Sent {
  readonly names: readonly string[];
  readonly size: number;
  readonly hash: Hash;
  passed: number;
}

/**
 * Invalid scp data, or a side that did not wait for its peer. The rest of the stream is unreadable.
 */
export class ScpError extends Error {}

/**
 * Parses both streams of the scp protocol (`scp -t` and `scp -f`, used by default before OpenSSH
 * 9). The sender sends records, files and folders, and waits for an answer of the receiver after
 * each.
 */
export class ScpReader {
  private readonly onFile: (file: ScpFile) => void;
  private readonly folders: string[] = [];
  private line: number[] = [];
  private answerLine = 0;
  private answer: number | undefined;
  private state: 'record' | 'accepted?' | 'data' | 'sent' | 'kept?' = 'record';
  private file: Sent | undefined;
  private isFolderAsked = false;

  constructor(onFile: (file: ScpFile) => void) {
    this.onFile = onFile;
  }

  /** Parses bytes of the sending side. @throws ScpError */
  fromSender(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.state === 'data' && this.file) {
        const { file } = this;
        const piece = chunk.subarray(at, at + file.size - file.passed);
        file.hash.update(piece);
        file.passed += piece.length;
        at += piece.length;
        if (file.passed === file.size) this.state = 'sent';
        continue;
      }
      const byte = chunk[at] ?? 0;
      at += 1;
      if (this.state === 'accepted?' || this.state === 'kept?')
        throw new ScpError('the sender did not wait');
      if (this.state === 'sent' && this.line.length === 0 && byte === OK) this.state = 'kept?';
      else this.record(byte);
    }
  }

  /** Parses bytes of the receiving side. @throws ScpError */
  fromReceiver(chunk: Buffer): void {
    for (const byte of chunk) {
      if (this.answer === undefined) {
        if (byte > FATAL) throw new ScpError('no answer');
        if (byte === OK) this.answered(true);
        else this.answer = byte;
      } else if (byte === NEWLINE) {
        this.answer = undefined;
        this.answerLine = 0;
        this.answered(false);
      } else if (++this.answerLine > MAX_LINE) throw new ScpError('a long answer');
    }
  }

  /** Ends the streams; an open file is incomplete. */
  end(): void {
    if (this.file) this.done(false);
  }

  private record(byte: number): void {
    if (byte !== NEWLINE) {
      if (this.line.push(byte) > MAX_LINE) throw new ScpError('a long record');
      return;
    }
    const text = Buffer.from(this.line);
    this.line = [];
    const first = text[0] ?? 0;
    // A message instead of the end marker: the sender could not read the whole file.
    if (this.state === 'sent') {
      this.done(false);
      this.state = 'record';
      return;
    }
    // Messages and times do not belong to a file.
    if (first === 1 || first === FATAL || first === 0x54) return;
    if (first === 0x45) {
      this.folders.pop();
      return;
    }
    const [, kind, digits = '', name = ''] =
      /^([CD])[0-7]{4,5} (\d{1,16}) ([\s\S]+)$/.exec(text.toString('utf8')) ?? [];
    if (!kind) throw new ScpError('no record');
    if (kind === 'D') {
      if (this.folders.push(name) > MAX_DEPTH) throw new ScpError('too deep');
      this.isFolderAsked = true;
      return;
    }
    this.file = {
      names: [...this.folders, name],
      size: Number(digits),
      hash: createHash('sha256'),
      passed: 0,
    };
    this.state = 'accepted?';
  }

  private answered(isFine: boolean): void {
    if (this.state === 'accepted?') {
      if (!isFine) this.done(false);
      this.state = isFine ? (this.file?.size === 0 ? 'sent' : 'data') : 'record';
    } else if (this.state === 'kept?') {
      this.done(isFine);
      this.state = 'record';
    } else if (this.isFolderAsked) {
      this.isFolderAsked = false;
      if (!isFine) this.folders.pop();
    }
  }

  private done(isWhole: boolean): void {
    const { file } = this;
    if (!file) return;
    this.file = undefined;
    this.onFile({
      names: file.names,
      size: file.passed,
      sha256: isWhole ? file.hash.digest('hex') : undefined,
      isWhole,
    });
  }
}
