import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** A finished session of another product, in the columns of `session`. */
export interface ImportedSession {
  readonly id: string;
  readonly org_id: string;
  readonly user: string;
  readonly asset: string;
  readonly system_user: string;
  readonly user_id: string;
  readonly asset_id: string;
  readonly system_user_id: string;
  readonly login_from: string;
  readonly remote_addr: string;
  readonly protocol: string;
  readonly kind: string;
  readonly target_kind: string;
  readonly is_success: boolean;
  readonly date_start: string;
  readonly date_end: string;
}

/** A command of an imported session. */
export interface ImportedCommand {
  readonly id: string;
  readonly session: string;
  readonly sequence: number;
  readonly input: string;
  readonly output: string;
  readonly risk_level: number;
  readonly offset_ms: number;
  readonly date: string;
}

/** Stores sessions that another product recorded. They get no digest and count nowhere. */
export async function storeImportedSessions(
  product: string,
  sessions: readonly ImportedSession[],
  tx: Tx,
): Promise<void> {
  await sql`
    insert into session (id, org_id, "user", asset, "system_user", user_id, asset_id,
      system_user_id, login_from, remote_addr, protocol, kind, target_kind, is_success, is_finished,
      date_start, date_end, imported_from)
    select id, org_id, "user", asset, "system_user", user_id, asset_id, system_user_id, login_from,
      remote_addr, protocol, kind, target_kind, is_success, true, date_start, date_end, ${product}
    from jsonb_to_recordset(${JSON.stringify(sessions)}::jsonb) as one (id uuid, org_id text,
      "user" text, asset text, "system_user" text, user_id text, asset_id text,
      system_user_id text, login_from text, remote_addr text, protocol text, kind text,
      target_kind text, is_success boolean, date_start timestamptz, date_end timestamptz)`.execute(
    tx,
  );
}

/** Stores commands of imported sessions, with the names of their session. */
export async function storeImportedCommands(
  commands: readonly ImportedCommand[],
  tx: Tx,
): Promise<void> {
  if (commands.length === 0) return;
  await sql`
    insert into command (id, org_id, session, sequence, "user", asset, "system_user", input, output,
      risk_level, offset_ms, date)
    select one.id, s.org_id, s.id, one.sequence, s."user", s.asset, s."system_user", one.input,
      one.output, one.risk_level, one.offset_ms, one.date
    from jsonb_to_recordset(${JSON.stringify(commands)}::jsonb) as one (id uuid, session uuid,
      sequence integer, input text, output text, risk_level integer, offset_ms integer,
      date timestamptz)
    join session s on s.id = one.session and s.imported_from is not null
    on conflict do nothing`.execute(tx);
}

/** Writes number and highest risk of the commands of imported sessions. */
export async function countImportedCommands(sessions: readonly string[], tx: Tx): Promise<void> {
  await sql`
    update session s set command_amount = c.amount, risk_level = c.risk
    from (select session, count(*)::integer as amount, max(risk_level) as risk from command
      where session = any (${sessions}::uuid[]) group by 1) c
    where s.id = c.session and s.imported_from is not null`.execute(tx);
}

/** An imported session whose recording is not here. */
export interface ImportedWithoutReplay {
  readonly date_start: Date;
  readonly asset: string;
  readonly protocol: string;
}

/** Returns an imported session without a recording; `present` if it has one. */
export async function importedWithoutReplay(
  db: Db,
  id: string,
): Promise<ImportedWithoutReplay | 'present' | undefined> {
  const { rows } = await sql<ImportedWithoutReplay & { readonly has_replay: boolean }>`
    select date_start, asset, protocol, has_replay from session
    where id = ${id}::uuid and imported_from is not null`.execute(db);
  const [session] = rows;
  return session?.has_replay ? 'present' : session;
}

/** Notes that the recording of an imported session was stored, on which server. */
export async function markImportedReplay(
  db: Db,
  { session, holder }: { readonly session: string; readonly holder: string },
): Promise<void> {
  await sql`
    update session set replay_state = 'finished', has_replay = true, holder = ${holder}
    where id = ${session}::uuid and imported_from is not null`.execute(db);
}
