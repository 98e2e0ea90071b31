import { command, PROTOCOLS, session, snippet } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { type AttentionConditions, attentionFilter, idFilter } from '../../resources/read/scope.ts';
import { likePattern, searchTerms } from '../../resources/read/search.ts';
import { named } from '../../resources/relations/named-objects.ts';
import type { StoredCommands } from './stored-commands/texts.ts';

/** Sessions that need attention. */
export const SESSION_ATTENTION = {
  /** Live sessions whose input waits for a second person. */
  waiting_sessions: () => sql`(t.waits_since is not null and not t.is_finished)`,
  /** Sessions of the last seven days without their recording. File transfers are not recorded. */
  unrecorded_sessions: () =>
    sql`(not t.is_canary and t.kind <> 'transfer' and t.is_finished and t.is_success
      and t.imported_from is null and t.replay_state in ('none', 'failed')
      and t.date_start > now() - interval '7 days')`,
  /** Sessions of dead servers whose recording could not be restored from the bucket. */
  unrestored_recordings: () =>
    sql`(t.is_finished and t.awaits_holder and not t.is_canary and exists (
      select from recording_copy c where c.session = t.id and c.problem is not null))`,
} satisfies AttentionConditions;

const WATCHABLE = PROTOCOLS.filter(({ canWatch }) => canWatch).map(({ name }) => name as string);

export const sessionHooks = hooksFor(session, {
  // The sessions of the self-test are listed on request only.
  visibleInList: (_caller, query) =>
    /^(1|true)$/i.test(query.get('is_canary') ?? '') ? undefined : sql`not t.is_canary`,
  filters: { attention: attentionFilter(SESSION_ATTENTION) },
  columns: {
    terminal: () => sql`t.terminal::text`,
    can_replay: () => sql`(t.is_finished and t.has_replay)`,
    links: () =>
      sql`jsonb_build_object('user', ${named('user', sql`t.user_id`)}, 'asset',
        jsonb_build_object('resource', t.target_kind, 'id', t.asset_id), 'system_user',
        ${named('system_user', sql`t.system_user_id`)})`,
    requests: () => sql`(
      select jsonb_agg(jsonb_build_object('id', k.id, 'name', k.title) order by k.date_created)
      from session_request used join ticket k on k.id = used.ticket_id
        where used.session_id = t.id)`,
    // Sessions on clusters are terminals if they take guests, and requests otherwise.
    can_join: () => sql`(not t.is_finished and (t.takes_guests or t.protocol = any(${WATCHABLE})))`,
  },
});

/** The hooks of commands. Some commands have their texts in a command storage. */
export const commandHooks = (stored: StoredCommands) =>
  hooksFor(command, {
    columns: {
      timestamp: () => sql`floor(extract(epoch from t.date))::bigint`,
      links: () => sql`(
      select jsonb_build_object('user', ${named('user', sql`s.user_id`)}, 'asset',
        jsonb_build_object('resource', s.target_kind, 'id', s.asset_id),
        'system_user', ${named('system_user', sql`s.system_user_id`)}, 'session',
          ${named('session', sql`s.id`)})
      from session s where s.id = t.session)`,
      undo_rows: () => sql`(
      select u.row_count from undo_script u
        where u.session = t.session and u.sequence = t.sequence and u.number = 0)`,
      offset_seconds: () => sql`(t.offset_ms / 1000.0)::double precision`,
    },
    ids: ['session'],
    filters: {
      session_id: idFilter('session'),
      input: (value) => sql`t.search_text like ${likePattern(value.toLowerCase())}`,
    },
    elsewhere: {
      filters: ['input'],
      find: (query, caller) => stored.find(query, searchTerms(query), caller),
    },
    async present(rows, { caller, db }) {
      if (!rows.some((row) => 'input' in row || 'output' in row)) return;
      const texts = await stored.texts(
        rows.map(({ id }) => String(id)),
        caller.language,
        db,
      );
      for (const row of rows) {
        const read = texts.get(String(row.id));
        if (!read) continue;
        if ('input' in row) row.input = read.input;
        if ('output' in row) row.output = read.output;
      }
    },
  });

/** Snippets per user. */
export const MOST_SNIPPETS = 200;

/** Rejects keys such as Ctrl+C or Escape, which would act when the snippet is inserted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const KEYS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** The hooks of snippets: text without control characters, and a limit per user. */
export const snippetHooks = hooksFor(snippet, {
  beforeSave({ content }) {
    if (content !== undefined && KEYS.test(content)) throw invalid('content', 'control_character');
  },
  async afterSave(saved, { caller, tx }) {
    if (saved.every(({ previous }) => previous !== undefined)) return;
    const { userId } = caller.actor;
    // The lock prevents parallel requests from exceeding the limit together.
    await sql`select 1 from account where id = ${userId} for update`.execute(tx);
    const { rows } = await sql<{
      count: number;
    }>`select count(*)::int as count from snippet where user_id = ${userId}`.execute(tx);
    if ((rows[0]?.count ?? 0) > MOST_SNIPPETS)
      throw invalid('non_field_errors', 'snippet_limit', { max: MOST_SNIPPETS });
  },
});
