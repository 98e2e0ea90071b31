import { type LocalText, say, terminal } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { Rejected } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { type AttentionConditions, attentionFilter } from '../../resources/read/scope.ts';

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

/** Minimum seconds after the last heartbeat in which a terminal counts as alive. */
const ALIVE_SECONDS = 60;
/** Tolerates one or two late or lost heartbeats. */
const INTERVALS = 3;

/** The hooks of terminals. A running terminal cannot be deleted: it would register again. */
export const terminalHooks = (heartbeatSeconds: () => number) =>
  hooksFor(terminal, {
    filters: { attention: attentionFilter(TERMINAL_ATTENTION) },
    columns: {
      session_online: () =>
        sql`(select count(*)::int from session s where s.terminal = t.id and not s.is_finished
          and not s.is_canary)`,
      is_alive: () =>
        sql`coalesce(t.date_heartbeat > now() -
          make_interval(secs => ${Math.max(ALIVE_SECONDS, INTERVALS * heartbeatSeconds())}),
          false)`,
      command_storage_problem: () =>
        sql`(select r.problem from command_storage r where r.name = t.command_storage)`,
      is_accepted: () => sql`true`,
      canary_problem: () => sql`t.canary_problem`,
    },
    present(rows, { caller: { language } }) {
      for (const row of rows)
        if ('canary_problem' in row)
          row.canary_problem = row.canary_problem
            ? say(row.canary_problem as LocalText, language)
            : '';
    },
    async afterSave(saved, { tx }) {
      const changed = saved.filter(
        ({ values, previous }) =>
          values.replay_storage !== undefined && values.replay_storage !== previous?.replay_storage,
      );
      if (changed.length > 0)
        await sql`update terminal set date_storage = now()
          where id = any(${changed.map(({ id }) => id)}::uuid[])`.execute(tx);
      // Notifies the servers at commit.
      await sql`select pg_notify('terminals', '')`.execute(tx);
    },
    beforeDelete(row) {
      if (row.is_alive) throw new Rejected('terminal_runs');
    },
  });
