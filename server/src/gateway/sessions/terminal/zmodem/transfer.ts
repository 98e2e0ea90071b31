import { FrameError, FrameReader } from '@sallyport/contract/zmodem/frame-reader.ts';
import { encodeData, encodeHeader, OVER_AND_OUT } from '@sallyport/contract/zmodem/frames.ts';
import { bufferOf, Conversation, type ConversationParts, type Frame } from './conversation.ts';

export type Operation = ConversationParts['operation'];
export type End = 'target' | 'client';

export interface TransferParts extends Omit<ConversationParts, 'send'> {
  readonly toTarget: (bytes: Buffer) => void;
  readonly toClient: (bytes: Buffer) => void;
}

/** The reason for which a transfer has no more frames, with the bytes that follow. */
export interface Stopped {
  readonly why: 'finished' | 'stray' | 'cancel' | 'broken';
  readonly rest: Buffer;
}

/**
 * Parses the frames of both ends and encodes them again for the other end. Frames for the target
 * have no control character except the escape.
 */
export class Transfer {
  readonly operation: Operation;
  private readonly parts: TransferParts;
  private readonly talk: Conversation;
  private readonly readers: Record<End, FrameReader> = {
    target: new FrameReader(),
    client: new FrameReader(),
  };
  private readonly waiting: Record<End, Uint8Array[]> = { target: [], client: [] };

  constructor(parts: TransferParts) {
    this.parts = parts;
    this.operation = parts.operation;
    this.talk = new Conversation({
      ...parts,
      send: (to, frame) => this.put(this.endOf(to), frame),
    });
  }

  /** Encodes a frame for one end. It waits for `flush`. */
  put(to: End, frame: Frame): void {
    if (frame.kind === 'data') {
      const { is32 } = this.readers[to === 'target' ? 'client' : 'target'];
      this.waiting[to].push(encodeData(frame.content, frame.end, is32));
      return;
    }
    const { header } = frame;
    const isEncodedAgain = to === 'target' && header.format === 'hexadecimal';
    this.waiting[to].push(
      encodeHeader(isEncodedAgain ? { ...header, format: 'binary16' } : header),
    );
  }

  /**
   * Reads frames of one end. Returns undefined if more may follow. `mayRelay` is asked before each
   * frame.
   */
  read(from: End, bytes: Buffer, mayRelay: () => boolean): Stopped | undefined {
    const reader = this.readers[from];
    const role = this.endOf('sender') === from ? 'sender' : 'receiver';
    reader.feed(bytes);
    try {
      for (let part = reader.next(); part; part = reader.next()) {
        if (part.kind === 'stray' || part.kind === 'cancel')
          return { why: part.kind, rest: bufferOf(reader.rest()) };
        if (!mayRelay()) return { why: 'broken', rest: Buffer.alloc(0) };
        this.talk.take(role, part);
        if (this.talk.isOver) {
          this.waiting[this.endOf('receiver')].push(OVER_AND_OUT);
          return { why: 'finished', rest: bufferOf(reader.rest()) };
        }
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      return { why: 'broken', rest: Buffer.alloc(0) };
    }
    return undefined;
  }

  /** Drops frames of the target. Returns the output after them, once it belongs to no frame. */
  drain(output: Buffer): Buffer | undefined {
    const reader = this.readers.target;
    reader.feed(output);
    try {
      for (let part = reader.next(); part; part = reader.next())
        if (part.kind === 'stray' || part.kind === 'cancel') return bufferOf(reader.rest());
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
    }
    return undefined;
  }

  flush(): void {
    const { target, client } = this.waiting;
    if (target.length > 0) this.parts.toTarget(Buffer.concat(target.splice(0)));
    if (client.length > 0) this.parts.toClient(Buffer.concat(client.splice(0)));
  }

  /** Drops waiting frames, and ends the open file as incomplete. */
  end(): void {
    this.waiting.target = [];
    this.waiting.client = [];
    this.talk.end();
  }

  private endOf(role: 'sender' | 'receiver'): End {
    return (this.operation === 'upload') === (role === 'receiver') ? 'target' : 'client';
  }
}
