import { sql } from '../../platform/db/sql.ts';
import type { AttentionConditions } from '../../resources/read/attention-filter.ts';

/** Assets with a changed host key, and unreachable assets. */
export const ASSET_ATTENTION = {
  changed_host_keys: () =>
    sql`exists (select 1 from host_key k where k.asset_id = t.id
      and k.offered_public_key is not null)`,
  unreachable_assets: () => sql`(t.is_active and t.connectivity_status = 0)`,
} satisfies AttentionConditions;

/** System users with failed pushes. */
export const SYSTEM_USER_ATTENTION = {
  failed_pushes: () =>
    sql`t.id in (select p.system_user_id from system_user_push p where p.state = 'failed')`,
} satisfies AttentionConditions;
