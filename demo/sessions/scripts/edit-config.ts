import { cyan, green, greeting, red, type Script, shellPrompt, yellow } from '../script.ts';

const FILE = [
  '[server]',
  'listen = 0.0.0.0:9090',
  'workers = 8',
  '',
  '# 连接池',
  '[pool]',
  'max_connections = 200',
  'idle_timeout = 30s',
  'acquire_timeout = 2s',
  '',
  '[log]',
  'level = "info"',
];

/** Edits a configuration in vim, checks the change, and restarts the service. */
export const editConfig: Script = {
  hosts: ['bj-search'],
  groups: ['平台运维'],
  account: '运维 ops',
  play(terminal, stage) {
    const rows = terminal.rows;
    const path = '/etc/search/search.toml';
    const draw = (lines: readonly string[], status: string, cursor: string) => {
      const body = lines.map((line) =>
        line.startsWith('#') ? cyan(line) : line.startsWith('[') ? yellow(line) : line,
      );
      const empty = Array.from({ length: rows - 1 - lines.length }, () => '\x1b[94m~\x1b[0m');
      terminal.print(
        `\x1b[?25l\x1b[H${[...body, ...empty].map((line) => `${line}\x1b[K`).join('\r\n')}\r\n\x1b[K${status}${cursor}\x1b[?25h`,
      );
    };
    terminal.greet(greeting(stage), shellPrompt(stage));
    terminal.run('systemctl is-active search', 'active');
    terminal.run(`sudo cp ${path} ${path}.bak`);
    terminal.runProgram(`sudo vim ${path}`, () => {
      terminal.print('\x1b[?1049h\x1b[?1h\x1b[2J');
      draw(FILE, `"${path}" ${FILE.length}L, 168B`, '\x1b[1;1H');
      terminal.wait(1.5);
      for (let row = 2; row <= 7; row++) {
        terminal.print(`\x1b[${row};1H`);
        terminal.wait(0.16);
      }
      draw(FILE, '\x1b[1m-- 插入 --\x1b[m', '\x1b[7;19H');
      for (const value of ['200', '20', '2', '', '4', '40', '400']) {
        terminal.print(`\x1b[7;1H${`max_connections = ${value}`}\x1b[K`);
        terminal.wait(0.2);
      }
      const changed = FILE.map((line) =>
        line.startsWith('max_connections') ? 'max_connections = 400' : line,
      );
      terminal.wait(1);
      draw(changed, '', '\x1b[7;21H');
      terminal.wait(0.7);
      for (const letters of [':', ':w', ':wq']) {
        terminal.print(`\x1b[${rows};1H\x1b[K${letters}`);
        terminal.wait(0.2);
      }
      terminal.print(
        `\x1b[${rows};1H\x1b[K"${path}" ${FILE.length}L, 168B 已写入\r\n\x1b[?1l\x1b[?1049l`,
      );
    });
    terminal.run(
      `diff -u --color=always ${path}.bak ${path}`,
      [
        red(`--- ${path}.bak`),
        green(`+++ ${path}`),
        cyan('@@ -4,7 +4,7 @@'),
        ' # 连接池',
        ' [pool]',
        red('-max_connections = 200'),
        green('+max_connections = 400'),
        ' idle_timeout = 30s',
      ].join('\n'),
    );
    terminal.run('sudo systemctl restart search', '', { think: 2.4 });
    terminal.run('systemctl is-active search', 'active');
    terminal.run(
      'journalctl -u search -n 3 --no-pager -o cat',
      [
        'config loaded from /etc/search/search.toml',
        'pool: 400 connections at the most',
        `${green('ready')} in 812 ms`,
      ].join('\n'),
    );
    terminal.leave('exit', 'logout\r\n');
  },
};
