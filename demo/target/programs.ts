import { FILE_PROGRAMS } from './file-programs.ts';
import type { Program } from './program.ts';
import { SCREEN_PROGRAMS } from './screen-programs.ts';
import { SYSTEM_PROGRAMS } from './system-programs.ts';
import { TEXT_PROGRAMS } from './text-programs.ts';

const help: Program = {
  summary: 'this list',
  run: ({ out }) => {
    out(
      'This is a pretended machine; it knows these programs, pipes (|), > >> <, ; && and ||.\n这是一台模拟主机，支持以下命令：\n\n',
    );
    for (const [name, { summary }] of [...PROGRAMS].sort(([a], [b]) => a.localeCompare(b)))
      out(`  ${name.padEnd(10)} ${summary}\n`);
    return 0;
  },
};

export const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  Object.entries({
    ...FILE_PROGRAMS,
    ...TEXT_PROGRAMS,
    ...SYSTEM_PROGRAMS,
    ...SCREEN_PROGRAMS,
    logout: SYSTEM_PROGRAMS.exit ?? help,
    help,
  }),
);
