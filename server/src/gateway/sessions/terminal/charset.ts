import type { Charset } from '@sallyport/contract';
import { textDecoder, textEncoder } from '../../charsets.ts';

/** Converts between the charset of a target and UTF-8, which gateway and browser use. */
export interface Transcoder {
  /**
   * Target charset → UTF-8. Keeps a character that a chunk splits until its remaining bytes arrive.
   */
  fromTarget(chunk: Buffer): Buffer;
  /** UTF-8 → target charset. */
  toTarget(chunk: Buffer): Buffer;
}

/** Creates a transcoder; UTF-8 passes unchanged. */
export function createTranscoder(charset: Charset): Transcoder {
  if (charset === 'utf8') return { fromTarget: (chunk) => chunk, toTarget: (chunk) => chunk };
  const decode = textDecoder(charset);
  const encode = textEncoder(charset);
  const typed = textDecoder('utf8');
  return {
    fromTarget: (chunk) => Buffer.from(decode(chunk)),
    toTarget: (chunk) => encode(typed(chunk)),
  };
}
