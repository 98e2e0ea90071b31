import '@xterm/xterm/css/xterm.css';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { type ITheme, Terminal } from '@xterm/xterm';
import type { Output } from '../connection/terminal-connection.ts';
import { OutputQueue } from './output-queue.ts';
import { TERMINAL_FONT } from './palettes.ts';

const SMALLEST_FONT = 4;
const LARGEST_FONT = 26;
const FONT_STEP = 0.25;
const SCROLLBACK = 2_000;
/** The frame around the letters: padding and border, both sides. */
const FRAME = { width: 26, height: 22 } as const;

/**
 * A screen to look at: it has the size of somebody else's terminal, and its letters grow or shrink to fill the room there is.
 * The size of the letters is changed rather than the picture scaled, so that they stay sharp and can be selected.
 */
export class FittedScreen {
  readonly #terminal: Terminal;
  readonly #queue: OutputQueue;
  readonly #observer: ResizeObserver;
  readonly #frame = document.createElement('div');
  #host: HTMLElement | null = null;

  constructor(palette: ITheme) {
    this.#terminal = new Terminal({
      allowProposedApi: true,
      cols: 80,
      rows: 24,
      disableStdin: true,
      fontFamily: TERMINAL_FONT,
      theme: palette,
      scrollback: SCROLLBACK,
      minimumContrastRatio: 4.5,
      cursorInactiveStyle: 'block',
      linkHandler: { activate: () => undefined },
    });
    this.#terminal.loadAddon(new Unicode11Addon());
    this.#terminal.unicode.activeVersion = '11';
    this.#queue = new OutputQueue((bytes, done) => this.#terminal.write(bytes, done));
    this.#observer = new ResizeObserver(() => this.#fit());
  }

  /** Puts the screen into the page. */
  mount(host: HTMLElement): void {
    this.#host = host;
    host.append(this.#frame);
    this.#terminal.open(this.#frame);
    this.#showCursor();
    this.#observer.observe(host);
    this.#fit();
  }

  #showCursor(): void {
    const { textarea } = this.#terminal;
    if (!textarea) return;
    // The terminal draws its cursor only after it has had the keyboard once; then it gives it back for good.
    const before = document.activeElement;
    this.#terminal.focus();
    this.#terminal.blur();
    textarea.tabIndex = -1;
    if (before instanceof HTMLElement) before.focus();
  }

  #fit(): void {
    const screen = this.#terminal.element?.querySelector<HTMLElement>('.xterm-screen');
    if (!this.#host || !screen || this.#host.clientWidth === 0) return;
    const width = this.#host.clientWidth - FRAME.width;
    const height = this.#host.clientHeight - FRAME.height;
    const ratio = Math.min(width / screen.offsetWidth, height / screen.offsetHeight);
    if (!Number.isFinite(ratio)) return;
    let size = Math.floor(((this.#terminal.options.fontSize ?? SMALLEST_FONT) * ratio) / FONT_STEP) * FONT_STEP;
    size = Math.min(Math.max(size, SMALLEST_FONT), LARGEST_FONT);
    this.#terminal.options.fontSize = size;
    // Cells are whole pixels high, so the estimate may be a little too large.
    while (size > SMALLEST_FONT && (screen.offsetWidth > width || screen.offsetHeight > height)) {
      size -= FONT_STEP;
      this.#terminal.options.fontSize = size;
    }
  }

  /** Clears everything and begins with a size. */
  reset(cols: number, rows: number): void {
    this.#terminal.reset();
    this.resize(cols, rows);
  }

  /** Takes the size of the terminal that is shown. */
  resize(cols: number, rows: number): void {
    this.#terminal.resize(Math.max(2, cols), Math.max(1, rows));
    this.#fit();
  }

  /** Draws text. */
  write(text: string, done: () => void): void {
    this.#terminal.write(text, done);
  }

  /** Draws output of a live session. */
  show(output: Output): void {
    this.#queue.push(output);
  }

  get selection(): string {
    return this.#terminal.getSelection();
  }

  /** Changes the colours. */
  setPalette(palette: ITheme): void {
    this.#terminal.options.theme = palette;
  }

  /** Ends the screen for good. */
  dispose(): void {
    this.#observer.disconnect();
    this.#terminal.dispose();
    this.#frame.remove();
  }
}
