import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type IPty, spawn as spawnTerminal } from '@lydell/node-pty';
import fc from 'fast-check';
import { hasDisputed } from '../../gateway/sessions/terminal/commands/character-widths.ts';
import { CommandTracker } from '../../gateway/sessions/terminal/commands/tracker.ts';
import type { PendingLine } from '../../gateway/sessions/terminal/gated-terminal.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';

const PROMPT = 'ready> ';
/** Notes its words, then prints a text that no typed line contains. */
const NOTE = 'printf "%s\\n" "$*" >>"$RAN"; printf "no%s\\n" ted';
const SIZE = { cols: 80, rows: 24 };
/** Deletions in it leave the command `say` unchanged. */
const FIRST_WORD = 'a'.repeat(30);
const FISH = `function fish_prompt; printf '${PROMPT}'; end
function say; printf '%s\\n' "$argv" >>$RAN; printf 'no%s\\n' ted; end
function fish_command_not_found; say $argv; end
`;

/** An interactive shell with a start-up file in its home folder. */
interface EditingShell {
  readonly program: string;
  readonly words: readonly string[];
  readonly file: string;
  readonly text: string;
  /** Without a function for unknown commands, its first word must stay. */
  readonly keepsFirstWord?: boolean;
}

const functions = (...names: readonly string[]) =>
  names.map((name) => `${name}() { ${NOTE}; }\n`).join('');

export const EDITING_SHELLS = {
  bash: {
    program: '/bin/bash',
    words: ['--noprofile', '-i'],
    file: '.bashrc',
    text: `PS1='${PROMPT}'; set +H\n${functions('say', 'command_not_found_handle')}`,
  },
  zsh: {
    program: '/usr/bin/zsh',
    words: ['-i'],
    file: '.zshrc',
    text: `PS1='${PROMPT}'; bindkey -e\n${functions('say', 'command_not_found_handler')}`,
  },
  fish: {
    program: '/usr/bin/fish',
    words: ['-i'],
    file: '.config/fish/config.fish',
    text: FISH,
  },
  busybox: {
    program: '/bin/busybox',
    words: ['ash', '-i'],
    file: '.ashrc',
    text: `PS1='${PROMPT}'\n${functions('say')}`,
    keepsFirstWord: true,
  },
} satisfies Readonly<Record<string, EditingShell>>;

/** First letters of scripts, in which most programs agree about columns. */
const SCRIPTS = [
  ...[0x41, 0xe0, 0x100, 0x3b1, 0x430, 0x531, 0x561, 0x5d0, 0x627, 0x710, 0x780, 0x7ca, 0x904],
  ...[0x985, 0xa05, 0xa85, 0xb05, 0xb85, 0xc05, 0xc85, 0xd05, 0xd9a, 0xe01, 0xe81, 0xf40, 0x1000],
  ...[0x10d0, 0x1200, 0x13a0, 0x1401, 0x1681, 0x16a0, 0x1780, 0x1820, 0x2c30, 0x2d30, 0x3041],
  ...[0x30a1, 0x3105, 0x4e00, 0xa000, 0xa4d0, 0xac00, 0xff21],
];
const LETTERS_OF_A_SCRIPT = 12;
const OTHERS = [
  '😀',
  '🫨',
  '👨‍👩‍👧',
  '🇨🇳',
  '❤️',
  'é',
  '\u1100\u1161',
  '\u200b',
  '䷀',
  '☔',
  '𖿰',
  '👍🏽',
];
/**
 * Home, End, Left, Right, Backspace, Delete, Ctrl-W, Ctrl-U, Ctrl-K, Ctrl-Y, Ctrl-T, words, redraw,
 * the lines before and after, undo, letter case, exchanged words, and words of earlier lines.
 */
