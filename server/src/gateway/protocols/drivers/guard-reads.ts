import type { Duplex } from 'node:stream';
import { ProtocolViolation } from '@sallyport/sql-relays';
import type { TargetEnd } from '../target-end.ts';

/** The server exceeded a limit of size, as opposed to breaking its protocol. */
export class Flood extends ProtocolViolation {}

/** Returns the end of a target by the error of its stream. */
export function endOfError(error: unknown): TargetEnd {
  if (error instanceof Flood) return 'flooded';
  return error instanceof ProtocolViolation ? 'broke' : 'lost';
}

/** Checks the bytes of a server before its driver reads them. */
export interface ReadCheck {
  /** Returns the checked bytes for the driver. @throws ProtocolViolation */
  check(chunk: Buffer): Iterable<Buffer>;
}

/**
 * Checks everything that a driver reads from a stream. The drivers trust their server: they
 * allocate and loop as it says, and their errors in a `data` listener would end this process. The
 * stream is destroyed with the first violation, or with the first error of the driver.
 */
export function guardReads(stream: Duplex, guard: ReadCheck): void {
  const emit = stream.emit.bind(stream);
  stream.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    const [chunk] = values;
    if (event !== 'data' || !Buffer.isBuffer(chunk)) return emit(event, ...values);
    if (stream.destroyed) return false;
    try {
      for (const bytes of joined(guard.check(chunk))) {
        if (stream.destroyed) return false;
        emit('data', bytes);
      }
    } catch (error) {
      stream.destroy(
        error instanceof ProtocolViolation ? error : new ProtocolViolation('an unreadable answer'),
      );
    }
    return true;
  };
}

/** Ends the checks, before TLS reads from the stream. */
export function releaseReads(stream: Duplex): void {
  Reflect.deleteProperty(stream, 'emit');
}

/** Joins neighbours of one read: each piece costs the driver time. */
function* joined(pieces: Iterable<Buffer>): Generator<Buffer> {
  let last: Buffer | undefined;
  for (const piece of pieces) {
    if (last?.buffer === piece.buffer && last.byteOffset + last.length === piece.byteOffset)
      last = Buffer.from(piece.buffer, last.byteOffset, last.length + piece.length);
    else {
      if (last) yield last;
      last = piece;
    }
  }
  if (last) yield last;
}
