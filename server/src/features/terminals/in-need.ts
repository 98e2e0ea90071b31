import { sql } from 'kysely';
import type { InNeed } from '../../resources/attention-filter.ts';

/**
 * Servers whose recordings or commands do not reach their storage, and running ones whose self-test
 * failed.
 */
export const TERMINALS_IN_NEED = {
  failing_storages: () =>
    sql`(t.storage_problem <> '' or exists (select 1 from command_storage r
      where r.name = t.command_storage and r.problem <> ''))`,
  failed_canaries: () => sql`(t.canary_problem is not null and t.date_heartbeat is not null)`,
} satisfies InNeed;
