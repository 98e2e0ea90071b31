import { type AgentCallState, ERRORS, type Problem, say } from '@sallyport/contract';
import type { RunnerResult, RunnerTable } from '../connections/index.ts';

/** The answer that an agent receives about a call. */
export interface CallAnswer {
  /** Blank for a request that was not stored. */
  readonly call: string;
  readonly state: AgentCallState;
  readonly detail: string;
  readonly exit_code?: number;
  readonly output: string;
  readonly errors: string;
  readonly truncated: boolean;
  /** The rows of a statement. */
  readonly table?: RunnerTable;
}

/** Refusals by a right, a rule or the leash. Other problems are failures. */
const REFUSED =
  /^(?:agent_(?:host|database|statement|login|files|words)|file_(?:outside|link_outside|denied)|command_|account_|transfer_denied|shell_|session_limit|connect_(?:denied|expired|condition|approval|second|factor|switch|protocol|no_account|asset_inactive|address)|factor_)/;

/** Ends that the leash, its owner or an administrator caused. */
const ENDED = /^(?:agent_(?:left|time|over)|session_)/;

const worded = ({ code, params }: Problem): string => say(ERRORS[code], 'en', params);
/** The texts of an answer without a result. */
export const EMPTY = { output: '', errors: '', truncated: false };

/** The answer to a request that was not stored. */
export const refusal = (problem: Problem): CallAnswer => ({
  call: '',
  state: 'refused',
  detail: worded(problem),
  ...EMPTY,
});

/** The result of a call that did not begin. */
export const nothing = (problem: Problem): RunnerResult => ({
  output: '',
  errors: '',
  bytes: 0,
  isCut: false,
  exit: undefined,
  hasRun: false,
  problem,
});

/** Returns the state of a call that ended with a problem, before or after its command began. */
function stateFor({ code }: Problem, hasRun: boolean): 'refused' | 'ended' | 'failed' {
  if (!hasRun && REFUSED.test(code)) return 'refused';
  return hasRun || ENDED.test(code) ? 'ended' : 'failed';
}

/** Returns the answer for the result of a call. */
export function answerFor(call: string, result: RunnerResult): CallAnswer {
  const { output, errors, isCut, exit, problem, hasRun, table, outcome } = result;
  const texts = { output, errors, truncated: isCut, ...(table && { table }) };
  if (problem) {
    return { call, state: stateFor(problem, hasRun), detail: worded(problem), ...texts };
  }
  if (outcome) return { call, ...outcome, ...texts };
  if (exit && 'code' in exit)
    return { call, state: 'done', detail: '', exit_code: exit.code, ...texts };
  const detail = exit ? `The command ended by signal ${exit.signal}.` : '';
  return { call, state: 'done', detail, ...texts };
}
