import { sql } from 'kysely';
import type { AttentionConditions } from '../../resources/attention-filter.ts';

/**
 * Servers with recordings or commands that fail to reach their storage, and running servers with a
 * failed self-test.
 */
export const TERMINAL_ATTENTION = {
  failing_storages: () =>
    sql`(t.storage_problem <> '' or exists (select 1 from command_storage r
      where r.name = t.command_storage and r.problem <> ''))`,
  failed_canaries: () => sql`(t.canary_problem is not null and t.date_heartbeat is not null)`,
} satisfies AttentionConditions;
