/** Result of the guard for a technique. */
export type Mark =
  /** The guard rejects the line that would run the command. */
  | 'caught'
  /**
   * The guard rejects the line that names the command. If it was prepared elsewhere (uploaded file,
   * start-up file), it runs under another name.
   */
  | 'direct'
  /** The command runs, and the guard cannot know. */
  | 'free';

/** Input: a line with Enter, or raw keys with the output that shows their completion. */
export type Step = string | { readonly keys: string; readonly until?: RegExp };

/**
 * A way around a rule that denies `forbid`, a command that creates a file. `@` is the name of that
 * file, which proves that the command ran.
 */
export interface Technique {
  readonly family: string;
  readonly what: string;
  readonly mark: Mark;
  readonly steps: readonly Step[];
  /**
   * For techniques that are caught only when executed directly: a file on the target
   * (`prepared-@`), and the lines that use it.
   */
  readonly elsewhere?: { readonly content: string; readonly steps: readonly Step[] };
  /** Restores the session; not checked. */
  readonly after?: readonly Step[];
}

type UnassignedTechnique = Omit<Technique, 'family'>;

/** Techniques that are caught: each one line (also its name), or a name with steps. */
export const caught = (
  ...lines: readonly (string | readonly [what: string, ...steps: Step[]])[]
): UnassignedTechnique[] => lines.map((line) => techniqueOf('caught', line));

/** Techniques that run. */
export const free = (
  ...lines: readonly (string | readonly [what: string, ...steps: Step[]])[]
): UnassignedTechnique[] => lines.map((line) => techniqueOf('free', line));

/**
 * A technique that is caught only when executed directly: typed it is rejected, prepared elsewhere
 * it runs.
 */
export const direct = (
  what: string,
  typed: readonly Step[],
  content: string,
  steps: readonly Step[],
): UnassignedTechnique => ({
  what,
  mark: 'direct',
  steps: typed,
  elsewhere: { content, steps },
});

export const family = (name: string, ...techniques: readonly UnassignedTechnique[]): Technique[] =>
  techniques.map((one) => ({ ...one, family: name }));

function techniqueOf(
  mark: Mark,
  line: string | readonly [what: string, ...steps: Step[]],
): UnassignedTechnique {
  if (typeof line === 'string') return { what: line, mark, steps: [line] };
  const [what, ...steps] = line;
  return { what, mark, steps };
}
