import { job, Permission } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { schedulesStopped } from '../../platform/jobs/future-times.ts';
import { type Attention, attentionFact, attentionRows } from '../../resources/attention.ts';
import { JOB_ATTENTION } from './hooks.ts';

export const jobAttention: Attention = {
  rows: {
    failed_jobs: {
      resource: job,
      search: attentionRows('job', JOB_ATTENTION.failed_jobs, {
        name: sql`t.name`,
        date: sql`t.date_finished`,
      }),
    },
  },
  facts: {
    kinds: ['schedules_stopped'],
    access: Permission.SUPER,
    async read(db) {
      const stopped = await schedulesStopped(db);
      return [['schedules_stopped', stopped && attentionFact(null, stopped)]];
    },
  },
};
