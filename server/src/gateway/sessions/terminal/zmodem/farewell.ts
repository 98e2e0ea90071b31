import { OVER_AND_OUT } from '@sallyport/contract/zmodem/frames.ts';

/** Time in which the last two letters of a client arrive. */
const LETTERS_MS = 2000;
const [LETTER] = OVER_AND_OUT;
/** XON, backspace, cancel and NUL, which programs send after their last frame. */
const TRAILING: ReadonlySet<number> = new Set([0x11, 0x08, 0x18, 0x00]);

/** Removes what the two programs send after the last frame of a transfer. */
export class Farewell {
  private isExpected = false;
  private letters = 0;
  private lettersUntil = 0;

  /** A transfer has ended. `hasLetters`: the client still sends its two letters. */
  begin(hasLetters: boolean): void {
    this.isExpected = true;
    this.letters = hasLetters ? OVER_AND_OUT.length : 0;
    this.lettersUntil = performance.now() + LETTERS_MS;
  }

  /** True while letters of the client may arrive. */
  get awaitsClient(): boolean {
    return this.letters > 0;
  }

  /** Returns output without the end of the program. */
  target(output: Buffer): Buffer {
    if (!this.isExpected) return output;
    let from = 0;
    while (from < output.length && TRAILING.has(output[from] ?? 0)) from++;
    if (output.subarray(from, from + OVER_AND_OUT.length).equals(OVER_AND_OUT))
      from += OVER_AND_OUT.length;
    this.isExpected = from === output.length;
    return output.subarray(from);
  }

  /** Returns input without the letters. */
  client(input: Buffer): Buffer {
    let from = 0;
    while (this.letters > 0 && input[from] === LETTER && performance.now() < this.lettersUntil) {
      from++;
      this.letters--;
    }
    if (from < input.length) this.letters = 0;
    return input.subarray(from);
  }
}
