import { greeting, type Script, shellPrompt, stamp } from '../script.ts';

/** Checks the replicas and last night's backup of a PostgreSQL server. */
export const postgresBackup: Script = {
  hosts: ['fra-pg'],
  groups: ['数据库管理员'],
  account: 'DBA',
  play(terminal, stage) {
    const { random } = terminal;
    const shell = shellPrompt(stage);
    const day = (ago: number) => stamp(stage.startedAt, -ago * 86_400).slice(0, 10);
    const night = `${stamp(stage.startedAt, -86_400).slice(0, 10).replaceAll('-', '')}-020011F`;
    terminal.greet(greeting(stage), shell);
    terminal.run(
      'pgbackrest info --stanza=main | tail -6',
      [
        `        full backup: ${night}`,
        `            timestamp start/stop: ${stamp(stage.startedAt, -30_000)} / ${stamp(stage.startedAt, -27_900)}`,
        '            wal start/stop: 00000003000004A1000000C2 / 00000003000004A1000000D9',
        `            database size: ${random.between(380, 460)}.2GB, database backup size: 418.6GB`,
        '            repo1: backup size: 97.4GB',
        '            error list: none',
      ].join('\n'),
      { think: 1 },
    );
    terminal.setPrompt('postgres=# ');
    terminal.run('psql', 'psql (18.1)\nType "help" for help.\n', { think: 0.3 });
    terminal.run(
      'select application_name, state, replay_lag from pg_stat_replication;',
      [
        ' application_name |   state   |   replay_lag    ',
        '------------------+-----------+-----------------',
        ' fra-pg-02        | streaming | 00:00:00.000912',
        ` fra-pg-03        | streaming | 00:00:0${random.between(1, 9)}.418220`,
        '(2 rows)',
        '',
      ].join('\n'),
    );
    terminal.run(
      'select relname, n_dead_tup, last_autovacuum::date from pg_stat_user_tables order by 2 desc limit 3;',
      [
        '  relname   | n_dead_tup | last_autovacuum ',
        '------------+------------+-----------------',
        ` ledger     |   ${random.between(1_000_000, 9_999_999)} | ${day(23)}`,
        ` invoice    |     120933 | ${day(8)}`,
        ` audit_log  |      88121 | ${day(7)}`,
        '(3 rows)',
        '',
      ].join('\n'),
    );
    terminal.run(
      'vacuum (verbose, analyze) ledger;',
      [
        'INFO:  vacuuming "billing.public.ledger"',
        'INFO:  launched 2 parallel vacuum workers for index vacuuming (planned: 2)',
        'INFO:  finished vacuuming "billing.public.ledger": index scans: 1',
        'INFO:  analyzing "public.ledger"',
        'VACUUM',
      ].join('\n'),
      { think: 2, line: 7 },
    );
    terminal.setPrompt(shell);
    terminal.run('\\q');
    terminal.run(
      'df -h /var/lib/pgsql | tail -1',
      '/dev/mapper/vg0-pg  3.5T  1.9T  1.6T  55% /var/lib/pgsql',
    );
    terminal.leave('exit', 'logout\r\n');
  },
};
