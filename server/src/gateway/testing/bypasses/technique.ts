/** How far the guard of the terminal gets with a technique. */
export type Mark =
  /** The line that would run the command is refused. */
  | 'caught'
  /** The line that names the command is refused; the same, prepared elsewhere (an uploaded file, a start-up file), runs when it is called by another name. */
  | 'direct'
  /** The command runs, and nothing here could know. */
  | 'free';

/** What is typed: a line with Enter, or keys as they are with what the terminal shows when they have been dealt with. */
export type Step = string | { readonly keys: string; readonly until?: RegExp };

/** One way around a rule that denies `forbid`, a command that leaves a file. `@` is the name of the file, which tells whether it ran. */
export interface Technique {
  readonly family: string;
  readonly what: string;
  readonly mark: Mark;
  readonly steps: readonly Step[];
  /** Of those that are caught only when executed directly: a file that is on the target already (`prepared-@`), and the lines that use it. */
  readonly elsewhere?: { readonly content: string; readonly steps: readonly Step[] };
  /** What brings the session back; not checked. */
  readonly after?: readonly Step[];
}

type Made = Omit<Technique, 'family'>;

/** Ways that are refused, each one line (also the name of the technique) or steps with a name. */
export const caught = (
  ...lines: readonly (string | readonly [what: string, ...steps: Step[]])[]
): Made[] => lines.map((line) => made('caught', line));

/** Ways that run. */
export const free = (
  ...lines: readonly (string | readonly [what: string, ...steps: Step[]])[]
): Made[] => lines.map((line) => made('free', line));

/** A way that is caught only when executed directly: typed it is refused, and prepared elsewhere it runs. */
export const direct = (
  what: string,
  typed: readonly Step[],
  content: string,
  steps: readonly Step[],
): Made => ({
  what,
  mark: 'direct',
  steps: typed,
  elsewhere: { content, steps },
});

/** Gives techniques their family. */
export const family = (name: string, ...techniques: readonly Made[]): Technique[] =>
  techniques.map((one) => ({ ...one, family: name }));

function made(mark: Mark, line: string | readonly [what: string, ...steps: Step[]]): Made {
  if (typeof line === 'string') return { what: line, mark, steps: [line] };
  const [what, ...steps] = line;
  return { what, mark, steps };
}
