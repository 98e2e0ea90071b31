import { sql } from 'kysely';
import type { InNeed } from '../../resources/attention-filter.ts';
import { isUnused } from './unused/store.ts';

const endsSoon = () =>
  sql`(t.is_active and t.date_expired between now() and now() + interval '7 days')`;

/** Application permissions that end within a week. */
export const REMOTE_APP_PERMISSIONS_IN_NEED = {
  remote_app_permissions_ending: endsSoon,
} satisfies InNeed;
export const DATABASE_APP_PERMISSIONS_IN_NEED = {
  database_app_permissions_ending: endsSoon,
} satisfies InNeed;

/** Asset permissions that end within a week, and permissions without recent use. */
export const PERMISSIONS_IN_NEED = {
  permissions_ending: endsSoon,
  unused_permissions: () => sql`t.id in (select p.id from asset_permission p where ${isUnused()})`,
} satisfies InNeed;
