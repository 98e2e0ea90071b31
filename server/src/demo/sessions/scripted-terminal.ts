import { cut, plainText } from '../../gateway/sessions/terminal/commands/plain-text.ts';
import { CastEncoder } from '../../gateway/sessions/terminal/recorder/asciicast.ts';
import type { Random } from '../random.ts';

/** A command as the command log keeps it. */
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

/** How long things take, and how much at once, while a command prints. */
export interface Pace {
  /** Seconds before the first output. */
  readonly think?: number;
  /** Seconds between lines. */
  readonly line?: number;
}

const MAX_OUTPUT = 1024;

/** Plays a user at a keyboard: input and output become a recording, and entered lines become the command log. */
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

  /** How long the recording is by now. */
  get elapsed(): number {
    return this.seconds;
  }

  /** The whole recording. */
  get recording(): string {
    return this.lines.join('');
  }

  /** Nothing happens for a while. */
  wait(seconds: number): void {
    this.seconds += seconds * (0.8 + this.random.fraction() * 0.4);
  }

  /** Bytes come from the server. */
  print(text: string): void {
    this.lines.push(this.encoder.output(this.seconds, Buffer.from(text)));
    this.seconds += 0.002 + this.random.fraction() * 0.01;
  }

  /** Lines come one after the other. */
  printLines(text: string, between = 0.01): void {
    for (const line of text.split('\n')) {
      this.print(`${line}\r\n`);
      this.wait(between);
    }
  }

  /** The window gets another size. */
  resize(cols: number, rows: number): void {
    this.lines.push(this.encoder.resize(this.seconds, cols, rows));
    this.wait(0.3);
  }

  /** The server greets and shows its prompt for the first time. */
  greet(greeting: string, prompt: string): void {
    this.prompt = prompt;
    if (greeting) this.printLines(greeting);
    this.print(prompt);
  }

  /** Another program, or another account, asks in its own way from now on. */
  setPrompt(prompt: string): void {
    this.prompt = prompt;
  }

  /** The user types a command and presses Enter; it prints, and the prompt appears again. */
  run(input: string, output = '', pace: Pace = {}): void {
    this.send(input, output);
    this.wait(pace.think ?? 0.08);
    if (output) this.printLines(output, pace.line ?? 0.015);
    this.print(this.prompt);
  }

  /** The user starts a full-screen program; `draw` plays it until it ends. */
  runProgram(input: string, draw: () => void, outputForLog = ''): void {
    this.send(input, outputForLog);
    this.wait(0.15);
    draw();
    this.print(this.prompt);
  }

  /** The user types; the server echoes each letter. */
  type(text: string): void {
    for (const letter of text) {
      if (this.random.oneIn(70) && /[a-z]/.test(letter)) this.mistype();
      this.print(letter);
      this.wait(letter === ' ' ? 0.16 : 0.04 + this.random.fraction() * 0.12);
    }
  }

  /** The user logs out: the last output. */
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
