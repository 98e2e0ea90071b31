import { job } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { objectUrl } from '../source.ts';
import type { Job } from './useJob.ts';
import { words } from './words.ts';

/** Asks for confirmation, then cancels a job. */
export function askToCancel(row: Pick<Job, 'id' | 'title'>, after: () => Promise<unknown>): void {
  askFirst({
    message: t(words.cancelQuestion, { title: row.title }),
    confirm: t(words.cancel),
    danger: true,
    run: async () => {
      await api.post(`${objectUrl(job, row.id)}cancel/`, {}, { quiet: true });
      await after();
    },
    success: t(words.canceled),
  });
}

/** Runs a failed or canceled job again. */
export async function runAgain(row: Pick<Job, 'id'>): Promise<void> {
  await api.post(`${objectUrl(job, row.id)}retry/`, {});
}
