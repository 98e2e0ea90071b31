import type { ErrorCode } from '@sallyport/contract';

/**
 * End of a target: closed normally, disconnected with a message, connection lost, size limit
 * exceeded, protocol violated, or a request not answered in time.
 */
export type TargetEnd = 'closed' | 'disconnected' | 'lost' | 'flooded' | 'broke' | 'silent';

/** Reasons of a failed file request. */
export type TargetFileProblem =
  | 'missing'
  | 'denied'
  | 'exists'
  | 'full'
  | 'kind'
  | 'name'
  | 'failed'
  | 'unsupported'
  | 'lost'
  | 'broken';

/** A target rejected a file request. */
export class TargetFileError extends Error {
  readonly problem: TargetFileProblem;
  /** The target's own words for a failure without a sentence of ours, safe to show; or ''. */
  readonly words: string;

  constructor(problem: TargetFileProblem, words = '') {
    super(`the target answered: ${problem}`);
    this.name = 'TargetFileError';
    this.problem = problem;
    this.words = words;
  }
}

/** Session end reason by the way its target ended. */
export const TARGET_ENDS = {
  closed: 'connect_target_closed',
  disconnected: 'connect_target_disconnected',
  lost: 'connect_target_lost',
  flooded: 'connect_target_flooded',
  broke: 'connect_target_broke',
  silent: 'connect_target_silent',
} as const satisfies Record<TargetEnd, ErrorCode>;

export function isTargetEnd(how: string): how is TargetEnd {
  return Object.hasOwn(TARGET_ENDS, how);
}
