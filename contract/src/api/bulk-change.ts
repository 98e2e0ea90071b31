import type { LocalText } from '../kit/text.ts';

/** Maximum ids of a set, and so of one bulk change. */
export const SET_MAX = 250_000;

/** Maximum rows that one request changes; for more, a job processes a set. */
export const MANY_ROWS = 1_000;

/** Actions of a job on all objects of a set. */
export const BULK_ACTIONS = ['delete', 'update', 'move', 'add', 'restore'] as const;

export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The body of POST common/resources/bulk/. */
export interface BulkChange {
  readonly resource: string;
  readonly action: BulkAction;
  /** Id of the caller's set. */
  readonly spm: string;
  /** Fields of an update, with one value for all objects. */
  readonly changes?: Readonly<Record<string, unknown>>;
  /** The node to which assets move or are added. */
  readonly target?: string;
}

/** A set created by the server from the matches of a list. */
export interface NamedSet {
  readonly spm: string;
  readonly count: number;
}

/** Result of finished work on several objects. `nothing`: all were skipped. */
export type Outcome = 'succeeded' | 'partly' | 'failed' | 'nothing';
/** The states of work, in the words that every page uses. */
export type WorkState = Outcome | 'queued' | 'running' | 'canceled';

export interface OutcomeCounts {
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The outcome of finished work; work without objects succeeded. */
export function outcomeOf({ succeeded, failed, skipped }: OutcomeCounts): Outcome {
  if (failed > 0) return succeeded > 0 ? 'partly' : 'failed';
  return succeeded === 0 && skipped > 0 ? 'nothing' : 'succeeded';
}

/** Names of the states, for filters. */
export const WORK_STATES: Readonly<Record<WorkState, LocalText>> = {
  queued: { en: 'Waiting', zh: '等待中' },
  running: { en: 'Running', zh: '运行中' },
  succeeded: { en: 'Succeeded', zh: '成功' },
  partly: { en: 'Partly failed', zh: '部分失败' },
  failed: { en: 'Failed', zh: '失败' },
  nothing: { en: 'Nothing to do', zh: '无需执行' },
  canceled: { en: 'Canceled', zh: '已取消' },
};

/** States of one piece of work; `failed` and `total` are counts. */
export const OUTCOME_TEXTS: Readonly<Record<WorkState, LocalText>> = {
  ...WORK_STATES,
  partly: {
    en: 'Partly failed ({failed, number} of {total, number})',
    zh: '部分失败（{total, number} 项中 {failed, number} 项）',
  },
};

/** Returns true for the name of a state. */
export const isWorkState = (name: string): name is WorkState => Object.hasOwn(WORK_STATES, name);
