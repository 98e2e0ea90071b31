import { isAscii } from 'node:buffer';

export interface CastHeader {
  readonly cols: number;
  readonly rows: number;
  readonly startedAt: Date;
  readonly title: string;
}

/** Encodes terminal events as lines of asciicast v2. Chunks may split characters anywhere. */
export class CastEncoder {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** True if the decoder may hold the first bytes of a character. */
  private midCharacter = false;

  header(header: CastHeader): string {
    const { cols: width, rows: height, startedAt, title } = header;
    const timestamp = Math.floor(startedAt.getTime() / 1000);
    const env = { TERM: 'xterm-256color' };
    return `${JSON.stringify({ version: 2, width, height, timestamp, title, env })}\n`;
  }

  /** Returns an output line, or an empty string if the chunk has only part of a character. */
  output(seconds: number, chunk: Buffer): string {
    const text = this.decode(chunk);
    return text === '' ? '' : `[${stamp(seconds)}, "o", ${JSON.stringify(text)}]\n`;
  }

  resize(seconds: number, cols: number, rows: number): string {
    return `[${stamp(seconds)}, "r", "${cols}x${rows}"]\n`;
  }

  marker(seconds: number, label: string): string {
    return `[${stamp(seconds)}, "m", ${JSON.stringify(label)}]\n`;
  }

  /** Returns the pending bytes as a line when the output ends inside a character. */
  end(seconds: number): string {
    const text = this.decoder.decode();
    return text === '' ? '' : `[${stamp(seconds)}, "o", ${JSON.stringify(text)}]\n`;
  }

  private decode(chunk: Buffer): string {
    if (!this.midCharacter && isAscii(chunk)) return chunk.toString('latin1');
    this.midCharacter = true;
    const text = this.decoder.decode(chunk, { stream: true });
    const last = chunk.at(-1);
    // A chunk that ends in ASCII leaves the decoder empty, so the next one may skip it.
    if (last !== undefined && last < 0x80) this.midCharacter = false;
    return text;
  }
}

function stamp(seconds: number): string {
  return Math.max(0, seconds).toFixed(6);
}
