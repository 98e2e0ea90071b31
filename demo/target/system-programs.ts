import { setTimeout as pause } from 'node:timers/promises';
import { processTable, uptimeLine } from './pretended-load.ts';
import { optionsOf, type Program, type ProgramContext } from './program.ts';
import { HOST_NAME } from './sample-files.ts';

const prints = (summary: string, text: (context: ProgramContext) => string): Program => ({
  summary,
  run: (context) => {
    context.out(`${text(context)}\n`);
    return 0;
  },
});

const SYSTEM = { s: 'Demo', n: HOST_NAME, r: '1.0.0', m: 'pretended-in-memory' } as const;

function systemName(flags: ReadonlySet<string>): string {
  const letters = (['s', 'n', 'r', 'm'] as const).filter(
    (letter) => flags.has('a') || flags.has(letter),
  );
  return letters.length === 0 ? SYSTEM.s : letters.map((letter) => SYSTEM[letter]).join(' ');
}

export const SYSTEM_PROGRAMS: Readonly<Record<string, Program>> = {
  whoami: prints('name the account', ({ state }) => state.user),
  id: prints(
    'name the account and its groups',
    ({ state }) => `uid=1000(${state.user}) gid=1000(${state.user}) groups=1000(${state.user})`,
  ),
  hostname: prints('name the machine', () => HOST_NAME),
  uname: prints('name the system (-a, or -s -n -r -m)', ({ args }) =>
    systemName(optionsOf(args).flags),
  ),
  date: prints('tell the time', () => new Date().toString()),
  uptime: prints('tell how long the machine runs', ({ state }) => uptimeLine(state.startedAt)),
  ps: prints('list processes', () => {
    const rows = processTable(Date.now()).map(
      ({ pid, user, cpu, memory, name }) =>
        `${String(pid).padStart(5)} ${user.padEnd(9)} ${cpu.toFixed(1).padStart(5)} ${memory.toFixed(1).padStart(5)} ${name}`,
    );
    return ['  PID USER       %CPU  %MEM COMMAND', ...rows].join('\n');
  }),
  df: prints('tell the room on disks', () =>
    [
      'Filesystem      Size  Used Avail Use% Mounted on',
      '/dev/vda1        40G   11G   27G  29% /',
      '/dev/vdb1       200G  143G   47G  76% /backup',
    ].join('\n'),
  ),
  free: prints('tell the room in memory', () =>
    [
      '               total        used        free      shared  buff/cache   available',
      'Mem:         8048764     2312044      612380       91208     5124340     5412816',
      'Swap:        2097148           0     2097148',
    ].join('\n'),
  ),
  env: prints('list the variables', ({ state }) =>
    [...state.variables].map(([name, value]) => `${name}=${value}`).join('\n'),
  ),
  history: prints('list what was typed', ({ state }) =>
    state.history.map((line, index) => `${String(index + 1).padStart(5)}  ${line}`).join('\n'),
  ),
  export: {
    summary: 'set a variable (NAME=value)',
    run: ({ args, state, fail }) => {
      const match = /^([A-Za-z_]\w{0,63})=([\s\S]{0,1024})$/.exec(args[0] ?? '');
      if (!match || state.variables.size > 200) return fail('export: write NAME=value');
      state.variables.set(match[1] ?? '', match[2] ?? '');
      return 0;
    },
  },
  clear: {
    summary: 'clear the screen',
    run: ({ screen }) => {
      screen?.write('\x1b[H\x1b[2J\x1b[3J');
      return 0;
    },
  },
  sleep: {
    summary: 'wait some seconds',
    run: async ({ args, fail, signal }) => {
      const seconds = Number(args[0]);
      if (!(seconds >= 0 && seconds <= 86_400)) return fail('sleep: a number of seconds, please');
      await pause(seconds * 1000, undefined, { signal }).catch(() => undefined);
      return signal.aborted ? 130 : 0;
    },
  },
  exit: {
    summary: 'leave',
    run: ({ state, args }) => {
      state.over = true;
      return Number(args[0]) || 0;
    },
  },
};