const KEYS = [
  ...['\x01', '\x05', '\x1b[D', '\x1b[D', '\x1b[C', '\x7f', '\x7f', '\x7f', '\x1b[3~'],
  ...['\x17', '\x15', '\x0b', '\x19', '\x14', '\x1bb', '\x1bf', '\x1bd'],
  ...['\x0c', '\x10', '\x0e', '\x1b[A', '\x1b[B', '\x02', '\x06', '\x1b\x7f', '\x1f'],
  ...['\x1bu', '\x1bc', '\x1bt', '\x1b.', '\x1by', '\x1b<', '\x1b>', '\x1b[H', '\x1b[F'],
];
/** Text that no screen shows. */
const UNSEEN = /^\s*\p{Default_Ignorable_Code_Point}[\s\p{Default_Ignorable_Code_Point}]*$/u;
/** Codes and question marks instead of characters that a shell does not know. */
const SUBSTITUTED = /\?|<[0-9a-f]{4}/;
const SAFE_KEYS: ReadonlySet<string> = new Set(['\x1b[D', '\x7f', '\x1b[C', '\x05']);

const word = fc
  .tuple(
    fc.constantFrom(...SCRIPTS),
    fc.array(fc.nat({ max: LETTERS_OF_A_SCRIPT }), { minLength: 1, maxLength: 9 }),
  )
  .map(([first, letters]) => letters.map((one) => String.fromCodePoint(first + one)).join(''));
/** Some shells refuse names of more than 255 bytes. */
const REPEATED = 5;
const piece = fc.oneof(
  { weight: 6, arbitrary: word },
  // Lines of several rows.
  { weight: 1, arbitrary: word.map((one) => ` ${one.repeat(REPEATED)} `) },
  { weight: 3, arbitrary: fc.constant(' ') },
  { weight: 6, arbitrary: fc.constantFrom(...KEYS) },
);

/** Keys of edited lines; every third one also has characters of disputed width. */
export function editedLines(count: number, seed: number): readonly (readonly string[])[] {
  const pieces = (other: fc.Arbitrary<string>) => fc.array(other, { minLength: 3, maxLength: 30 });
  const plain = fc.sample(pieces(piece), { numRuns: count, seed });
  const mixed = fc.sample(pieces(fc.oneof(piece, fc.constantFrom(...OTHERS))), {
    numRuns: count,
    seed,
  });
  return plain.map((line, index) => (index % 3 === 2 ? (mixed[index] ?? line) : line));
}

export interface EditedRun {
  /** Lines whose run text, judged text and logged text differ. */
  readonly differences: readonly object[];
  readonly lines: number;
  readonly plain: number;
  /** Refused lines whose echo had neither characters of disputed width nor substitutes. */
  readonly plainRefused: readonly object[];
}

const spaced = (text: string) => text.replace(/\s+/g, ' ').trim();

/** A shell in a terminal, and a command tracker that reads it. */
class EditedShell {
  readonly logged: string[] = [];
  readonly tracker: CommandTracker;
  output = '';
  private readonly terminal: IPty;
  private readonly ran: string;
  private readonly isBracketed: boolean;

  constructor(shell: EditingShell, home: string, environment: Readonly<Record<string, string>>) {
    this.ran = join(home, 'ran');
    this.isBracketed = shell.program !== '/bin/busybox';
    const began = performance.now();
    this.tracker = new CommandTracker({
      ...SIZE,
      owner: 'owner',
      charset: 'utf8',
      elapsed: () => performance.now() - began,
      onCommand: ({ input }) => this.logged.push(input),
      onDrain: () => undefined,
    });
    this.terminal = spawnTerminal(shell.program, [...shell.words], {
      ...SIZE,
      cwd: home,
      encoding: null,
      env: {
        PATH: `${home}:/usr/bin:/bin`,
        HOME: home,
        ZDOTDIR: home,
        ENV: join(home, '.ashrc'),
        LC_ALL: 'C.UTF-8',
        TERM: 'xterm-256color',
        RAN: this.ran,
        ...environment,
      },
    });
    this.terminal.onData((data: string | Buffer) => {
      const bytes = Buffer.from(data);
      this.output += bytes.toString();
      this.tracker.output(bytes);
    });
  }

  press(...keys: readonly string[]): void {
    for (const key of keys) {
      this.tracker.input(Buffer.from(key));
      this.terminal.write(key);
    }
  }

