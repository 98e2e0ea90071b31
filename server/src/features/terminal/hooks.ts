import { sql } from 'kysely';
import type { ResourceHooks } from '../../http/resource/hooks.ts';
import { likePattern } from '../../http/resource/list-query.ts';

/** What is particular to sessions: whether they can be replayed or watched. */
export const sessionHooks: ResourceHooks = {
  columns: {
    can_replay: () => sql`(t.is_finished and t.has_replay)`,
    can_join: () => sql`(not t.is_finished and t.protocol in ('ssh', 'telnet', 'mysql'))`,
  },
};

/** What is particular to commands. */
export const commandHooks: ResourceHooks = {
  columns: {
    timestamp: () => sql`floor(extract(epoch from t.date))::bigint`,
    offset_seconds: () => sql`(t.offset_ms / 1000.0)::double precision`,
  },
  filters: { session_id: (value) => sql`t.session::text = ${value}`, input: (value) => sql`t.search_text like ${likePattern(value.toLowerCase())}` },
};
