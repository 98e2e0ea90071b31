import { greeting, type Script, shellPrompt } from '../script.ts';
import type { ScriptedTerminal } from '../scripted-terminal.ts';

const PROCESSES = ['java', 'node', 'redis-server', 'kswapd0', 'sshd', 'systemd-journal', 'containerd', 'fluent-bit'] as const;

function drawFrame({ random, print, rows }: { random: ScriptedTerminal['random']; print: (text: string) => void; rows: number }, clock: string): void {
  const busy = random.between(61, 88);
  const head = [
    `top - ${clock} up 61 days,  3:07,  1 user,  load average: 9.${random.between(10, 99)}, 7.51, 5.90`,
    `Tasks: \x1b[1m 214 \x1b[mtotal, \x1b[1m  3 \x1b[mrunning, \x1b[1m 211 \x1b[msleeping`,
    `%Cpu(s): \x1b[1m${busy}.3 \x1b[mus, \x1b[1m 6.0 \x1b[msy, \x1b[1m ${Math.max(94 - busy, 1)}.1 \x1b[mid`,
    'MiB Mem : \x1b[1m 64043.1 \x1b[mtotal, \x1b[1m  2210.7 \x1b[mfree, \x1b[1m 51877.9 \x1b[mused',
    '',
    '\x1b[7m    PID USER      PR  NI    VIRT    RES  %CPU  %MEM     TIME+ COMMAND        \x1b[m',
  ];
  const list = PROCESSES.slice(0, rows - 8).map((name, index) => {
    const share = index === 0 ? random.between(380, 710) : random.between(0, Math.max(60 - index * 8, 1));
    return `${String(1200 + index * 731).padStart(7)} app       20   0   ${31 - index * 3}.2g   ${28 - index * 3}.1g ${String(share).padStart(4)}.${random.between(0, 9)}  ${String(44 - index * 5).padStart(3)}.1  ${900 - index * 90}:12.44 ${name}`;
  });
  print(`\x1b[H${[...head, ...list].map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J`);
}

/** A busy machine is watched with top on the full screen, in a window that gets larger meanwhile. */
export const watchTop: Script = {
  hosts: ['bj-hadoop', 'or-kafka'],
  groups: ['Data Platform'],
  account: '运维 ops',
  play(terminal, stage) {
    const { random } = terminal;
    terminal.greet(greeting(stage), shellPrompt(stage));
    terminal.runProgram('top -d 2', () => {
      const frame = (rows: number, index: number) =>
        drawFrame({ random, rows, print: (text) => terminal.print(text) }, new Date(stage.startedAt.getTime() + index * 2000).toISOString().slice(11, 19));
      terminal.print('\x1b[?1049h\x1b[?25l\x1b[2J');
      const frames = random.between(8, 14);
      for (let index = 0; index < frames; index++) {
        if (index === 4) terminal.resize(120, 36);
        frame(index >= 4 ? 36 : terminal.rows, index);
        terminal.wait(2);
      }
      terminal.print('\x1b[?25h\x1b[?1049l');
    });
    const pid = 1200;
    terminal.run(
      `sudo jstack ${pid} | grep -A3 'GC task' | head -4`,
      ['"GC task thread#0 (ParallelGC)" os_prio=0 tid=0x00007f3c runnable', '"GC task thread#1 (ParallelGC)" os_prio=0 tid=0x00007f3d runnable'].join('\n'),
      { think: 1.2 },
    );
    terminal.run(
      `sudo jstat -gcutil ${pid} 1000 3`,
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
