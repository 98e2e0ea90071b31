import type { ITheme, Terminal } from '@xterm/xterm';
import { fontStack } from '../../kit/page/palettes.ts';
import { createTerminal } from '../../kit/terminal-emulator/create-terminal.ts';
import type { Output } from '../connection/output.ts';
import type { Size } from '../connection/terminal-connection.ts';
import { typedInput } from '../session/typed-input.ts';
import { OutputQueue } from './output-queue.ts';
import { attachHands } from './pan-and-pinch.ts';

const SMALLEST_FONT = 4;
const LARGEST_FONT = 26;
const FONT_STEP = 0.25;
const SCROLLBACK = 2_000;
/** Smallest readable size: below it, one side fills the window and the picture scrolls. */
const READABLE_FONT = 9;
/** Font size at 100 %, in pixels. */
const FULL_FONT = 14;
/** Time after a touch before the picture follows the cursor again. */
const HELD_MILLISECONDS = 4_000;
/** Padding and border of both sides, in pixels. */
const FRAME = { width: 26, height: 22 } as const;

/**
 * A screen for watching: it has the size of another user's terminal, and its font size changes to
 * fill the window. Changing the font instead of scaling keeps letters sharp and selectable.
 */
export class FittedScreen {
  readonly #terminal: Terminal;
  readonly #queue: OutputQueue;
  readonly #observer: ResizeObserver;
  readonly #frame = document.createElement('div');
  #host: HTMLElement | null = null;
  #letGo: (() => void) | null = null;
  /** Font size that the user chose by touch; null fits the window. */
  #chosen: number | null = null;
  #heldUntil = 0;

