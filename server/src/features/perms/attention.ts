import { sql } from '../../platform/db/sql.ts';
import type { AttentionConditions } from '../../resources/read/attention-filter.ts';
import { isUnused } from './unused/store.ts';

const endsSoon = () =>
  sql`(t.is_active and t.date_expired between now() and now() + interval '7 days')`;

/** Application permissions that end within a week. */
export const REMOTE_APP_PERMISSION_ATTENTION = {
  remote_app_permissions_ending: endsSoon,
} satisfies AttentionConditions;
export const DATABASE_APP_PERMISSION_ATTENTION = {
  database_app_permissions_ending: endsSoon,
} satisfies AttentionConditions;

/** Asset permissions that end within a week, and permissions without recent use. */
export const PERMISSION_ATTENTION = {
  permissions_ending: endsSoon,
  unused_permissions: () => sql`t.id in (select p.id from asset_permission p where ${isUnused()})`,
} satisfies AttentionConditions;
