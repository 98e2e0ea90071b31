import { textWidth } from '../../server/src/platform/text-width.ts';
import { baseName, type FileNode } from './file-system.ts';
import { optionsOf, type Program, type ProgramContext } from './program.ts';
import { HOME } from './sample-files.ts';

const pathOf = ({ state }: ProgramContext, path: string) =>
  state.files.resolve(
    state.cwd,
    path === '~' || path.startsWith('~/') ? HOME + path.slice(1) : path,
  );

function list(context: ProgramContext): number {
  const { flags, rest } = optionsOf(context.args);
  const paths = rest.length === 0 ? ['.'] : rest;
  for (const path of paths) {
    const node = context.state.files.find(pathOf(context, path));
    if (!node) return context.fail(`ls: cannot access '${path}': No such file or directory`);
    if (paths.length > 1 && node.kind === 'folder') context.out(`${path}:\n`);
    const entries: readonly (readonly [string, FileNode])[] =
      node.kind === 'file'
        ? [[path, node]]
        : [...node.children]
            .filter(([name]) => flags.has('a') || !name.startsWith('.'))
            .sort(([a], [b]) => a.localeCompare(b));
    context.out(
      flags.has('l') ? longList(context, entries) : shortList(context, entries, flags.has('1')),
    );
  }
  return 0;
}

function colored(context: ProgramContext, name: string, node: FileNode): string {
  if (!context.screen) return name;
  if (node.kind === 'folder') return `\x1b[1;34m${name}\x1b[0m`;
  return name.endsWith('.sh') ? `\x1b[1;32m${name}\x1b[0m` : name;
}

function shortList(
  context: ProgramContext,
  entries: readonly (readonly [string, FileNode])[],
  single: boolean,
): string {
  if (entries.length === 0) return '';
  if (single || !context.screen)
    return entries.map(([name, node]) => `${colored(context, name, node)}\n`).join('');
  const width = Math.max(...entries.map(([name]) => textWidth(name))) + 2;
  const perRow = Math.max(1, Math.floor(context.screen.columns() / width));
  let text = '';
  for (const [index, [name, node]] of entries.entries()) {
    const isLast = index === entries.length - 1 || (index + 1) % perRow === 0;
    text += colored(context, name, node) + (isLast ? '\n' : ' '.repeat(width - textWidth(name)));
  }
  return text;
}

function longList(
  context: ProgramContext,
  entries: readonly (readonly [string, FileNode])[],
): string {
  return entries
    .map(([name, node]) => {
      const mode =
        node.kind === 'folder' ? 'drwxr-xr-x' : name.endsWith('.sh') ? '-rwxr-xr-x' : '-rw-r--r--';
      const owner = node.isOurs ? 'demo' : 'root';
      const size = node.kind === 'folder' ? 4096 : Buffer.byteLength(node.text);
      const changed = node.changed.toISOString().slice(0, 16).replace('T', ' ');
      return `${mode} 1 ${owner} ${owner} ${String(size).padStart(7)} ${changed} ${colored(context, name, node)}\n`;
    })
    .join('');
}

function changeFolder(context: ProgramContext): number {
  const path = pathOf(context, context.args[0] ?? '~');
  const node = context.state.files.find(path);
  if (!node) return context.fail(`cd: ${context.args[0]}: No such file or directory`);
  if (node.kind === 'file') return context.fail(`cd: ${context.args[0]}: Not a directory`);
  context.state.cwd = path;
  return 0;
}

/** Returns the target path of a copy or move: inside of the target if it is a folder. */
function destination(context: ProgramContext, from: string, to: string): string {
  const target = pathOf(context, to);
  return context.state.files.find(target)?.kind === 'folder'
    ? `${target === '/' ? '' : target}/${baseName(from)}`
    : target;
}

function copyOrMove(context: ProgramContext, moves: boolean): number {
  const { flags, rest } = optionsOf(context.args);
  const name = moves ? 'mv' : 'cp';
  const to = rest.at(-1);
  if (rest.length < 2 || to === undefined) return context.fail(`${name}: missing destination`);
  for (const source of rest.slice(0, -1)) {
    const from = pathOf(context, source);
    const node = context.state.files.find(from);
    if (!moves && node?.kind === 'folder' && !flags.has('r') && !flags.has('a'))
      return context.fail(`cp: -r not specified; omitting directory '${source}'`);
    if (moves && node && !node.isOurs)
      return context.fail(`mv: cannot move '${source}': Permission denied`);
    context.state.files.copy(from, destination(context, from, to));
    if (moves) context.state.files.remove(from, true);
  }
  return 0;
}

function forEachPath(context: ProgramContext, action: (path: string) => void): number {
  const { rest } = optionsOf(context.args);
  if (rest.length === 0) return context.fail('missing operand');
  for (const path of rest) action(pathOf(context, path));
  return 0;
}

export const FILE_PROGRAMS: Readonly<Record<string, Program>> = {
  ls: { summary: 'list a folder (-l, -a, -1)', run: list },
  cd: { summary: 'change the folder', run: changeFolder },
  pwd: {
    summary: 'name the current folder',
    run: ({ out, state }) => {
      out(`${state.cwd}\n`);
      return 0;
    },
  },
  mkdir: {
    summary: 'make folders',
    run: (context) => forEachPath(context, (path) => context.state.files.makeFolder(path)),
  },
  touch: {
    summary: 'make empty files',
    run: (context) => forEachPath(context, (path) => context.state.files.write(path, '', true)),
  },
  rm: {
    summary: 'remove files (-r folders too)',
    run: (context) => {
      const { flags } = optionsOf(context.args);
      return forEachPath(context, (path) => {
        if (flags.has('f') && !context.state.files.find(path)) return;
        context.state.files.remove(path, flags.has('r') || flags.has('R'));
      });
    },
  },
  cp: { summary: 'copy (-r folders too)', run: (context) => copyOrMove(context, false) },
  mv: { summary: 'move or rename', run: (context) => copyOrMove(context, true) },
};
