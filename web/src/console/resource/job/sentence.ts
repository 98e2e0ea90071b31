import { language, t } from '../../../kit/i18n/index.ts';
import type { ReportedJob } from './reported-job.ts';
import { words } from './words.ts';

type Counted = Pick<ReportedJob, 'outcome' | 'done' | 'failed' | 'skipped' | 'total'>;

const [COMMA, PERIOD] = language === 'zh' ? ['，', '。'] : [', ', '.'];

/** The result of a job in one sentence; empty if the state says everything. */
export function sentenceOf({ outcome, done, failed, skipped, total }: Counted): string {
  const all = Math.max(total, done);
  if (outcome === 'queued') return t(words.waits);
  if (outcome === 'running') return all > 0 ? t(words.doneOf, { done, total: all }) : '';
  const counts = [
    { count: failed, only: words.allFailed, first: words.failedOf, next: words.failedToo },
    {
      count: done - failed - skipped,
      only: words.allSucceeded,
      first: words.succeededOf,
      next: words.succeededToo,
    },
    { count: skipped, only: words.allSkipped, first: words.skippedOf, next: words.skippedToo },
    { count: all - done, only: words.allLeft, first: words.leftOf, next: words.leftToo },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return outcome === 'nothing' ? t(words.noObjects) : '';
  const parts = counts.map(({ count, only, first, next }, index) => {
    const text = index > 0 ? next : counts.length === 1 ? only : first;
    return t(text, { count, total: all });
  });
  return `${parts.join(COMMA)}${PERIOD}`;
}
