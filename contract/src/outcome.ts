import type { LocalText } from './kit/text.ts';

/** Result of work on several objects. `nothing`: all were skipped. */
export type Outcome = 'succeeded' | 'partly' | 'failed' | 'nothing';

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

/** Outcomes in words; `failed` and `total` are counts. */
export const OUTCOME_TEXTS: Readonly<Record<Outcome, LocalText>> = {
  succeeded: { en: 'Succeeded', zh: '成功' },
  partly: {
    en: 'Partly failed ({failed, number} of {total, number})',
    zh: '部分失败（{total, number} 项中 {failed, number} 项）',
  },
  failed: { en: 'Failed', zh: '失败' },
  nothing: { en: 'Nothing done', zh: '未执行' },
};
