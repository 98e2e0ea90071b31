import type { Db } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';

/** Phrases, each in one of `every` sessions; 0 for ten sessions in all. */
export const PHRASES = {
  'in one of five sessions': { text: 'permission denied', every: 5 },
  'in one of a hundred': { text: 'certificate has expired', every: 100 },
  'in one of a thousand': { text: 'replica lost quorum', every: 1_000 },
  'in ten sessions': { text: 'segfault at 7f3a', every: 0 },
} as const;

/** Lines of shells and tools: `%1$s` is a host name, `%2$s` an identifier, `%3$s` a number. */
const LINES = [
  'deploy@%1$s:~$ systemctl status app-%3$s.service',
  '  Loaded: loaded (/etc/systemd/system/app-%3$s.service; enabled; vendor preset: enabled)',
  '  Active: active (running) since Mon 2026-11-02 08:%3$s:11 UTC; 3 weeks 4 days ago',
  'Main PID: %3$s (node) Tasks: 23 (limit: 4915) Memory: %3$s.4M',
  'drwxr-xr-x  4 root   root    4096 Nov  2 08:14 release-%2$s',
  '-rw-r--r--  1 deploy deploy %3$s Nov 12 23:01 backup-%2$s.tar.gz',
  'commit %2$s%2$s Author: Li Wei <li.wei@example.com>',
  '10.0.%3$s.17 - - [12/Nov/2026:13:55:36 +0000] "GET /api/orders/%2$s HTTP/1.1" 200 %3$s',
  'CONTAINER %2$s registry.example.com/shop/cart:%3$s "node server.js" Up 5 hours 0.0.0.0:8080',
  'Filesystem /dev/nvme0n1p%3$s 196G 112G 75G 61%% /var/lib/data-%2$s',
  'ERROR [worker-%3$s] connection to %1$s timed out after 30000 ms (request %2$s)',
  'INFO  reconciled deployment cart-%2$s in namespace production, %3$s replicas available',
  'UPDATE %3$s  Query OK, %3$s rows affected, transaction %2$s committed',
  'Reading package lists... Building dependency tree... libssl-%3$s is already the newest version',
  'sshd[%3$s]: Accepted publickey for deploy from 192.168.%3$s.9 port %3$s ssh2: SHA256 %2$s',
  'scp: artifacts-%2$s.zip 100%% 48MB 11.2MB/s 00:04 uploaded to %1$s',
  'kernel: eth0: link becomes ready, queue %3$s, driver build %2$s',
  'grep: /var/log/app/%2$s.log: binary file matches; %3$s lines skipped',
  'top - load average: 0.%3$s, 0.42, 0.38 Tasks: %3$s total, 1 running, 211 sleeping',
  'curl: (7) failed to connect to %1$s port %3$s: connection refused, trace %2$s',
];

const LINES_OF_SESSION = 40;

/** Fills the search of screens for the newest finished sessions. */
export async function addScreens(db: Db, amount: number): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`set local maintenance_work_mem = '1GB'`.execute(tx);
    const { rows } = await sql<{ name: string; definition: string }>`
      select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index where indrelid = 'screen_text'::regclass and not indisprimary`.execute(tx);
    for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(tx);
    await sql`
      with picked as materialized (
        select id, asset, date_start, row_number() over (order by date_start desc) as n
        from session where is_finished order by date_start desc limit ${amount}
      ), indexed as (
        insert into screen_index (session, lines)
        select id, ${LINES_OF_SESSION}::integer from picked on conflict do nothing
      )
      insert into screen_text (session, number, date_start, text, moments)
      select p.id, 0, p.date_start, string_agg(line.text, E'\n' order by line.k),
        array_agg(line.k * 1500 order by line.k)
      from picked p cross join lateral (
        select k::integer, format((${LINES}::text[])[1 + abs(hashint8(p.n * 64 + k)) % ${
          LINES.length
        }::integer], p.asset, left(md5(p.n * 64 + k || ''), 12), abs(hashint8(p.n * 7 + k)) % 251)
          as text
        from generate_series(1, ${LINES_OF_SESSION}::integer) k
        union all
        select ${LINES_OF_SESSION}::integer + row_number() over (), phrase.text
        from jsonb_to_recordset(${JSON.stringify(Object.values(PHRASES))}::jsonb)
          as phrase (text text, every integer)
        where case when phrase.every > 0 then p.n % phrase.every = 0
          else p.n % greatest(1, ${amount}::bigint / 10) = 0 end
      ) line group by p.id, p.date_start on conflict do nothing`.execute(tx);
    for (const { definition } of rows) await sql.raw(definition).execute(tx);
    await sql`analyze screen_text`.execute(tx);
  });
}
