import { sql } from 'kysely';
import type { AttentionConditions } from '../../resources/attention-filter.ts';

/** Jobs that failed in the last 24 hours. */
export const JOB_ATTENTION = {
  failed_jobs: () => sql`(t.state = 'failed' and t.date_created > now() - interval '1 day')`,
} satisfies AttentionConditions;
