/** Why a target did not do what it was asked with a file. What it says in its own words is not repeated. */
export type TargetFileProblem = 'missing' | 'denied' | 'failed' | 'unsupported' | 'lost' | 'broken';

/** A target's answer to a request about a file. */
export class TargetFileError extends Error {
  readonly problem: TargetFileProblem;

  constructor(problem: TargetFileProblem) {
    super(`the target answered: ${problem}`);
    this.name = 'TargetFileError';
    this.problem = problem;
  }
}
