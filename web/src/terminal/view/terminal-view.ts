import { FitAddon } from '@xterm/addon-fit';
import { WebLinksAddon } from '@xterm/addon-web-links';
import type { ITerminalOptions, Terminal } from '@xterm/xterm';
import { fontStack, paletteOf, SCHEMES, type SchemeName } from '../../kit/page/palettes.ts';
import { createTerminal } from '../../kit/terminal-emulator/create-terminal.ts';
import { Emitter } from '../connection/emitter.ts';
import type { Output } from '../connection/output.ts';
import type { Size } from '../connection/terminal-connection.ts';
import { GraphicsRenderer } from './graphics-renderer.ts';
import { hearInputMethods } from './input-method.ts';
import { OutputQueue } from './output-queue.ts';
import { ScrollbackSearch, type SearchResult } from './scrollback-search.ts';

export interface Appearance {
  readonly fontSize: number;
  readonly font: string;
  readonly lineHeight: number;
  readonly cursorStyle: 'block' | 'bar' | 'underline';
  readonly wordSeparators: string;
  readonly scheme: SchemeName;
  readonly scrollback: number;
  readonly cursorBlink: boolean;
  readonly screenReader: boolean;
}

export interface ViewEvents {
  readonly input: string;
  readonly binary: string;
  readonly size: Size;
  readonly bell: undefined;
  /** The user selected text with the mouse; selections by a search are not reported. */
  readonly selection: string;
  readonly found: SearchResult;
  /** The user pastes; the receiver decides what to do with the text. */
  readonly paste: string;
  readonly contextMenu: undefined;
  /** The user pressed Ctrl+Break. */
  readonly break: undefined;
  /** The user clicked a link whose text may differ from its address. */
  readonly link: string;
}

/** Resets modes that a killed program may have left on. */
const LEAVE_MODES =
  '\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b[?25h\x1b>\x1b[!p\x1b[0m';

