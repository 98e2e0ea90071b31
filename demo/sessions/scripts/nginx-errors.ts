import { bold, green, greeting, red, type Script, shellPrompt, stamp, yellow } from '../script.ts';

/** Searches upstream errors, checks the configuration and reloads it. */
export const nginxErrors: Script = {
  hosts: ['sh-web'],
  groups: ['业务研发'],
  account: '发布 deploy',
  play(terminal, stage) {
    const { random } = terminal;
    const timeouts = random.between(100, 290);
    const upstream = `198.18.11.${random.between(11, 18)}:8080`;
    const at = (seconds: number) => stamp(stage.startedAt, seconds).replaceAll('-', '/');
    terminal.greet(greeting(stage), shellPrompt(stage));
    terminal.run(
      'systemctl status nginx --no-pager | head -5',
      [
        `${green('●')} nginx.service - The nginx HTTP and reverse proxy server`,
        '     Loaded: loaded (/usr/lib/systemd/system/nginx.service; enabled; preset: disabled)',
        `     Active: ${green('active (running)')} since ${stamp(stage.startedAt, -1_209_600)} UTC; 2 weeks ago`,
        `   Main PID: ${random.between(900, 4000)} (nginx)`,
        '      Tasks: 9 (limit: 203524)',
      ].join('\n'),
    );
    terminal.run(
      'tail -n 6 /var/log/nginx/error.log',
      Array.from(
        { length: 6 },
        (_, index) =>
          `${at(index * 7 - 60)} [error] 1231#1231: *${random.between(80_000, 99_999)} upstream timed out (110: Connection timed out) while connecting to upstream, request: "POST /api/cart/checkout HTTP/1.1", upstream: "http://${upstream}/api/cart/checkout"`,
      ).join('\n'),
    );
    terminal.run(
      `awk '{print $9}' /var/log/nginx/access.log | sort | uniq -c | sort -rn | head`,
      [
        ` ${random.between(180_000, 260_000)} 200`,
        `  ${random.between(10_000, 30_000)} 304`,
        `   ${random.between(1000, 3000)} 301`,
        `    ${random.between(300, 900)} 404`,
        `    ${timeouts} 504`,
        '     17 499',
      ].join('\n'),
      { think: 1.4 },
    );
    terminal.run(
      `curl -s -o /dev/null -w '%{http_code} %{time_total}\\n' http://${upstream}/healthz`,
      '000 3.001482',
      { think: 3 },
    );
    terminal.run(
      `sudo sed -i 's/server ${upstream};/server ${upstream} down;/' /etc/nginx/conf.d/upstream.conf`,
    );
    terminal.run(
      'sudo nginx -t',
      'nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file /etc/nginx/nginx.conf test is successful',
      { think: 0.5 },
    );
    terminal.run('sudo systemctl reload nginx', '', { think: 0.6 });
    terminal.wait(4);
    terminal.run(`grep -c ' 504 ' /var/log/nginx/access.log`, String(timeouts + 3));
    terminal.run(
      'grep --color=always -n down /etc/nginx/conf.d/upstream.conf',
      `${green('7')}:    server ${upstream} ${red('down')};`,
    );
    terminal.run('echo "已摘除故障节点，等待研发修复"', `已摘除故障节点，等待研发修复`);
    if (random.oneIn(2))
      terminal.run(
        'w',
        [
          bold('USER     TTY      FROM             LOGIN@   IDLE WHAT'),
          `${stage.username.padEnd(8)} pts/0    198.18.1.11      ${yellow('09:12')}    0.00s w`,
        ].join('\n'),
      );
    terminal.leave('exit', 'logout\r\n');
  },
};
