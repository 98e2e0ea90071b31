import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { SessionStore } from '../ports.ts';

/** The session rows in the database. `holder` names this server: what another one holds is left alone after a crash. */
export function createSessionStore(db: Db, holder: string): SessionStore {
  return {
    async create({ id, person, grant, account, dateStart }) {
      await sql`
        insert into session (id, org_id, "user", asset, "system_user", user_id, asset_id, system_user_id, login_from, remote_addr, protocol, date_start, holder)
        values (${id}, ${grant.asset.orgId}, ${person.display.slice(0, 128)}, ${grant.asset.hostname}, ${`${grant.systemUser.name}(${account})`.slice(0, 128)},
          ${person.userId}, ${grant.asset.id}, ${grant.systemUser.id}, ${person.loginFrom}, ${person.remoteAddr}, ${grant.systemUser.protocol}, ${dateStart}, ${holder})`.execute(
        db,
      );
    },
    async setReplay(id, state) {
      await sql`update session set replay_state = ${state}, has_replay = ${state !== 'none' && state !== 'failed'} where id = ${id}`.execute(db);
    },
    async addCommands(id, commands) {
      if (commands.length === 0) return;
      const rows = JSON.stringify(
        commands.map(({ sequence, input, output, at }) => ({ sequence, input: clean(input), output: clean(output), at: Math.round(at) })),
      );
      await db.transaction().execute(async (tx) => {
        const { numAffectedRows = 0n } = await sql`
          insert into command (org_id, session, sequence, "user", asset, "system_user", input, output, offset_ms, date)
          select s.org_id, s.id, c.sequence, left(s."user", 64), s.asset, left(s."system_user", 64), c.input, c.output, c.at, s.date_start + make_interval(secs => c.at / 1000.0)
          from session s, jsonb_to_recordset(${rows}::jsonb) as c (sequence integer, input text, output text, at integer)
          where s.id = ${id} on conflict (session, sequence) do nothing`.execute(tx);
        await sql`update session set command_amount = command_amount + ${Number(numAffectedRows)} where id = ${id}`.execute(tx);
      });
    },
    async finish(id, { dateEnd, reason, success, replayState }) {
      await sql`
        update session set is_finished = true, date_end = greatest(${dateEnd}, date_start), end_reason = ${reason}, is_success = ${success},
          replay_state = ${replayState}, has_replay = ${replayState === 'finished' || replayState === 'recovered'}, holder = null
        where id = ${id}`.execute(db);
    },
    async unfinished() {
      const { rows } = await sql<{ id: string; dateStart: Date }>`
        select id, date_start as "dateStart" from session where not is_finished and (holder = ${holder} or holder is null)`.execute(db);
      return rows;
    },
  };
}

/** PostgreSQL keeps no NUL in a text. */
function clean(text: string): string {
  return text.replaceAll('\u0000', '');
}
