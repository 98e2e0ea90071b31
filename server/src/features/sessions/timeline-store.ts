import {
  INTERVENTIONS,
  type Language,
  type SessionTimeline,
  type TimelineEntry,
} from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { StoredCommands } from './stored-commands/texts.ts';

/** Maximum entries of each kind. Dangerous and failed ones are kept first. */
export const MOST_COMMANDS = 1_000;
const MOST_FILES = 500;
const MOST_PAUSES = 100;
const MOST_INTERVENTIONS = 500;
const MOST_PRESENCE = 1_000;
/** Maximum characters of a command or a path. */
const MOST_TEXT = 300;
/** Seconds without a command or a file that count as idle time. */
export const IDLE_SECONDS = 60;

const INTERVENTION_ACTIONS = INTERVENTIONS.map(({ value }) => value);

interface Extent {
  /** Null while the session runs. */
  readonly seconds: number | null;
  readonly commands: number;
  readonly files: number;
}

/**
 * The timeline of a session that the caller may see: commands, files, interventions,
 * interruptions and idle time.
 */
export async function timelineOf(
  id: string,
  db: Db,
  stored: StoredCommands,
  language: Language,
): Promise<SessionTimeline> {
  const [extent, rows] = await Promise.all([extentOf(id, db), entriesOf(id, db)]);
  const texts = await stored.texts(
    rows.flatMap(({ command }) => command ?? []),
    language,
    db,
  );
  const entries = rows.map(({ command, ...entry }): TimelineEntry => {
    const read = command === null ? undefined : texts.get(command);
    return read ? { ...entry, text: [...read.input].slice(0, MOST_TEXT).join('') } : entry;
  });
  const listed = (kind: TimelineEntry['kind']) =>
    entries.filter((entry) => entry.kind === kind).length;
  const latest = entries.reduce((last, { at, seconds }) => Math.max(last, at + seconds), 0);
  return {
    seconds: extent.seconds ?? latest,
    entries,
    left_out: Math.max(0, extent.commands + extent.files - listed('command') - listed('file')),
  };
}

async function extentOf(id: string, db: Db): Promise<Extent> {
  const { rows } = await sql<Extent>`
    select extract(epoch from s.date_end - s.date_start)::double precision as seconds,
      (select count(*) from command where session = s.id)::int as commands,
        (select count(*) from ftp_log where session = s.id)::int as files
    from session s where s.id = ${id}`.execute(db);
  return rows[0] ?? { seconds: 0, commands: 0, files: 0 };
}

async function entriesOf(
  id: string,
  db: Db,
): Promise<readonly (TimelineEntry & { readonly command: string | null })[]> {
  const { rows } = await sql<TimelineEntry & { readonly command: string | null }>`
    with s as (select id, date_start, date_end, gaps from session where id = ${id}),
    commands as (
      select 'command' as kind, offset_ms / 1000.0 as at, 0 as seconds, left(input, ${MOST_TEXT})
        as text, null as operate, risk_level, not (is_denied or is_failed) as is_success,
        verdict, id::text as command
      from command where session = ${id} order by risk_level desc, sequence limit ${MOST_COMMANDS}),
    files as (
      select 'file', extract(epoch from f.date_start - s.date_start), 0,
        left(f.filename, ${MOST_TEXT}), f.operate, 0, f.is_success, 'none', null
      from ftp_log f join s on f.session = s.id order by f.is_success, f.date_start
        limit ${MOST_FILES}),
    interventions as (
      select 'intervention', extract(epoch from o.datetime - s.date_start), 0,
        o."user"
          || coalesce(': ' || coalesce(o.changes->'message'->>1, o.changes->'reason'->>1), ''),
        o.action, 0, true, 'none', null
      from operate_log o join s on o.resource_id = s.id::text
      where o.resource_type = 'session' and o.action = any (${INTERVENTION_ACTIONS}::text[])
        order by o.datetime limit ${MOST_INTERVENTIONS}),
    presence as (
      select 'presence', extract(epoch from p.date - s.date_start), 0, p.name, p.event, 0, true,
        'none', null
      from session_presence p join s on p.session_id = s.id
        order by p.date, p.id limit ${MOST_PRESENCE}),
    gaps as (
      select extract(epoch from (g->>'date_start')::timestamptz - s.date_start) as at,
        extract(epoch from (g->>'date_end')::timestamptz - s.date_start) as until,
        coalesce(g->>'remote_addr', '') as text
      from s, jsonb_array_elements(s.gaps) g),
    moments as (
      select 0 as at from s union all select extract(epoch from s.date_end - s.date_start) from s
        where s.date_end is not null
      union all select offset_ms / 1000.0 from command where session = ${id}
      union all select extract(epoch from f.date_start - s.date_start) from ftp_log f
        join s on f.session = s.id
      union all select at from gaps union all select until from gaps),
    spans as (select at, lead(at) over (order by at) - at as seconds from moments),
    idle as (
      select 'idle', at, seconds, '', null, 0, true, 'none', null from spans
      where seconds >= ${IDLE_SECONDS} and not exists (select from gaps where gaps.at <= spans.at
        and gaps.until > spans.at)
      order by seconds desc limit ${MOST_PAUSES})
    select kind, greatest(at, 0)::double precision as at, seconds::double precision as seconds,
      text, operate, risk_level, is_success, verdict, command from (
      select * from commands union all select * from files union all select * from idle
      union all select * from interventions union all select * from presence
      union all select 'interruption', at, until - at, text, null, 0, true, 'none', null
        from gaps) entry
    order by 2, kind, operate`.execute(db);
  return rows;
}
