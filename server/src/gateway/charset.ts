/** Converts between the charset of a target and UTF-8, which is what the rest of the gateway and the browser speak. */
export interface Transcoder {
  /** Bytes of the target → UTF-8. Characters that are split over chunks wait for their rest. */
  fromTarget(chunk: Buffer): Buffer;
  /** UTF-8 of the person → bytes of the target. */
  toTarget(chunk: Buffer): Buffer;
}

/** The transcoder of a charset; UTF-8 passes untouched. */
export function createTranscoder(charset: 'utf8' | 'gbk'): Transcoder {
  if (charset === 'utf8') return { fromTarget: (chunk) => chunk, toTarget: (chunk) => chunk };
  const decoder = new TextDecoder('gbk');
  const typed = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    fromTarget: (chunk) => Buffer.from(decoder.decode(chunk, { stream: true })),
    toTarget: (chunk) => encodeGbk(typed.decode(chunk, { stream: true })),
  };
}

/** The platform decodes GBK and does not encode it, so the way back is made once from the way there. */
let table: ReadonlyMap<string, number> | undefined;

function gbkTable(): ReadonlyMap<string, number> {
  if (table) return table;
  const decoder = new TextDecoder('gbk');
  const built = new Map<string, number>();
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      if (trail === 0x7f) continue;
      const text = decoder.decode(Uint8Array.of(lead, trail));
      if (text.length === 1 && text !== '\ufffd' && !built.has(text)) built.set(text, (lead << 8) | trail);
    }
  }
  table = built;
  return built;
}

function encodeGbk(text: string): Buffer {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0x3f;
    if (code < 0x80) {
      bytes.push(code);
      continue;
    }
    const pair = gbkTable().get(character);
    if (pair === undefined) bytes.push(0x3f);
    else bytes.push(pair >> 8, pair & 0xff);
  }
  return Buffer.from(bytes);
}
