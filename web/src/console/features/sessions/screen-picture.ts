import type { ITheme, Terminal } from '@xterm/xterm';
import { fontStack, paletteOf } from '../../../kit/page/palettes.ts';
import { loadRecording, type Recording } from '../../../kit/recording/recording.ts';
import { createTerminal } from '../../../kit/terminal-emulator/create-terminal.ts';
import type { DrawnRecording } from './still-picture.ts';

const LARGEST_FONT = 13;

const SMALLEST_FONT = 3;

const FONT_STEP = 0.25;

/** Characters drawn per task, so that the page stays responsive. */
const PIECE = 256 * 1024;

/** A still picture of a recorded screen, as wide as its host element. */
class ScreenPicture {
  readonly #terminal: Terminal;
  readonly #observer: ResizeObserver;
  readonly #recording: Recording;
  readonly #host: HTMLElement;
  #wanted: number | null = null;
  #isDrawing = false;
  #isOver = false;

  constructor(host: HTMLElement, recording: Recording, palette: ITheme) {
    this.#host = host;
    this.#recording = recording;
    const { cols, rows } = recording;
    this.#terminal = createTerminal({
      cols,
      rows,
      disableStdin: true,
      fontFamily: fontStack(''),
      fontSize: LARGEST_FONT,
      theme: palette,
      scrollback: 0,
      linkHandler: { activate: () => undefined },
    });
    // The rows move until they fit.
    host.style.visibility = 'hidden';
    this.#terminal.open(host);
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(host);
  }

  /**
   * Shows the screen at a second of the session. Calls while a picture is being drawn replace each
   * other; the last one wins.
   */
  show(second: number): void {
    this.#wanted = second;
    if (!this.#isDrawing) void this.#draw();
  }

  setPalette(palette: ITheme): void {
    this.#terminal.options.theme = palette;
  }

  async #draw(): Promise<void> {
    this.#isDrawing = true;
    while (this.#wanted !== null && !this.#isOver) {
      const second = this.#wanted;
      this.#wanted = null;
      await this.#drawUntil(second);
    }
    this.#isDrawing = false;
  }

  async #drawUntil(second: number): Promise<void> {
    const { times, events, cols, rows } = this.#recording;
    this.#terminal.reset();
    this.#terminal.resize(cols, rows);
    let text = '';
    const flush = async () => {
      if (text !== '' && !this.#isOver)
        await new Promise<void>((drawn) => this.#terminal.write(text, drawn));
      text = '';
    };
    for (const [index, event] of events.entries()) {
      const isPast = (times[index] ?? 0) > second;
      if (!event || isPast || this.#wanted !== null || this.#isOver) break;
      if (event.kind === 'output') text += event.text;
      if (event.kind === 'resize' || text.length >= PIECE) await flush();
      if (event.kind === 'resize' && !this.#isOver) this.#terminal.resize(event.cols, event.rows);
    }
    await flush();
    if (this.#isOver) return;
    this.#fit();
    this.#host.style.visibility = '';
  }

  /** Scales to the width, and scrolls the lines up to the cursor into view. */
  #fit(): void {
    const screen = this.#terminal.element?.querySelector<HTMLElement>('.xterm-screen');
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (!screen || width === 0 || screen.offsetWidth === 0) return;
    const font = this.#terminal.options.fontSize ?? LARGEST_FONT;
    const fitting = (font * width) / screen.offsetWidth;
    let size = Math.min(
      Math.max(Math.floor(fitting / FONT_STEP) * FONT_STEP, SMALLEST_FONT),
      LARGEST_FONT,
    );
    this.#terminal.options.fontSize = size;
    // Cells have whole pixels, so the estimate may be slightly too large.
    while (size > SMALLEST_FONT && screen.offsetWidth > width) {
      size -= FONT_STEP;
      this.#terminal.options.fontSize = size;
    }
    const line = screen.offsetHeight / this.#terminal.rows;
    this.#host.scrollTop = Math.max(0, (this.#terminal.buffer.active.cursorY + 1) * line - height);
  }

  dispose(): void {
    this.#isOver = true;
    this.#observer.disconnect();
    this.#terminal.dispose();
  }
}

/** Loads the recording of a terminal. */
export async function load(
  address: string,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<DrawnRecording> {
  const recording = await loadRecording(
    fetch(address, { credentials: 'same-origin', signal }),
    progress,
  );
  return {
    duration: recording.duration,
    draw: (host) => new ScreenPicture(host, recording, paletteOf('dark')),
  };
}
