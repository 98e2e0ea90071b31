import type { Charset } from '@sallyport/contract';
import { FrameError, type FramePart } from '@sallyport/contract/zmodem/frame-reader.ts';
import { ENDS, type Header, TYPES } from '@sallyport/contract/zmodem/frames.ts';
import { MAX_PATH_BYTES } from '../../../limits.ts';
import type { FileTransfer, FileTransfers } from '../../file-transfers.ts';
import { RunningDigest } from '../../files/partial-file.ts';
import { decodeName } from '../../files/paths.ts';

/** Answers of a receiver that do not change the state of a file. */
const ANSWERS: ReadonlySet<number> = new Set([
  TYPES.ack,
  TYPES.nak,
  TYPES.checksum,
  TYPES.challenge,
  TYPES.complete,
]);
/** Answers of a sender to those. */
const REPLIES: ReadonlySet<number> = new Set([TYPES.ack, TYPES.nak, TYPES.checksum]);

/** Returns the same bytes as a Buffer. */
export const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

export type Side = 'sender' | 'receiver';
export type Frame =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'data'; readonly content: Uint8Array; readonly end: number };

/** A finished file. */
export interface PassedFile {
  readonly name: string;
  readonly size: number;
  readonly isWhole: boolean;
}

export interface ConversationParts {
  readonly operation: 'upload' | 'download';
  readonly charset: Charset;
  readonly log: FileTransfers;
  readonly send: (to: Side, frame: Frame) => void;
  readonly onFile: (file: PassedFile) => void;
}

interface OpenFile {
  readonly name: string;
  readonly transfer: FileTransfer;
  readonly digest: RunningDigest;
  size: number;
}

/**
 * A transfer of files between two programs. It relays frames which the protocol allows now, and
 * rejects all others: a frame counts only if the other side has asked for it.
 */
export class Conversation {
  private readonly parts: ConversationParts;
  private phase: 'starting' | 'ready' | 'offered' | 'sending' | 'sent' | 'skipped' | 'finishing' =
    'starting';
  /** The header whose subpackets follow. */
  private data: 'senderInit' | 'file' | 'data' | undefined;
  private name = '';
  private file: OpenFile | undefined;
  private offset = 0;
  private isFinished = false;

  constructor(parts: ConversationParts) {
    this.parts = parts;
    // The receiver at the target has announced itself with its header.
    if (parts.operation === 'upload') this.phase = 'ready';
  }

  /** True once both sides have finished. */
  get isOver(): boolean {
    return this.isFinished;
  }

  /** Takes a frame of one side. @throws FrameError for one that the protocol does not allow now */
  take(from: Side, part: Exclude<FramePart, { kind: 'cancel' | 'stray' }>): void {
    if (from === 'receiver') {
      if (part.kind !== 'header') throw new FrameError('a receiver sent data');
      this.answer(part.header);
    } else if (part.kind === 'header') this.header(part.header);
    else this.content(part.content, part.end);
  }

  /** Ends the open file as incomplete. */
  end(): void {
    this.close(false);
  }

  private header(header: Header): void {
    const { type, value } = header;
    const { phase } = this;
    this.data = undefined;
    if (type === TYPES.requestInit) {
      this.require(phase === 'starting' || phase === 'ready');
      // The flag of this header asks for commands instead of files.
      this.send('receiver', { ...header, value: 0 });
      return;
    }
    if (type === TYPES.senderInit) {
      this.require(phase === 'ready');
      this.data = 'senderInit';
      return;
    }
    if (type === TYPES.file) {
      this.require(phase === 'ready' || phase === 'offered' || phase === 'skipped');
      this.data = 'file';
    } else if (type === TYPES.data) {
      this.require(phase === 'sending' || phase === 'skipped');
      this.data = 'data';
      this.offset = value;
    } else if (type === TYPES.endOfFile) {
      this.require(phase === 'sending' || phase === 'sent' || phase === 'skipped');
      if (phase === 'sending') this.phase = 'sent';
    } else if (type === TYPES.finish) {
      this.require(phase !== 'starting');
      this.close(false);
      this.phase = 'finishing';
    } else this.require(REPLIES.has(type) && phase !== 'starting');
    this.send('receiver', header);
  }

  private content(content: Uint8Array, end: number): void {
    if (this.data === 'senderInit') {
      // The text that a receiver sends to interrupt us does not pass: we answer for the receiver.
      this.send('sender', { format: 'hexadecimal', type: TYPES.ack, value: 1 });
      return;
    }
    if (this.data === 'file') {
      this.offer(content, end);
      return;
    }
    this.require(this.data === 'data');
    const { file, offset } = this;
    if (file && this.phase === 'sending') {
      if (offset === file.digest.length) file.digest.add(offset, bufferOf(content));
      else file.digest.spoil();
      file.size += content.length;
      file.transfer.add(content.length);
    }
    this.offset += content.length;
    this.parts.send('receiver', { kind: 'data', content, end });
  }

  /** Takes the name of the next file, and passes it without control characters. */
  private offer(content: Uint8Array, end: number): void {
    this.require(end === ENDS.frame || end === ENDS.frameAnswer);
    const length = content.indexOf(0);
    this.require(length > 0 && length <= MAX_PATH_BYTES);
    const clean = content.map((byte, at) =>
      at < length && (byte < 0x20 || byte === 0x7f) ? 0x5f : byte,
    );
    this.name = decodeName(Buffer.from(clean.subarray(0, length)), this.parts.charset);
    this.phase = 'offered';
    this.parts.send('receiver', { kind: 'data', content: clean, end });
  }

  private answer(header: Header): void {
    const { type } = header;
    const { phase, parts } = this;
    if (type === TYPES.init) {
      if (phase === 'sent') this.close(true);
      if (phase === 'starting' || phase === 'sent' || phase === 'skipped') this.phase = 'ready';
    } else if (type === TYPES.position) {
      if (phase === 'offered') this.open();
      if (phase === 'offered' || phase === 'sent') this.phase = 'sending';
    } else if (type === TYPES.skip) {
      if (phase === 'offered') {
        parts.log.refused(parts.operation, this.name, 'file_incomplete');
        parts.onFile({ name: this.name, size: 0, isWhole: false });
      }
      this.close(false);
      if (phase === 'offered' || phase === 'sending' || phase === 'sent') this.phase = 'skipped';
    } else if (type === TYPES.fileError || type === TYPES.abort) {
      this.close(false);
      if (phase !== 'finishing') this.phase = 'skipped';
    } else if (type === TYPES.finish) {
      this.require(phase === 'finishing');
      this.isFinished = true;
    } else this.require(ANSWERS.has(type));
    this.send('sender', header);
  }

  private open(): void {
    const { name, parts } = this;
    this.file = {
      name,
      transfer: parts.log.begin(parts.operation, name),
      digest: new RunningDigest(),
      size: 0,
    };
  }

  private close(isWhole: boolean): void {
    const { file } = this;
    if (!file) return;
    this.file = undefined;
    if (isWhole) file.transfer.end(undefined, file.digest.finish());
    else file.transfer.end('file_incomplete');
    this.parts.onFile({ name: file.name, size: file.size, isWhole });
  }

  private send(to: Side, header: Header): void {
    this.parts.send(to, { kind: 'header', header });
  }

  private require(isAllowed: boolean): void {
    if (!isAllowed) throw new FrameError('a frame at the wrong time');
  }
}
