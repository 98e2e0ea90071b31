import { sql } from 'kysely';
import type { InNeed } from '../../resources/attention-filter.ts';

/** Jobs of the last day that failed. */
export const JOBS_IN_NEED = {
  failed_jobs: () => sql`(t.state = 'failed' and t.date_created > now() - interval '1 day')`,
} satisfies InNeed;
