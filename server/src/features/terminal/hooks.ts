import { command, PROTOCOLS, session } from '@sallyport/contract';
import { sql } from 'kysely';
import { hooksFor } from '../../resources/hooks.ts';
import { likePattern } from '../../resources/list-query.ts';

const WATCHABLE = PROTOCOLS.filter(({ canWatch }) => canWatch).map(({ name }) => name as string);

/** The hooks of sessions: whether they can be replayed or watched. */
export const sessionHooks = hooksFor(session, {
  columns: {
    terminal: () => sql`null::text`,
    can_replay: () => sql`(t.is_finished and t.has_replay)`,
    can_join: () => sql`(not t.is_finished and t.protocol = any(${WATCHABLE}))`,
  },
});

/** The hooks of commands. */
export const commandHooks = hooksFor(command, {
  columns: {
    timestamp: () => sql`floor(extract(epoch from t.date))::bigint`,
    offset_seconds: () => sql`(t.offset_ms / 1000.0)::double precision`,
  },
  filters: { session_id: (value) => sql`t.session::text = ${value}`, input: (value) => sql`t.search_text like ${likePattern(value.toLowerCase())}` },
});
