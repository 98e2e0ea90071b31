import { cut, plainText } from '../../server/src/gateway/sessions/terminal/commands/plain-text.ts';
import { CastEncoder } from '../../server/src/gateway/sessions/terminal/recorder/asciicast.ts';
import type { Random } from '../random.ts';

/** A command of the command log. */
export interface ScriptedCommand {
  readonly input: string;
  readonly output: string;
  readonly offsetMilliseconds: number;
}

export interface ScriptedTerminalOptions {
  readonly cols: number;
  readonly rows: number;
  readonly startedAt: Date;
  readonly title: string;
  readonly random: Random;
}

/** Timing of a command's output. */
export interface Pace {
  /** Seconds before the first output. */
  readonly think?: number;
  readonly line?: number;
}

const MAX_OUTPUT = 1024;

/**
 * Simulates a user at a keyboard: input and output become a recording, entered lines the command
 * log.
 */
export class ScriptedTerminal {
  readonly cols: number;
  readonly rows: number;
  readonly random: Random;
  readonly commands: ScriptedCommand[] = [];
  private readonly encoder = new CastEncoder();
  private readonly lines: string[];
  private seconds = 0.2;
  private prompt = '$ ';

  constructor({ random, ...header }: ScriptedTerminalOptions) {
    this.random = random;
    this.cols = header.cols;
    this.rows = header.rows;
    this.lines = [this.encoder.header(header)];
  }

  /** Seconds of the recording so far. */
  get elapsed(): number {
    return this.seconds;
  }

  get recording(): string {
    return this.lines.join('');
  }

  /** Waits about this long. */
  wait(seconds: number): void {
    this.seconds += seconds * (0.8 + this.random.fraction() * 0.4);
  }

  /** Prints output of the server. */
  print(text: string): void {
    this.lines.push(this.encoder.output(this.seconds, Buffer.from(text)));
    this.seconds += 0.002 + this.random.fraction() * 0.01;
  }

  /** Prints lines in sequence. */
  printLines(text: string, between = 0.01): void {
    for (const line of text.split('\n')) {
      this.print(`${line}\r\n`);
      this.wait(between);
    }
  }

  resize(cols: number, rows: number): void {
    this.lines.push(this.encoder.resize(this.seconds, cols, rows));
    this.wait(0.3);
  }

  /** Prints the greeting and the first prompt. */
  greet(greeting: string, prompt: string): void {
    this.prompt = prompt;
    if (greeting) this.printLines(greeting);
    this.print(prompt);
  }

  /** Changes the prompt for another program or account. */
  setPrompt(prompt: string): void {
    this.prompt = prompt;
  }

  /** Types a command; prints its output and the prompt. */
  run(input: string, output = '', pace: Pace = {}): void {
    this.send(input, output);
    this.wait(pace.think ?? 0.08);
    if (output) this.printLines(output, pace.line ?? 0.015);
    this.print(this.prompt);
  }

  /** Starts a full-screen program; `draw` plays it to its end. */
  runProgram(input: string, draw: () => void, outputForLog = ''): void {
    this.send(input, outputForLog);
    this.wait(0.15);
    draw();
    this.print(this.prompt);
  }

  /** Types text; the server echoes each letter. */
  type(text: string): void {
    for (const letter of text) {
      if (this.random.oneIn(70) && /[a-z]/.test(letter)) this.mistype();
      this.print(letter);
      this.wait(letter === ' ' ? 0.16 : 0.04 + this.random.fraction() * 0.12);
    }
  }

  /** Logs out, with the last output. */
  leave(input: string, farewell: string): void {
    this.send(input, '');
    this.wait(0.05);
    this.print(farewell);
  }

  private send(input: string, output: string): void {
    this.wait(0.7 + this.random.fraction() * 2.2);
    this.type(input);
    this.wait(0.25);
    this.commands.push({
      input,
      output: cut(plainText(output).trimEnd(), MAX_OUTPUT),
      offsetMilliseconds: Math.round(this.seconds * 1000),
    });
    this.print('\r\n');
  }

  private mistype(): void {
    this.print(this.random.pick(['a', 's', 'e', 'r', 'l']));
    this.wait(0.35);
    this.print('\b\x1b[K');
    this.wait(0.15);
  }
}
