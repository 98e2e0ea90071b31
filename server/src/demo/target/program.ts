import type { FileSystem } from './file-system.ts';

/** The terminal of a visit, for programs that draw the whole screen. */
export interface Screen {
  readonly columns: () => number;
  readonly rows: () => number;
  write(text: string): void;
  /** The next keys, or `undefined` when nothing was pressed in time or the visit is over. */
  nextKey(milliseconds: number): Promise<string | undefined>;
}

/** What a visit knows. */
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

/** What a program is given. */
export interface ProgramContext {
  readonly args: readonly string[];
  /** What came through a pipe or from a file; `undefined` at the terminal. */
  readonly input: string | undefined;
  readonly state: ShellState;
  /** Present only when the output goes to the terminal. */
  readonly screen: Screen | undefined;
  readonly signal: AbortSignal;
  out(text: string): void;
  fail(text: string): number;
}

/** One program of the demo machine; returns its exit status. */
export interface Program {
  readonly summary: string;
  readonly run: (context: ProgramContext) => number | Promise<number>;
}

/** Splits arguments into letters of options and the rest. */
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

/** The texts that a program works on: its files, or what was piped in. */
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

/** The lines of a text, without an empty one behind the last newline. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
