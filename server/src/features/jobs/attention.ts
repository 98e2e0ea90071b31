import { sql } from 'kysely';
import type { InNeed } from '../../resources/attention-filter.ts';

/** Jobs that failed in the last 24 hours. */
export const JOBS_IN_NEED = {
  failed_jobs: () => sql`(t.state = 'failed' and t.date_created > now() - interval '1 day')`,
} satisfies InNeed;
