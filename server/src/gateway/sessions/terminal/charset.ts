import iconv from 'iconv-lite';

/** Converts between the charset of a target and UTF-8, which is what the rest of the gateway and the browser speak. */
export interface Transcoder {
  /** Bytes of the target → UTF-8. Characters that are split over chunks wait for their rest. */
  fromTarget(chunk: Buffer): Buffer;
  /** UTF-8 of the person → bytes of the target. */
  toTarget(chunk: Buffer): Buffer;
}

/**
 * The transcoder of a charset; UTF-8 passes untouched. A GBK target is read and answered in GB18030, which contains GBK and writes the rest of
 * Unicode in four bytes.
 */
export function createTranscoder(charset: 'utf8' | 'gbk'): Transcoder {
  if (charset === 'utf8') return { fromTarget: (chunk) => chunk, toTarget: (chunk) => chunk };
  // Decoding is the platform's: it is faster, and the package loses half of a character of four bytes that is split over chunks.
  const decoder = new TextDecoder('gb18030', { ignoreBOM: true });
  const encoder = iconv.getEncoder('gb18030');
  const typed = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    fromTarget: (chunk) => Buffer.from(decoder.decode(chunk, { stream: true })),
    toTarget: (chunk) => encoder.write(typed.decode(chunk, { stream: true })),
  };
}
