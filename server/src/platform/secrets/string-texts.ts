import type { TextTrack } from './text-track.ts';

const NEWLINE = 0x0a;
const [ZERO, NINE, SEMICOLON] = [0x30, 0x39, 0x3b] as const;

/**
 * The texts of sequences, such as titles and addresses of links. Terminals disagree about a control
 * inside of a string: some ignore it, others end the string there and print the rest. So the text
 * of a string that was cut continues with what follows, until a line or a string ends.
 */
export class StringTexts {
  /** True after a string that was cut. */
  isCut = false;
  /** True within a command of an operating system (OSC), which a bell may end. */
  isCommand = false;
  /** True while the number of a command is skipped, which begins within a text that was cut. */
  private isNumber = false;
  private readonly track: TextTrack;

  constructor(track: TextTrack) {
    this.track = track;
  }

  begin(isCommand: boolean, at: number): void {
    this.isCommand = isCommand;
    this.isNumber = this.isCut && isCommand;
    if (!this.isCut) this.track.put(NEWLINE, at);
  }

  append(output: Buffer, from: number, to: number): void {
    let begin = from;
    while (this.isNumber && begin < to) {
      const byte = output[begin] ?? 0;
      this.isNumber = byte >= ZERO && byte <= NINE;
      if (this.isNumber || byte === SEMICOLON) begin++;
    }
    if (begin < to) this.track.append(output, begin, to);
  }

  /** A line break or tab within a string. */
  control(byte: number, at: number): void {
    this.track.put(byte, at);
  }

  /** Printed text, which others may read as the rest of a string. */
  print(output: Buffer, from: number, to: number): void {
    if (this.isCut) this.track.append(output, from, to);
  }

  cut(): void {
    this.isCut = true;
  }

  /** Ends a string regularly. */
  end(at: number): void {
    this.track.put(NEWLINE, at);
    this.isCut = false;
  }

  newline(at: number): void {
    if (this.isCut) this.end(at);
  }
}
