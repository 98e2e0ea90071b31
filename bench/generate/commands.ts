import type { Db } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';

/** Commands of one session. */
const OF_SESSION = 10;
/** Lines of shells: `%1$s` is a host name, `%2$s` an identifier. */
const LINES = [
  'systemctl status app-%2$s',
  'tail -n 200 /var/log/app/%2$s.log',
  'grep -r timeout /srv/app/releases/%2$s',
  'docker logs --since 10m cart-%2$s',
  'kubectl -n production get pods -l release=%2$s',
  'scp artifacts-%2$s.zip deploy@%1$s:/srv/app/',
  'df -h',
  'journalctl -u app --since today',
];

/** Adds commands to finished sessions of the whole year, ten to each, if there are fewer. */
export async function addCommands(
  db: Db,
  { commands, sessions }: { readonly commands: number; readonly sessions: number },
): Promise<void> {
  const every = Math.max(1, Math.floor((sessions * OF_SESSION) / commands));
  await db.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    const known = await sql`select from command offset ${commands - 1} limit 1`.execute(tx);
    if (known.rowCount > 0) return;
    await sql`set local maintenance_work_mem = '1GB'`.execute(tx);
    const { rows } = await sql<{ name: string; definition: string }>`
      select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index where indrelid = 'command'::regclass and not indisunique`.execute(tx);
    for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(tx);
    await sql`
      insert into command (org_id, session, sequence, "user", asset, "system_user", input, output,
        offset_ms, date)
      select s.org_id, s.id, k, left(s."user", 64), s.asset, left(s."system_user", 64),
        format((${LINES}::text[])[1 + abs(hashint8(s.n * 16 + k)) % ${LINES.length}::integer],
          s.asset, left(md5(s.n * 16 + k || ''), 8)),
        repeat('output ', 1 + abs(hashint8(s.n * 16 + k)) % 30), k * 20000,
        s.date_start + make_interval(secs => k * 20)
      from (select *, row_number() over (order by date_start) as n from session) s
        cross join generate_series(1, ${OF_SESSION}::integer) k
      where s.n % ${every}::integer = 0 on conflict do nothing`.execute(tx);
    for (const { definition } of rows) await sql.raw(definition).execute(tx);
    await sql`analyze command`.execute(tx);
  });
}
