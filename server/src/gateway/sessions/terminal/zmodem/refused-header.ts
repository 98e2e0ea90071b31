import { FrameError, FrameReader } from '@sallyport/contract/zmodem/frame-reader.ts';
import { ZMODEM_QUIET_MS } from '../../../limits.ts';
import { withoutHeaders } from './header-scan.ts';
import { Quiet } from './quiet.ts';
import type { Operation } from './transfer.ts';

/** Maximum output of a header and its repetitions. */
const MAX_HEADERS = 1024;

interface RefusedHeaderEvents {
  /** The header was text, here readable. */
  readonly text: (output: Buffer) => void;
  /** Nothing has followed: a program waits for the client. */
  readonly waits: (operation: Operation) => void;
}

/**
 * A header of a user who may not transfer files. The client never gets it. A program that waits is
 * silent after its header; text is not.
 */
export class RefusedHeader {
  private readonly operation: Operation;
  private readonly events: RefusedHeaderEvents;
  private readonly quiet: Quiet;
  private output: Buffer = Buffer.alloc(0);

  constructor(operation: Operation, events: RefusedHeaderEvents) {
    this.operation = operation;
    this.events = events;
    this.quiet = new Quiet(ZMODEM_QUIET_MS, () => this.events.waits(this.operation));
    this.quiet.begin();
  }

  push(output: Buffer): void {
    this.output = Buffer.concat([this.output, output]);
    if (this.output.length <= MAX_HEADERS && isHeaders(this.output)) return;
    this.end();
  }

  /** The output is text: other text follows, or the session ends. */
  end(): void {
    this.quiet.stop();
    this.events.text(withoutHeaders(this.output));
  }
}

/** Returns true if bytes are headers, or the beginning of one. */
function isHeaders(bytes: Buffer): boolean {
  const reader = new FrameReader();
  reader.feed(bytes);
  try {
    let part = reader.next();
    while (part?.kind === 'header') part = reader.next();
    return part === undefined;
  } catch (error) {
    if (error instanceof FrameError) return false;
    throw error;
  }
}
