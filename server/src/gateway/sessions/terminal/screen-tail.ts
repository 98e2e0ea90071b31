import { ModeScanner } from './commands/mode-scanner.ts';

const KEEP = 64 * 1024;
/** Small chunks are put together: a target that sends single bytes would otherwise be kept as as many objects. */
const MERGED = 2 * 1024;
const RESET = Buffer.from('\x1bc');
const SECOND_SCREEN = Buffer.from('\x1b[?1049h');

/** The last output of a session, so that a new watcher sees a screen at once. */
export class ScreenTail {
  private readonly scanner = new ModeScanner();
  /** Each chunk with the screen that was in use when it came. */
  private chunks: { readonly data: Buffer; readonly alternate: boolean }[] = [];
  private bytes = 0;
  private alternate = false;
  private whole = true;

  /** Takes output. */
  push(data: Buffer): void {
    const last = this.chunks.at(-1);
    if (last && last.alternate === this.alternate && last.data.length + data.length <= MERGED) {
      this.chunks[this.chunks.length - 1] = { data: Buffer.concat([last.data, data]), alternate: this.alternate };
    } else this.chunks.push({ data, alternate: this.alternate });
    this.bytes += data.length;
    this.scanner.scan(data, (mode, on) => {
      if (mode === 'alternate') this.alternate = on;
    });
    while (this.chunks.length > 1 && this.bytes - (this.chunks[0]?.data.length ?? 0) >= KEEP) {
      this.bytes -= this.chunks.shift()?.data.length ?? 0;
      this.whole = false;
    }
  }

  /** Bytes that bring an empty terminal to about the screen as it is now. */
  snapshot(): Buffer {
    const [first] = this.chunks;
    if (!first) return RESET;
    let output = Buffer.concat(
      this.chunks.map((chunk) => chunk.data),
      this.bytes,
    );
    if (!this.whole) {
      // The oldest chunk may begin inside a sequence or a character; the next line begins cleanly.
      const newline = output.subarray(0, KEEP / 2).indexOf(0x0a);
      output = output.subarray(newline + 1);
    }
    return Buffer.concat([RESET, ...(first.alternate ? [SECOND_SCREEN] : []), output]);
  }
}
