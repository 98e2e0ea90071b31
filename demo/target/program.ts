import type { FileSystem } from './file-system.ts';

/** The terminal, for full-screen programs. */
export interface Screen {
  readonly columns: () => number;
  readonly rows: () => number;
  write(text: string): void;
  /** Returns the next keys; undefined on a timeout or at the end of the visit. */
  nextKey(milliseconds: number): Promise<string | undefined>;
}

/** State of a visit. */
export interface ShellState {
  readonly files: FileSystem;
  readonly history: string[];
  readonly variables: Map<string, string>;
  readonly user: string;
  readonly startedAt: Date;
  cwd: string;
  status: number;
  over: boolean;
}

export interface ProgramContext {
  readonly args: readonly string[];
  /** Input from a pipe or file; undefined at the terminal. */
  readonly input: string | undefined;
  readonly state: ShellState;
  /** Set only if the output goes to the terminal. */
  readonly screen: Screen | undefined;
  readonly signal: AbortSignal;
  out(text: string): void;
  fail(text: string): number;
}

/** A program of the demo machine; returns its exit status. */
export interface Program {
  readonly summary: string;
  readonly run: (context: ProgramContext) => number | Promise<number>;
}

/** Splits arguments into option letters and the rest. */
export function optionsOf(args: readonly string[]): {
  readonly flags: ReadonlySet<string>;
  readonly rest: readonly string[];
} {
  const flags = new Set<string>();
  const rest: string[] = [];
  for (const arg of args) {
    if (/^-[A-Za-z]+$/.test(arg)) for (const letter of arg.slice(1)) flags.add(letter);
    else rest.push(arg);
  }
  return { flags, rest };
}

/** Returns the input texts of a program: its files, or the piped input. */
export function inputsOf(
  context: ProgramContext,
  paths: readonly string[],
): readonly { readonly name: string; readonly text: string }[] {
  if (paths.length === 0) return [{ name: '', text: context.input ?? '' }];
  return paths.map((path) => ({
    name: path,
    text: context.state.files.read(context.state.files.resolve(context.state.cwd, path)),
  }));
}

/** Splits a text into lines, without an empty one after the last newline. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