  constructor(palette: ITheme, { cols, rows }: Size = { cols: 80, rows: 24 }) {
    this.#terminal = createTerminal({
      cols,
      rows,
      disableStdin: true,
      fontFamily: fontStack(''),
      theme: palette,
      scrollback: SCROLLBACK,
      cursorInactiveStyle: 'block',
      linkHandler: { activate: () => undefined },
    });
    this.#queue = new OutputQueue((bytes, done) =>
      this.#terminal.write(bytes, () => {
        this.#follow();
        done();
      }),
    );
    this.#observer = new ResizeObserver(() => this.#fit());
  }

  /** Puts the screen into the page. */
  mount(host: HTMLElement): void {
    this.#host = host;
    host.append(this.#frame);
    this.#terminal.open(this.#frame);
    this.#showCursor();
    this.#observer.observe(host);
    this.#letGo = attachHands(host, {
      size: () => this.#terminal.options.fontSize ?? FULL_FONT,
      zoom: (size) => this.#choose(size),
      // A double tap at 100 % fits the window again.
      doubleTap: () => this.#choose(this.#chosen === FULL_FONT ? null : FULL_FONT),
      touched: () => {
        this.#heldUntil = Date.now() + HELD_MILLISECONDS;
      },
    });
    this.#fit();
  }

  #showCursor(): void {
    const { textarea } = this.#terminal;
    if (!textarea) return;
    // The terminal draws its cursor only after it had the focus once.
    const before = document.activeElement;
    this.#terminal.focus();
    this.#terminal.blur();
    textarea.tabIndex = -1;
    if (before instanceof HTMLElement) before.focus();
  }

  #choose(size: number | null): void {
    this.#chosen = size === null ? null : Math.min(Math.max(size, SMALLEST_FONT), LARGEST_FONT);
    this.#fit();
  }

  #fit(): void {
    const screen = this.#terminal.element?.querySelector<HTMLElement>('.xterm-screen');
    if (!this.#host || !screen || this.#host.clientWidth === 0) return;
    if (this.#chosen !== null) {
      this.#terminal.options.fontSize = this.#chosen;
      return;
    }
    const width = this.#host.clientWidth - FRAME.width;
    const height = this.#host.clientHeight - FRAME.height;
    // The first estimate comes from another font size, whose cells are rounded differently.
    for (let round = 0; round < 3 && this.#estimate(screen, width, height); round += 1);
    this.#follow();
  }

  /** Moves the font size closer to the fitting size; returns false when it fits. */
  #estimate(screen: HTMLElement, width: number, height: number): boolean {
    const font = this.#terminal.options.fontSize ?? SMALLEST_FONT;
    const sizes = [(font * width) / screen.offsetWidth, (font * height) / screen.offsetHeight];
    const whole = Math.min(...sizes);
    if (!Number.isFinite(whole)) return false;
    const isReadable = whole >= READABLE_FONT;
    // The whole would be too small to read: fill the larger side, up to 100 %, and scroll.
    const fontSize = isReadable
      ? whole
      : Math.max(READABLE_FONT, Math.min(Math.max(...sizes), FULL_FONT));
    let size = Math.min(
      Math.max(Math.floor(fontSize / FONT_STEP) * FONT_STEP, SMALLEST_FONT),
      LARGEST_FONT,
    );
    this.#terminal.options.fontSize = size;
    // Cells are whole pixels high, so the estimate may be a little too large.
    while (
      isReadable &&
      size > SMALLEST_FONT &&
      (screen.offsetWidth > width || screen.offsetHeight > height)
    ) {
      size -= FONT_STEP;
      this.#terminal.options.fontSize = size;
    }
    return size !== font;
  }

  /** Scrolls to the cursor if the picture is larger than the window. */
  #follow(): void {
    const host = this.#host;
    const screen = this.#terminal.element?.querySelector<HTMLElement>('.xterm-screen');
    if (!host || !screen || Date.now() < this.#heldUntil) return;
    if (host.scrollWidth <= host.clientWidth && host.scrollHeight <= host.clientHeight) return;
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    const [outer, inner] = [host.getBoundingClientRect(), screen.getBoundingClientRect()];
    const cell = {
      width: inner.width / this.#terminal.cols,
      height: inner.height / this.#terminal.rows,
    };
    const into = (at: number, length: number, from: number, room: number): number => {
      // Keep the beginning of lines visible as long as the cursor is visible, too.
      if (at + 2 * length <= room) return 0;
      return at - length < from || at + 2 * length > from + room ? at - room / 2 : from;
    };
    const x = inner.left - outer.left + host.scrollLeft + cursorX * cell.width;
    const y = inner.top - outer.top + host.scrollTop + cursorY * cell.height;
    host.scrollTo(
      into(x, cell.width, host.scrollLeft, host.clientWidth),
      into(y, cell.height, host.scrollTop, host.clientHeight),
    );
  }

  /** Clears the screen and sets its size. */
  reset(cols: number, rows: number): void {
    this.#terminal.reset();
    this.resize(cols, rows);
  }

  /** Sets the size of the watched terminal. */
  resize(cols: number, rows: number): void {
    this.#terminal.resize(Math.max(2, cols), Math.max(1, rows));
    this.#fit();
  }

  /** Draws text. */
  write(text: string, done: () => void): void {
    this.#terminal.write(text, () => {
      this.#follow();
      done();
    });
  }

  /** Draws output of a live session. */
  show(output: Output): void {
    this.#queue.push(output);
  }

  /**
   * Calls back for typed and pasted text while typing is on. Only the owner's terminal sends
   * automatic answers.
   */
  onTyped(listener: (text: string) => void): () => void {
    const typed = this.#terminal.onData((data) => {
      if (typedInput(data)) listener(data);
    });
    return () => typed.dispose();
  }

  /** Turns typing on, with a label for screen readers, or off. */
  setTyping(on: boolean, label: string): void {
    this.#terminal.options.disableStdin = !on;
    const { textarea } = this.#terminal;
    if (!textarea) return;
    textarea.tabIndex = on ? 0 : -1;
    textarea.setAttribute('aria-label', label);
    if (on) this.#terminal.focus();
    else this.#terminal.blur();
  }

  get selection(): string {
    return this.#terminal.getSelection();
  }

  /** Changes the colors. */
  setPalette(palette: ITheme): void {
    this.#terminal.options.theme = palette;
  }

  /** Ends the screen. */
  dispose(): void {
    this.#observer.disconnect();
    this.#letGo?.();
    this.#terminal.dispose();
    this.#frame.remove();
  }
}
