import { FAILURES_WORTH_A_LOOK } from '@sallyport/contract';
import { sql } from 'kysely';
import type { AttentionConditions } from '../../resources/attention-filter.ts';

/** Failed attempts of the last 24 hours with a username that failed repeatedly. */
export const SIGN_IN_ATTENTION = {
  failed_sign_ins:
    () => sql`(not t.status and t.datetime > now() - interval '1 day' and t.username in (
    select l.username from login_log l where not l.status and l.datetime > now() - interval '1 day'
      group by l.username having count(*) >= ${FAILURES_WORTH_A_LOOK}))`,
} satisfies AttentionConditions;
