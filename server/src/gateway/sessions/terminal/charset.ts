import iconv from 'iconv-lite';

/** Converts between the charset of a target and UTF-8, which gateway and browser use. */
export interface Transcoder {
  /**
   * Target charset → UTF-8. Keeps a character that a chunk splits until its remaining bytes arrive.
   */
  fromTarget(chunk: Buffer): Buffer;
  /** UTF-8 → target charset. */
  toTarget(chunk: Buffer): Buffer;
}

/**
 * Creates a transcoder; UTF-8 passes unchanged. For GBK we use GB18030, a superset that encodes the
 * rest of Unicode in four bytes.
 */
export function createTranscoder(charset: 'utf8' | 'gbk'): Transcoder {
  if (charset === 'utf8') return { fromTarget: (chunk) => chunk, toTarget: (chunk) => chunk };
  // Decode with the platform: iconv-lite is slower and loses half of a four-byte character that
  // chunks split.
  const decoder = new TextDecoder('gb18030', { ignoreBOM: true });
  const encoder = iconv.getEncoder('gb18030');
  const typed = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    fromTarget: (chunk) => Buffer.from(decoder.decode(chunk, { stream: true })),
    toTarget: (chunk) => encoder.write(typed.decode(chunk, { stream: true })),
  };
}
