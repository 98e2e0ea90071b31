/** Reasons of a failed file request. The target's own text is dropped. */
export type TargetFileProblem = 'missing' | 'denied' | 'failed' | 'unsupported' | 'lost' | 'broken';

/** A target rejected a file request. */
export class TargetFileError extends Error {
  readonly problem: TargetFileProblem;

  constructor(problem: TargetFileProblem) {
    super(`the target answered: ${problem}`);
    this.name = 'TargetFileError';
    this.problem = problem;
  }
}
