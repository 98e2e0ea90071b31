import { greetingReaderOf, protocolOf } from './internals.ts';
import type { Client } from './ssh2.ts';

/** Maximum bytes before the end of a server's identification. */
const MAX_GREETING = 64 * 1024;

/**
 * Collects the identification of a server, and the lines before it, until they are complete. ssh2
 * 1.17 forgets all pieces between the first and the last: the key exchange then fails, and its
 * limits of lines do not hold. Call it after `connect`.
 */
export function readWholeGreeting(client: Client): void {
  const reader = greetingReaderOf(protocolOf(client));
  const parse = reader._parse;
  let held: Buffer = Buffer.alloc(0);
  const parseWhole = (chunk: Buffer, at: number, end: number): number => {
    const data = Buffer.concat([held, chunk.subarray(at, end)]);
    reader._buffer = undefined;
    const used = parse.call(reader, data, 0, data.length);
    // ssh2 has replaced this function when the identification was complete.
    if (reader._parse !== parseWhole) return end - (data.length - used);
    if (data.length > MAX_GREETING) throw new Error('the greeting is too long');
    held = data;
    return end;
  };
  reader._parse = parseWhole;
}