/** Opens an address in a new page. */
export function openLink(address: string): void {
  // Output is not trusted: open only web addresses, without a referrer and without access to us.
  if (/^https?:\/\//i.test(address)) window.open(address, '_blank', 'noopener,noreferrer');
}

const groundOf = (scheme: SchemeName) => (SCHEMES[scheme].dark ? 'dark' : 'light');

function optionsOf({
  font,
  scheme,
  screenReader,
  wordSeparators,
  ...same
}: Appearance): ITerminalOptions {
  return {
    ...same,
    fontFamily: fontStack(font),
    theme: paletteOf(scheme),
    screenReaderMode: screenReader,
    wordSeparator: wordSeparators,
  };
}

/** The screen of one live session: draws output and reports keys. It has no socket. */
export class TerminalView extends Emitter<ViewEvents> {
  readonly element = document.createElement('div');
  readonly search: ScrollbackSearch;
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #queue: OutputQueue;
  readonly #graphics: GraphicsRenderer;
  readonly #observer: ResizeObserver;
  #resizeTimer: number | undefined;

  constructor(appearance: Appearance, label: string) {
    super();
    this.element.setAttribute('role', 'group');
    this.element.setAttribute('aria-label', label);
    this.#terminal = createTerminal({
      ...optionsOf(appearance),
      rightClickSelectsWord: false,
      macOptionIsMeta: true,
      // The program chooses the text of such a link, so show its address first.
      linkHandler: { activate: (_event, address) => this.emit('link', address) },
    });
    this.#queue = new OutputQueue((bytes, done) => this.#terminal.write(bytes, done));
    this.#graphics = new GraphicsRenderer(this.#terminal, () => this.fit());
    this.search = new ScrollbackSearch(this.#terminal, groundOf(appearance.scheme), (result) =>
      this.emit('found', result),
    );
    this.#observer = new ResizeObserver(() => {
      window.clearTimeout(this.#resizeTimer);
      this.#resizeTimer = window.setTimeout(() => this.fit(), 80);
    });
    this.#connectEvents();
  }

  #connectEvents(): void {
    const terminal = this.#terminal;
    terminal.loadAddon(this.#fit);
    terminal.loadAddon(new WebLinksAddon((_event, address) => openLink(address)));
    terminal.onData((text) => this.emit('input', text));
    // After the listener above, so that a rest of a text follows its beginning.
    hearInputMethods(
      this.element,
      (text) => this.typeText(text),
      (listener) => terminal.onData(listener),
    );
    terminal.onBinary((text) => this.emit('binary', text));
    terminal.onResize(({ cols, rows }) => this.emit('size', { cols, rows }));
    terminal.onBell(() => this.emit('bell', undefined));
    this.element.addEventListener('mousedown', () =>
      window.addEventListener('mouseup', () => this.#tellSelection(), { once: true }),
    );
    this.element.addEventListener('keydown', (event) => this.#catchBreak(event), {
      capture: true,
    });
    this.element.addEventListener('paste', (event) => this.#catchPaste(event), { capture: true });
    this.element.addEventListener('contextmenu', (event) => this.#catchMenu(event), {
      capture: true,
    });
  }

  #tellSelection(): void {
    // The terminal handles the same mouseup, perhaps after us.
    setTimeout(() => {
      const text = this.#terminal.getSelection();
      if (text) this.emit('selection', text);
    });
  }

  #catchBreak(event: KeyboardEvent): void {
    if (!event.ctrlKey || (event.code !== 'Pause' && event.key !== 'Cancel')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.emit('break', undefined);
  }

  #catchPaste(event: ClipboardEvent): void {
    event.preventDefault();
    event.stopImmediatePropagation();
    const text = event.clipboardData?.getData('text/plain');
    if (text) this.emit('paste', text);
  }

  #catchMenu(event: MouseEvent): void {
    // Shift opens the browser's menu, as in other web terminals.
    if (event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    // A program in mouse mode has received this click.
    if (this.#terminal.modes.mouseTrackingMode === 'none') this.emit('contextMenu', undefined);
  }

  /** Puts the screen into the page, the first time or again. */
  mount(parent: HTMLElement): void {
    parent.append(this.element);
    if (!this.#terminal.element) this.#terminal.open(this.element);
    this.#observer.observe(this.element);
    this.fit();
  }

  /** Removes the screen from the page and keeps its contents. */
  unmount(): void {
    this.#observer.disconnect();
    this.#graphics.stop();
    this.element.remove();
  }

  /** Sets if this screen is in front; only that one draws with the graphics card. */
  setVisible(visible: boolean): void {
    if (!visible) {
      this.#graphics.stop();
      return;
    }
    this.fit();
    void this.#graphics.start();
  }

  /** Fits columns and rows to the element. A hidden screen keeps its size. */
  fit(): void {
    if (this.element.offsetWidth === 0 || this.element.offsetHeight === 0) return;
    const proposed = this.#fit.proposeDimensions();
    if (!proposed || !Number.isFinite(proposed.cols) || !Number.isFinite(proposed.rows)) return;
    this.#terminal.resize(
      Math.min(Math.max(proposed.cols, 2), 1000),
      Math.min(Math.max(proposed.rows, 2), 1000),
    );
  }

  get size(): Size {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  get selection(): string {
    return this.#terminal.getSelection();
  }

  /** Draws output of the server. */
  show(output: Output): void {
    this.#queue.push(output);
  }

  /** Prepares the screen for a new session below the present output. */
  beginSession(separator: string): void {
    // Queued with the output: the active buffer is known only after the last output of the old
    // session. The new session begins below the separator.
    this.#queue.between((done) => {
      const full = this.#terminal.buffer.active.type === 'alternate';
      this.#terminal.write(
        `${full ? '\x1b[?1049l' : ''}${LEAVE_MODES}\r\n\x1b[2m${separator}\x1b[0m\r\n\r\n`,
        done,
      );
    });
  }

  /** Filters keys before the terminal; `false` drops a key. */
  onKey(decide: (event: KeyboardEvent) => boolean): void {
    this.#terminal.attachCustomKeyEventHandler(decide);
  }

  /** Types text as if it came from the keyboard. */
  typeText(text: string): void {
    this.#terminal.input(text, true);
  }

  /** Types an arrow key in the mode of the running program. */
  typeArrow(letter: 'A' | 'B' | 'C' | 'D'): void {
    this.typeText(
      this.#terminal.modes.applicationCursorKeysMode ? `\x1bO${letter}` : `\x1b[${letter}`,
    );
  }

  /** Pastes text, bracketed if the program enabled bracketed paste. */
  paste(text: string): void {
    this.#terminal.paste(text);
  }

  /** Clears the selection. */
  clearSelection(): void {
    this.#terminal.clearSelection();
  }

  /** Changes the appearance and fits again. */
  setAppearance(appearance: Appearance): void {
    this.search.setScheme(groundOf(appearance.scheme));
    Object.assign(this.#terminal.options, optionsOf(appearance));
    this.fit();
  }

  /** Focuses the terminal. */
  focus(): void {
    this.#terminal.focus();
  }

  /** Ends the screen. */
  dispose(): void {
    window.clearTimeout(this.#resizeTimer);
    this.unmount();
    this.#terminal.dispose();
  }
}
