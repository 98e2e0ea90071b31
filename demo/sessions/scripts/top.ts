import { greeting, type Script, shellPrompt } from '../script.ts';
import type { ScriptedTerminal } from '../scripted-terminal.ts';

/** Pid of the busy process. */
const JAVA = 18_204;
/** Name, account, resident MiB, and CPU share in per mille. */
const PROCESSES = [
  ['java', 'app', 45_210, 5400],
  ['node_exporter', 'nobody', 22, 14],
  ['fluent-bit', 'root', 148, 61],
  ['kswapd0', 'root', 0, 93],
  ['systemd-journal', 'root', 96, 11],
  ['containerd', 'root', 71, 9],
  ['kworker/3:1-events', 'root', 0, 6],
  ['sshd-session', 'ops', 9, 2],
  ['top', 'ops', 5, 7],
  ['chronyd', 'chrony', 4, 0],
  ['systemd', 'root', 13, 0],
  ['kthreadd', 'root', 0, 0],
  ['rcu_preempt', 'root', 0, 3],
  ['migration/0', 'root', 0, 0],
  ['ksoftirqd/0', 'root', 0, 1],
  ['dbus-broker', 'dbus', 5, 0],
  ['NetworkManager', 'root', 20, 0],
  ['polkitd', 'polkitd', 24, 0],
  ['rsyslogd', 'root', 12, 2],
  ['crond', 'root', 4, 0],
  ['agetty', 'root', 2, 0],
  ['tuned', 'root', 31, 1],
] as const;
const MEMORY = 64_043;

function drawFrame(
  {
    random,
    print,
    rows,
  }: { random: ScriptedTerminal['random']; print: (text: string) => void; rows: number },
  clock: string,
): void {
  const busy = random.between(61, 88);
  const head = [
    `top - ${clock} up 61 days,  3:07,  1 user,  load average: 9.${random.between(10, 99)}, 7.51, 5.90`,
    'Tasks: \x1b[1m 214 \x1b[mtotal, \x1b[1m  3 \x1b[mrunning, \x1b[1m 211 \x1b[msleeping',
    `%Cpu(s): \x1b[1m${busy}.3 \x1b[mus, \x1b[1m 6.0 \x1b[msy, \x1b[1m ${Math.max(94 - busy, 1)}.1 \x1b[mid`,
    `MiB Mem : \x1b[1m ${MEMORY}.1 \x1b[mtotal, \x1b[1m  2210.7 \x1b[mfree, \x1b[1m 51877.9 \x1b[mused`,
    '',
    '\x1b[7m    PID USER      PR  NI     RES   %CPU  %MEM     TIME+ COMMAND            \x1b[m',
  ];
  const list = PROCESSES.map(([name, user, resident, share], index) => {
    const now = Math.round(share * (0.7 + random.fraction() * 0.6)) / 10;
    const columns = [
      String(index === 0 ? JAVA : 9 + index * 173).padStart(7),
      user.padEnd(8),
      ' 20   0',
      `${resident}m`.padStart(7),
      now.toFixed(1).padStart(6),
    ];
    return {
      now,
      line: `${columns.join(' ')} ${((resident / MEMORY) * 100).toFixed(1).padStart(5)} ${String(Math.round(share / 6)).padStart(6)}:12.44 ${name}`,
    };
  })
    .sort((one, other) => other.now - one.now)
    .slice(0, rows - 7)
    .map(({ line }) => line);
  print(`\x1b[H${[...head, ...list].map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J`);
}

/** Watches a busy machine with top on a full screen, while the window grows. */
export const watchTop: Script = {
  hosts: ['bj-hadoop', 'or-kafka'],
  groups: ['Data Platform'],
  account: '运维 ops',
  play(terminal, stage) {
    const { random } = terminal;
    terminal.greet(greeting(stage), shellPrompt(stage));
    terminal.runProgram('top -d 2', () => {
      const frame = (rows: number, index: number) =>
        drawFrame(
          { random, rows, print: (text) => terminal.print(text) },
          new Date(stage.startedAt.getTime() + index * 2000).toISOString().slice(11, 19),
        );
      terminal.print('\x1b[?1049h\x1b[?25l\x1b[2J');
      const frames = random.between(8, 14);
      for (let index = 0; index < frames; index++) {
        if (index === 4) terminal.resize(120, 36);
        frame(index >= 4 ? 36 : terminal.rows, index);
        terminal.wait(2);
      }
      terminal.print('\x1b[?25h\x1b[?1049l');
    });
    terminal.run(
      `sudo jstack ${JAVA} | grep -A3 'GC task' | head -4`,
      [
        '"GC task thread#0 (ParallelGC)" os_prio=0 tid=0x00007f3c runnable',
        '"GC task thread#1 (ParallelGC)" os_prio=0 tid=0x00007f3d runnable',
      ].join('\n'),
      { think: 1.2 },
    );
    terminal.run(
      `sudo jstat -gcutil ${JAVA} 1000 3`,
      [
        '  S0     S1     E      O      M     YGC     YGCT    FGC    FGCT',
        '  0.00  98.12  71.04  99.91  96.20   9120  288.41   312  941.07',
        '  0.00  98.12  83.55  99.93  96.20   9121  288.46   313  944.28',
        '  0.00  97.60  12.80  99.94  96.20   9122  288.52   314  947.39',
      ].join('\n'),
      { think: 1, line: 1 },
    );
    terminal.run('echo "老年代已满，通知业务方扩容"', '老年代已满，通知业务方扩容');
    terminal.leave('exit', 'logout\r\n');
  },
};
