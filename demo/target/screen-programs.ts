import { textWidth } from '../../server/src/platform/text-width.ts';
import { processTable, uptimeLine } from './pretended-load.ts';
import { inputsOf, linesOf, type Program, type ProgramContext, type Screen } from './program.ts';

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';

async function top(context: ProgramContext): Promise<number> {
  const { screen, state, signal } = context;
  if (!screen) return context.fail('top: needs a terminal');
  screen.write(ENTER);
  while (!signal.aborted) {
    const processes = processTable(Date.now());
    const busy = Math.min(
      99,
      processes.reduce((sum, { cpu }) => sum + cpu, 0),
    );
    const lines = [
      `top - ${uptimeLine(state.startedAt)}`,
      `Tasks: ${processes.length} total, 1 running, ${processes.length - 1} sleeping`,
      `%Cpu(s): ${busy.toFixed(1)} us, ${(100 - busy).toFixed(1)} id`,
      '',
      `\x1b[7m${'  PID USER       %CPU  %MEM COMMAND'.padEnd(screen.columns())}\x1b[0m`,
      ...processes.map(
        ({ pid, user, cpu, memory, name }) =>
          `${String(pid).padStart(5)} ${user.padEnd(9)} ${cpu.toFixed(1).padStart(5)} ${memory.toFixed(1).padStart(5)} ${name}`,
      ),
    ];
    draw(screen, lines);
    const key = await screen.nextKey(1000);
    if (key === 'q' || key === '\x03') break;
  }
  screen.write(LEAVE);
  return 0;
}

async function less(context: ProgramContext): Promise<number> {
  const { screen, signal } = context;
  const [input] = inputsOf(context, context.args);
  const lines = linesOf(input?.text ?? '');
  if (!screen) {
    context.out(lines.map((line) => `${line}\n`).join(''));
    return 0;
  }
  screen.write(ENTER);
  let from = 0;
  while (!signal.aborted) {
    const page = Math.max(1, screen.rows() - 1);
    const last = Math.max(0, lines.length - page);
    from = Math.min(Math.max(from, 0), last);
    const status =
      from >= last
        ? '(END) q to leave'
        : `${input?.name || '(pipe)'} ${Math.round(((from + page) / lines.length) * 100)}%`;
    const visible = lines.slice(from, from + page);
    while (visible.length < page) visible.push('~');
    draw(screen, [...visible, `\x1b[7m${status}\x1b[0m`]);
    const key = await screen.nextKey(60_000);
    if (key === 'q' || key === 'Q' || key === '\x03') break;
    from += stepOf(key, page, lines.length);
  }
  screen.write(LEAVE);
  return 0;
}

function stepOf(key: string | undefined, page: number, all: number): number {
  if (key === ' ' || key === 'f' || key === '\x1b[6~') return page;
  if (key === 'b' || key === '\x1b[5~') return -page;
  if (key === 'j' || key === '\r' || key === '\x1b[B' || key === '\x1bOB') return 1;
  if (key === 'k' || key === '\x1b[A' || key === '\x1bOA') return -1;
  if (key === 'G' || key === '\x1b[F') return all;
  if (key === 'g' || key === '\x1b[H') return -all;
  return 0;
}

function draw(screen: Screen, lines: readonly string[]): void {
  const rows = lines
    .slice(0, screen.rows())
    .map((line) => `${cutToWidth(line, screen.columns())}\x1b[K`);
  screen.write(`\x1b[H${rows.join('\r\n')}\x1b[J`);
}

function cutToWidth(line: string, columns: number): string {
  if (textWidth(line) <= columns) return line;
  let text = '';
  for (const character of line) {
    if (textWidth(text + character) > columns) break;
    text += character;
  }
  return `${text}\x1b[0m`;
}

export const SCREEN_PROGRAMS: Readonly<Record<string, Program>> = {
  top: { summary: 'watch processes (q leaves)', run: top },
  less: { summary: 'read a file page by page (q leaves)', run: less },
};
