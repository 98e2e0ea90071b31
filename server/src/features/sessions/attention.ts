import { sql } from 'kysely';
import type { AttentionConditions } from '../../resources/attention-filter.ts';

/** Sessions of the last seven days without their recording. File transfers are not recorded. */
export const SESSION_ATTENTION = {
  unrecorded_sessions: () =>
    sql`(not t.is_canary and t.kind <> 'transfer' and t.is_finished and t.is_success
      and t.replay_state in ('none', 'failed') and t.date_start > now() - interval '7 days')`,
} satisfies AttentionConditions;
