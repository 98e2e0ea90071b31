import { greeting, type Script, shellPrompt } from '../script.ts';

/** Checks a BSD firewall: pools, packages, rules, states. */
export const firewall: Script = {
  hosts: ['fra-fw'],
  groups: ['Europe SRE'],
  account: '运维 ops',
  play(terminal, stage) {
    const { random } = terminal;
    const blocked = `203.0.113.${random.between(2, 250)}`;
    terminal.greet(greeting(stage), shellPrompt(stage));
    terminal.run(
      'uname -a',
      `FreeBSD ${stage.hostname} 14.3-RELEASE-p5 FreeBSD 14.3-RELEASE-p5 GENERIC amd64`,
    );
    terminal.run('zpool status -x', 'all pools are healthy');
    terminal.run(
      'pkg audit -F',
      [
        'Fetching vuln.xml.xz: 100%    1 MiB   1.1MB/s    00:01',
        'curl-8.14.1 is vulnerable:',
        '  curl -- predictable WebSocket mask',
        '  CVE: CVE-2025-10148',
        '',
        '1 problem(s) in 1 installed package(s) found.',
      ].join('\n'),
      { think: 1.8, line: 0.3 },
    );
    terminal.run(
      'sudo pfctl -si | head -8',
      [
        'Status: Enabled for 61 days 03:07:41           Debug: Urgent',
        '',
        'State Table                          Total             Rate',
        `  current entries                    ${random.between(30_000, 60_000)}               `,
        `  searches                     ${random.between(10_000_000, 99_000_000)}       ${random.between(900, 4000)}.4/s`,
        '  inserts                       41229901         7.8/s',
        '  removals                      41190284         7.8/s',
        'Counters',
      ].join('\n'),
    );
    terminal.run(
      `sudo tcpdump -nn -c 4 -i vtnet0 host ${blocked}`,
      Array.from(
        { length: 4 },
        (_, index) =>
          `14:02:1${index}.${random.between(100_000, 999_999)} IP ${blocked}.${random.between(30_000, 60_000)} > 198.19.10.${11 + index}.443: Flags [S], seq ${random.between(100_000, 999_999)}, win 1024, length 0`,
      ).join('\n'),
      { think: 2.2, line: 0.6 },
    );
    terminal.run(`sudo pfctl -t scanners -T add ${blocked}`, '1/1 addresses added.');
    terminal.run(
      `sudo pfctl -k ${blocked}`,
      `killed ${random.between(2, 40)} states from 1 sources and 0 destinations`,
    );
    terminal.run('sudo pfctl -nf /etc/pf.conf && echo fine', 'fine');
    terminal.leave('exit', 'logout\r\n');
  },
};
