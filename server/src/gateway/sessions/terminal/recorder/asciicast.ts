import { isAscii } from 'node:buffer';

/** The first line of an asciicast v2 file. */
export interface CastHeader {
  readonly cols: number;
  readonly rows: number;
  readonly startedAt: Date;
  readonly title: string;
}

/** Turns what happens in a terminal into lines of the asciicast v2 format. Chunks may cut characters anywhere. */
export class CastEncoder {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Whether the decoder may hold the first bytes of a character. */
  private midCharacter = false;

  /** The header line. */
  header(header: CastHeader): string {
    const { cols, rows, startedAt, title } = header;
    return `${JSON.stringify({ version: 2, width: cols, height: rows, timestamp: Math.floor(startedAt.getTime() / 1000), title, env: { TERM: 'xterm-256color' } })}\n`;
  }

  /** The line of some output, or nothing when only a part of a character came. */
  output(seconds: number, chunk: Buffer): string {
    const text = this.decode(chunk);
    return text === '' ? '' : `[${stamp(seconds)}, "o", ${JSON.stringify(text)}]\n`;
  }

  /** The line of a new size. */
  resize(seconds: number, cols: number, rows: number): string {
    return `[${stamp(seconds)}, "r", "${cols}x${rows}"]\n`;
  }

  /** The line of a mark. */
  marker(seconds: number, label: string): string {
    return `[${stamp(seconds)}, "m", ${JSON.stringify(label)}]\n`;
  }

  /** What remains when the output ends inside a character. */
  end(seconds: number): string {
    const text = this.decoder.decode();
    return text === '' ? '' : `[${stamp(seconds)}, "o", ${JSON.stringify(text)}]\n`;
  }

  private decode(chunk: Buffer): string {
    if (!this.midCharacter && isAscii(chunk)) return chunk.toString('latin1');
    this.midCharacter = true;
    const text = this.decoder.decode(chunk, { stream: true });
    const last = chunk.at(-1);
    // A chunk that ends in ASCII leaves nothing behind in the decoder, so the fast way is open again.
    if (last !== undefined && last < 0x80) this.midCharacter = false;
    return text;
  }
}

function stamp(seconds: number): string {
  return Math.max(0, seconds).toFixed(6);
}
