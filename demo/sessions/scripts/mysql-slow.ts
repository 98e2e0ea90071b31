import { greeting, type Script, shellPrompt } from '../script.ts';

/** Finds and explains a slow MySQL query, and adds an index. */
export const mysqlSlow: Script = {
  hosts: ['sh-mysql'],
  groups: ['数据库管理员'],
  account: 'DBA',
  play(terminal, stage) {
    const { random } = terminal;
    const thread = random.between(410_000, 499_999);
    const shell = shellPrompt(stage);
    terminal.greet(greeting(stage), shell);
    terminal.run(
      'uptime',
      ` ${stage.startedAt.toISOString().slice(11, 19)} up 143 days,  6:20,  1 user,  load average: ${random.between(18, 39)}.12, 22.87, 15.40`,
    );
    terminal.setPrompt('mysql> ');
    terminal.run(
      'mysql --login-path=dba orders',
      [
        'Welcome to the MySQL monitor.  Commands end with ; or \\g.',
        `Your MySQL connection id is ${thread + 7}`,
        'Server version: 8.4.6 MySQL Community Server - GPL',
        '',
      ].join('\n'),
      { think: 0.4 },
    );
    terminal.run(
      "select id, user, time, state, left(info, 48) as query from information_schema.processlist where command <> 'Sleep' order by time desc limit 3;",
      [
        '+--------+-----------+------+--------------+--------------------------------------------------+',
        '| id     | user      | time | state        | query                                            |',
        '+--------+-----------+------+--------------+--------------------------------------------------+',
        `| ${thread} | order_app |   41 | Sending data | SELECT * FROM order_item WHERE sku_code = 'SKU-1 |`,
        `| ${thread + 1} | order_app |   38 | Sending data | SELECT * FROM order_item WHERE sku_code = 'SKU-7 |`,
        '| 398112 | repl      |    0 | Waiting      | Binlog Dump GTID                                 |',
        '+--------+-----------+------+--------------+--------------------------------------------------+',
        '3 rows in set (0.01 sec)',
        '',
      ].join('\n'),
    );
    terminal.run(
      `explain select * from order_item where sku_code = 'SKU-10442'\\G`,
      [
        '*************************** 1. row ***************************',
        '           id: 1',
        '  select_type: SIMPLE',
        '        table: order_item',
        '         type: ALL',
        'possible_keys: NULL',
        '          key: NULL',
        `         rows: ${random.between(41_000_000, 59_000_000)}`,
        '     filtered: 0.01',
        '        Extra: Using where',
        '1 row in set, 1 warning (0.00 sec)',
        '',
      ].join('\n'),
    );
    terminal.wait(5);
    terminal.run(
      'alter table order_item add index idx_sku (sku_code), algorithm=inplace, lock=none;',
      [
        'Query OK, 0 rows affected (1 min 12.86 sec)',
        'Records: 0  Duplicates: 0  Warnings: 0',
        '',
      ].join('\n'),
      { think: 72 },
    );
    terminal.run(
      `select count(*) as 数量, sum(amount) as 金额 from order_item where sku_code = 'SKU-10442';`,
      [
        '+--------+-----------+',
        '| 数量   | 金额      |',
        '+--------+-----------+',
        `|   ${random.between(1000, 9999)} | ${random.between(100_000, 999_999)}.50 |`,
        '+--------+-----------+',
        '1 row in set (0.02 sec)',
        '',
      ].join('\n'),
    );
    terminal.run(`kill ${thread};`, 'Query OK, 0 rows affected (0.00 sec)\n');
    terminal.setPrompt(shell);
    terminal.run('exit', 'Bye');
    terminal.run(
      'uptime',
      ` ${new Date(stage.startedAt.getTime() + 150_000).toISOString().slice(11, 19)} up 143 days,  6:23,  1 user,  load average: 3.07, 12.51, 13.99`,
    );
    terminal.leave('exit', 'logout\r\n');
  },
};
