import { FileProblem } from './file-system.ts';
import { parseLine, type Stage, SyntaxProblem } from './parse.ts';
import type { Screen, ShellState } from './program.ts';
import { PROGRAMS } from './programs.ts';

/** Maximum characters between the stages of a pipe. */
const MAX_PIPED = 8 * 1024 * 1024;

export interface RunContext {
  readonly state: ShellState;
  /** Undefined without a terminal. */
  readonly screen: Screen | undefined;
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
}

/** Runs a command line and stores its exit status in the state. */
export async function runLine(line: string, context: RunContext): Promise<void> {
  const { state, write, signal } = context;
  try {
    const variable = (name: string) =>
      name === '?' ? String(state.status) : (state.variables.get(name) ?? '');
    for (const { when, stages } of parseLine(line, variable)) {
      if (signal.aborted || state.over) break;
      if ((when === 'success' && state.status !== 0) || (when === 'failure' && state.status === 0))
        continue;
      let piped: string | undefined;
      for (const [index, stage] of stages.entries())
        piped = await runStage(stage, piped, index === stages.length - 1, context);
    }
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    write(`sh: ${error.message}\n`);
    state.status = 2;
  }
}

async function runStage(
  stage: Stage,
  piped: string | undefined,
  isLast: boolean,
  context: RunContext,
): Promise<string> {
  const { state, write, signal } = context;
  const [name = '', ...args] = stage.words;
  const program = PROGRAMS.get(name);
  if (!program) {
    write(`sh: ${name}: command not found (try help)\n`);
    state.status = 127;
    return '';
  }
  const toTerminal = isLast && !stage.output;
  let kept = '';
  const out = (text: string) => {
    if (toTerminal) write(text);
    else if (kept.length < MAX_PIPED) kept += text;
  };
  const fail = (text: string) => {
    write(`${text}\n`);
    return 1;
  };
  const pathOf = (path: string) => state.files.resolve(state.cwd, path);
  try {
    const input = stage.input === undefined ? piped : state.files.read(pathOf(stage.input));
    state.status = await program.run({
      args,
      input,
      state,
      screen: toTerminal ? context.screen : undefined,
      signal,
      out,
      fail,
    });
    if (stage.output) state.files.write(pathOf(stage.output.path), kept, stage.output.append);
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    state.status = fail(`${name}: ${args.at(-1) ?? stage.output?.path ?? ''}: ${error.message}`);
  }
  return kept;
}
