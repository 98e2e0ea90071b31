import { textWidth } from '../../server/src/platform/text-width.ts';

export interface EditorOptions {
  readonly prompt: string;
  readonly history: readonly string[];
  readonly columns: () => number;
  readonly write: (text: string) => void;
  /** Returns completions of the word before the cursor. */
  readonly complete: (before: string) => {
    readonly word: string;
    readonly candidates: readonly string[];
  };
  /** Called with undefined at the end of input (Ctrl-D). */
  readonly done: (line: string | undefined) => void;
}

const MAX_LINE = 4096;
/** One key: a bracketed paste, an escape sequence, a control character, or typed text. */
const KEYS = [
  String.raw`\x1b\[200~[\s\S]*?\x1b\[201~`,
  String.raw`\x1b\[[0-?]*[ -/]*[@-~]`,
  String.raw`\x1bO[ -~]`,
  String.raw`\x1b[\s\S]?`,
  String.raw`[\x00-\x1f\x7f]`,
  String.raw`[^\x00-\x1f\x7f]+`,
];
const KEY = new RegExp(`^(?:${KEYS.join('|')})`);

/** Returns the first key of some input; a bracketed paste counts as one. */
export function firstKey(input: string): string {
  return KEY.exec(input)?.[0] ?? input;
}

export class LineEditor {
  private text: string[] = [];
  private cursor = 0;
  private cursorRow = 0;
  private place: number;
  private draft = '';
  private readonly options: EditorOptions;

  constructor(options: EditorOptions) {
    this.options = options;
    this.place = options.history.length;
    // Bracketed paste marks for the command tracker where a prompt begins and a command is sent.
    options.write(`\x1b[?2004h${options.prompt}`);
    this.cursorRow = this.rowOf(0);
  }

  /** Processes keys; returns those after the end of the line. */
  keys(input: string): string {
    let rest = input;
    while (rest !== '') {
      const key = firstKey(rest);
      rest = rest.slice(key.length);
      if (this.press(key)) return rest;
    }
    return '';
  }

  /** Redraws after a resize. */
  redraw(): void {
    this.draw();
  }

  private press(key: string): boolean {
    if (key === '\r' || key === '\n') return this.finish(this.text.join(''));
    if (key === '\x03') {
      this.options.write('^C');
      return this.finish('');
    }
    if (key === '\x04' && this.text.length === 0) return this.finish(undefined);
    if (key === '\t') this.complete();
    else if (key === '\x0c') {
      this.options.write('\x1b[H\x1b[2J');
      this.cursorRow = 0;
      this.draw();
    } else if (key.startsWith('\x1b[200~'))
      this.insert(
        key
          .slice(6, -6)
          .trimEnd()
          .replace(/[\r\n]+/g, '; '),
      );
    else if (key.length > 1 || key >= ' ') {
      if (key.startsWith('\x1b')) this.move(key);
      else if (key === '\x7f') this.erase(this.cursor - 1, this.cursor);
      else this.insert(key);
    } else this.control(key);
    return false;
  }

  private control(key: string): void {
    if (key === '\x01') this.moveTo(0);
    else if (key === '\x05') this.moveTo(this.text.length);
    else if (key === '\x02') this.moveTo(this.cursor - 1);
    else if (key === '\x06') this.moveTo(this.cursor + 1);
    else if (key === '\x08') this.erase(this.cursor - 1, this.cursor);
    else if (key === '\x04') this.erase(this.cursor, this.cursor + 1);
    else if (key === '\x15') this.erase(0, this.cursor);
    else if (key === '\x0b') this.erase(this.cursor, this.text.length);
    else if (key === '\x17') this.erase(this.wordStart(), this.cursor);
    else if (key === '\x10') this.recall(-1);
    else if (key === '\x0e') this.recall(1);
  }

  private move(key: string): void {
    const name = key.replace('\x1bO', '\x1b[');
    if (name === '\x1b[A') this.recall(-1);
    else if (name === '\x1b[B') this.recall(1);
    else if (name === '\x1b[C') this.moveTo(this.cursor + 1);
    else if (name === '\x1b[D') this.moveTo(this.cursor - 1);
    else if (name === '\x1b[H' || name === '\x1b[1~') this.moveTo(0);
    else if (name === '\x1b[F' || name === '\x1b[4~') this.moveTo(this.text.length);
    else if (name === '\x1b[3~') this.erase(this.cursor, this.cursor + 1);
  }

  private insert(text: string): void {
    const added = [...text].slice(0, Math.max(0, MAX_LINE - this.text.length));
    const atEnd = this.cursor === this.text.length;
    this.text.splice(this.cursor, 0, ...added);
    this.cursor += added.length;
    const fits = this.rowOf(this.text.length) === this.cursorRow;
    if (atEnd && fits) this.options.write(added.join(''));
    else this.draw();
  }

  private erase(from: number, to: number): void {
    const first = Math.max(0, from);
    if (to <= first) return;
    this.text.splice(first, to - first);
    this.cursor = first;
    this.draw();
  }

  private moveTo(place: number): void {
    this.cursor = Math.min(Math.max(place, 0), this.text.length);
    this.draw();
  }

  private wordStart(): number {
    let at = this.cursor;
    while (at > 0 && this.text[at - 1] === ' ') at--;
    while (at > 0 && this.text[at - 1] !== ' ') at--;
    return at;
  }

  private recall(step: number): void {
    const place = this.place + step;
    const { history } = this.options;
    if (place < 0 || place > history.length) return;
    if (this.place === history.length) this.draft = this.text.join('');
    this.place = place;
    this.text = [...(history[place] ?? this.draft)];
    this.cursor = this.text.length;
    this.draw();
  }

  private complete(): void {
    const { word, candidates } = this.options.complete(this.text.slice(0, this.cursor).join(''));
    const [only] = candidates;
    if (only === undefined) this.options.write('\x07');
    else if (candidates.length === 1)
      this.insert(only.slice(word.length) + (only.endsWith('/') ? '' : ' '));
    else {
      const common = commonStart(candidates);
      if (common.length > word.length) this.insert(common.slice(word.length));
      else {
        this.options.write(`\r\n${candidates.join('  ')}\r\n`);
        this.cursorRow = 0;
        this.draw();
      }
    }
  }

  private finish(line: string | undefined): true {
    this.cursor = this.text.length;
    if (line) this.draw();
    this.options.write('\r\n\x1b[?2004l\r');
    this.options.done(line);
    return true;
  }

  private draw(): void {
    const up = this.cursorRow > 0 ? `\x1b[${this.cursorRow}A` : '';
    const line = this.text.join('');
    let output = `${up}\r\x1b[J${this.options.prompt}${line}`;
    const columns = this.options.columns();
    // Terminals keep the cursor in the last column of a full row; a blank and a return move it to
    // the next.
    if ((textWidth(this.options.prompt) + textWidth(line)) % columns === 0) output += ' \r';
    const endRow = this.rowOf(this.text.length);
    this.cursorRow = this.rowOf(this.cursor);
    if (endRow > this.cursorRow) output += `\x1b[${endRow - this.cursorRow}A`;
    const column =
      (textWidth(this.options.prompt) + textWidth(this.text.slice(0, this.cursor).join(''))) %
      columns;
    output += column > 0 ? `\r\x1b[${column}C` : '\r';
    this.options.write(output);
  }

  private rowOf(place: number): number {
    const width = textWidth(this.options.prompt) + textWidth(this.text.slice(0, place).join(''));
    return Math.floor(width / this.options.columns());
  }
}

function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const other of others)
    while (length > 0 && !other.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}
