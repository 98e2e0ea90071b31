import { firstKey, LineEditor } from './line-editor.ts';
import type { Screen, ShellState } from './program.ts';
import { PROGRAMS } from './programs.ts';
import { runLine } from './run-line.ts';
import { HOME, HOST_NAME, sampleFileSystem } from './sample-files.ts';

const MAX_HISTORY = 500;
const MAX_WAITING_KEYS = 64 * 1024;
/** Empty lines answered in one batch. */
const EMPTY_LINES = 64;

export function newState(user: string): ShellState {
  const now = new Date();
  return {
    files: sampleFileSystem(now),
    history: [],
    variables: new Map([
      ['HOME', HOME],
      ['USER', user],
      ['HOSTNAME', HOST_NAME],
      ['TERM', 'xterm-256color'],
      ['SHELL', '/bin/sh'],
    ]),
    user,
    startedAt: now,
    cwd: HOME,
    status: 0,
    over: false,
  };
}

/** The output of a visit. */
export interface VisitEnds {
  write(text: string): void;
  /** Waits until the other end has read the output. */
  drained(): Promise<void>;
  end(status: number): void;
}

/** One visitor at the terminal: prompt, line, program, repeat. */
export class Visit {
  private readonly state: ShellState;
  private readonly ends: VisitEnds;
  private size: { columns: number; rows: number };
  private editor: LineEditor | undefined;
  private running: AbortController | undefined;
  private keyTaker: ((key: string) => void) | undefined;
  private waitingKeys = '';
  private emptyLines = 0;

  constructor(user: string, size: { columns: number; rows: number }, ends: VisitEnds) {
    this.state = newState(user);
    this.size = size;
    this.ends = ends;
    this.write(
      'Demo target of Sallyport - a pretended machine in memory. Try: cat README.txt, help\nSallyport 演示主机，输入 help 查看可用命令。\n\n',
    );
    this.prompt();
  }

  /** Processes keys of the visitor. */
  keys(text: string): void {
    let rest = text;
    // Each line has a new editor. Process many empty lines in a loop, not recursively.
    while (rest !== '' && this.editor) rest = this.editor.keys(rest);
    if (rest !== '') this.keysMeanwhile(rest);
  }

  /** Processes keys while a program runs. */
  private keysMeanwhile(text: string): void {
    const { keyTaker } = this;
    if (keyTaker) {
      const key = nextKeyOf(text);
      this.keyTaker = undefined;
      this.waitingKeys += text.slice(key.length);
      keyTaker(key);
    } else if (text.includes('\x03')) {
      this.write('^C\n');
      this.waitingKeys = '';
      this.running?.abort();
    } else this.waitingKeys = (this.waitingKeys + text).slice(0, MAX_WAITING_KEYS);
  }

  resize(columns: number, rows: number): void {
    this.size = { columns: Math.max(2, columns), rows: Math.max(2, rows) };
    this.editor?.redraw();
  }

  /** Ends the visit. */
  leave(): void {
    this.state.over = true;
    this.editor = undefined;
    this.running?.abort();
    this.keyTaker?.('q');
  }

  private prompt(): void {
    const { state } = this;
    const place =
      state.cwd === HOME || state.cwd.startsWith(`${HOME}/`)
        ? `~${state.cwd.slice(HOME.length)}`
        : state.cwd;
    this.editor = new LineEditor({
      prompt: `\x1b[1;32m${state.user}@${HOST_NAME}\x1b[0m:\x1b[1;34m${place}\x1b[0m$ `,
      history: state.history,
      columns: () => this.size.columns,
      write: (text) => this.ends.write(text),
      complete: (before) => this.complete(before),
      done: (line) => void this.run(line),
    });
    const keys = this.waitingKeys;
    this.waitingKeys = '';
    if (keys !== '') this.keys(keys);
  }

  private async run(line: string | undefined): Promise<void> {
    const { state } = this;
    this.editor = undefined;
    if (line === undefined) state.over = true;
    else if (line.trim() !== '') {
      if (state.history.at(-1) !== line) state.history.push(line);
      if (state.history.length > MAX_HISTORY) state.history.shift();
      this.running = new AbortController();
      await runLine(line, {
        state,
        screen: this.screen(),
        signal: this.running.signal,
        write: (text) => this.write(text),
      });
      this.running = undefined;
      await this.ends.drained();
    } else if (++this.emptyLines % EMPTY_LINES === 0) {
      // The prompts of a flood of empty lines wait until the other end has read them.
      await new Promise((done) => setImmediate(done));
      await this.ends.drained();
    }
    if (state.over) this.ends.end(state.status);
    else this.prompt();
  }

  private screen(): Screen {
    return {
      columns: () => this.size.columns,
      rows: () => this.size.rows,
      write: (text) => this.ends.write(text),
      nextKey: (milliseconds) =>
        new Promise((done) => {
          const key = nextKeyOf(this.waitingKeys);
          this.waitingKeys = this.waitingKeys.slice(key.length);
          if (key !== '') {
            done(key);
            return;
          }
          const timer = setTimeout(() => {
            this.keyTaker = undefined;
            done(undefined);
          }, milliseconds);
          this.keyTaker = (key) => {
            clearTimeout(timer);
            done(key);
          };
        }),
    };
  }

  private complete(before: string): { word: string; candidates: readonly string[] } {
    const word = /\S*$/.exec(before)?.[0] ?? '';
    if (/^\s*$|[|;&]\s*$/.test(before.slice(0, before.length - word.length)))
      return {
        word,
        candidates: [...PROGRAMS.keys()].filter((name) => name.startsWith(word)).sort(),
      };
    const slash = word.lastIndexOf('/') + 1;
    const folder = this.state.files.find(
      this.state.files.resolve(this.state.cwd, word.slice(0, slash) || '.'),
    );
    if (folder?.kind !== 'folder') return { word, candidates: [] };
    const names = [...folder.children].filter(([name]) => name.startsWith(word.slice(slash)));
    return {
      word,
      candidates: names
        .map(([name, node]) => `${word.slice(0, slash)}${name}${node.kind === 'folder' ? '/' : ''}`)
        .sort(),
    };
  }

  private write(text: string): void {
    this.ends.write(text.replaceAll('\n', '\r\n'));
  }
}

/** Returns the next key for a program, one letter at a time at any typing speed. */
function nextKeyOf(text: string): string {
  const key = firstKey(text);
  return key.startsWith('\x1b') ? key : key.slice(0, 1);
}