  /** Types a line, sends it, and returns its readings. */
  async run(keys: readonly string[], name: string): Promise<EditedLine> {
    const { tracker, logged } = this;
    await until(
      () => this.output.includes(PROMPT) && tracker.prompt.beforeCursor().endsWith('> '),
      `a prompt before ${name}`,
    );
    this.output = '';
    const earlier = (await readFile(this.ran, 'utf8')).length;
    const count = logged.length;
    this.press('say ', ...keys);
    const judged = await tracker.prompt.pendingLine();
    const echo = this.output;
    this.output = '';
    this.press('\r');
    await until(() => this.hasPrompted(), `a prompt after ${name}`);
    await tracker.settled();
    const isTooLong = this.output.includes('too long');
    const ran = (await readFile(this.ran, 'utf8')).slice(earlier);
    if (ran !== '' && !UNSEEN.test(ran)) {
      // The next key ends the record.
      this.press('\x15');
      await until(() => logged.length > count, `the record of ${name}`);
    }
    return {
      what: spaced(ran),
      judged,
      hasRun: ran !== '',
      isTooLong,
      echo,
      logged: logged.slice(count).map(spaced),
    };
  }

  /** Returns true if a prompt follows the last Enter, also that of an empty line. */
  private hasPrompted(): boolean {
    const { output } = this;
    const row = output.slice(Math.max(0, output.lastIndexOf('\n')));
    const isReading = this.isBracketed ? output.includes('\x1b[?2004h') : row.startsWith('\n');
    return isReading && row.includes(PROMPT);
  }

  async end(): Promise<void> {
    this.terminal.kill();
    await this.tracker.end();
  }
}

/** Keys that keep the first word; busybox shows letters beyond its table as question marks. */
function keysOfFewLetters(keys: readonly string[], isAscii: boolean): readonly string[] {
  const safe = keys.filter((key) => !KEYS.includes(key) || SAFE_KEYS.has(key));
  const known = isAscii ? safe.map((key) => key.replace(/\P{ASCII}/gu, 'a')) : safe;
  return [FIRST_WORD, ...known];
}

interface EditedLine {
  /** The words that ran, without `say`. */
  readonly what: string;
  readonly judged: PendingLine | undefined;
  readonly logged: readonly string[];
  /** False for an empty line. */
  readonly hasRun: boolean;
  /** The shell refused the name of the command. */
  readonly isTooLong: boolean;
  /** Output until the line was judged. */
  readonly echo: string;
}

/** Types lines into a shell, and compares what ran with the reading of the command tracker. */
export async function typeEditedLines(
  shell: EditingShell,
  lines: readonly (readonly string[])[],
  environment: Readonly<Record<string, string>> = {},
): Promise<EditedRun> {
  const home = await mkdtemp(join(tmpdir(), 'sallyport-edited-'));
  await writeFile(join(home, 'ran'), '');
  await mkdir(dirname(join(home, shell.file)), { recursive: true });
  await writeFile(join(home, shell.file), shell.text);
  const edited = new EditedShell(shell, home, environment);
  const differences: object[] = [];
  const plainRefused: object[] = [];
  let plain = 0;
  try {
    for (const [index, all] of lines.entries()) {
      const keys = shell.keepsFirstWord ? keysOfFewLetters(all, index % 3 === 0) : all;
      const line = await edited.run(keys, `line ${index}`);
      const isRefused = line.judged?.isUncertain === true || line.judged?.isUnread === true;
      const typed = keys.filter((key) => !KEYS.includes(key)).join('');
      // Keys can put back letters of earlier lines.
      const texts = typed + line.echo + line.judged?.text;
      if (!hasDisputed(texts, 'utf8') && !SUBSTITUTED.test(texts)) {
        plain++;
        if (isRefused) plainRefused.push({ index, keys, ...line });
      }
      if (!isRight(line, isRefused)) differences.push({ index, keys, ...line });
    }
  } finally {
    await edited.end();
    await removeFolder(home);
  }
  return { differences, lines: lines.length, plain, plainRefused };
}

/** Returns true if the line was read as it ran, or was refused, and the log says so. */
function isRight(line: EditedLine, isRefused: boolean): boolean {
  const { what, judged, logged, hasRun, isTooLong } = line;
  if (!hasRun) return isTooLong || isRefused || judged?.text === '';
  if (UNSEEN.test(what)) return isRefused;
  const isSame = (text = '') => [spaced(text), spaced(text).replace(/^say ?/, '')].includes(what);
  const entry = logged.at(-1);
  const isLogged = entry?.startsWith('# uncertain: ') || isSame(entry);
  return isLogged && (isRefused || isSame(judged?.text) || judged?.seen.some(isSame) === true);
}
