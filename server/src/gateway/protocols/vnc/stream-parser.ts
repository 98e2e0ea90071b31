/** What a program reads next: so many bytes at once, or so many that pass on as they come. */
export type Step = number | { readonly pass: number; readonly to: (bytes: Buffer) => void };

/** Reads messages: yields what it wants, and is given the bytes that it asked for at once. */
export type Program = Generator<Step, void, Buffer>;

/** Something that the protocol does not know, or that is larger than anything real. */
export class UnknownData extends Error {}

const NOTHING = Buffer.alloc(0);

/** Runs a program over bytes that come in pieces. Only what the program asks for at once is kept. */
export class StreamParser {
  private readonly program: Program;
  private step: Step | undefined;
  private kept = NOTHING;

  constructor(program: Program) {
    this.program = program;
    this.advance(NOTHING);
  }

  /** Takes the next piece. @throws UnknownData */
  feed(piece: Buffer): void {
    const bytes = this.kept.length > 0 ? Buffer.concat([this.kept, piece]) : piece;
    let at = 0;
    for (;;) {
      const { step } = this;
      if (step === undefined) return;
      if (typeof step === 'number') {
        if (bytes.length - at < step) break;
        at += step;
        this.advance(bytes.subarray(at - step, at));
        continue;
      }
      const length = Math.min(step.pass, bytes.length - at);
      if (length > 0) step.to(bytes.subarray(at, at + length));
      at += length;
      const left = step.pass - length;
      if (left > 0) {
        this.step = { pass: left, to: step.to };
        break;
      }
      this.advance(NOTHING);
    }
    // A copy: what is left is short, and what came may be long.
    this.kept = at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at));
  }

  private advance(given: Buffer): void {
    const { done, value } = this.program.next(given);
    this.step = done ? undefined : (value as Step);
  }
}
