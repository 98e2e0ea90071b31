import type { Terminal } from '@xterm/headless';
import { changed, coreOf, has } from './limit-terminal.ts';

const TAB = 8;
/** Soft reset: modes, margins and character sets. Then the newline mode, which it leaves. */
const RESET = '\x1b[!p\x1b[20l';

/** Parts of xterm.js without a public function. */
interface Core {
  readonly _charsetService: { readonly charset?: object };
  readonly coreService: {
    readonly modes: { readonly insertMode: boolean };
    readonly decPrivateModes: {
      readonly origin: boolean;
      readonly wraparound: boolean;
      readonly reverseWraparound: boolean;
    };
  };
  readonly _bufferService: {
    readonly buffer: {
      readonly tabs: object;
      readonly scrollTop: number;
      readonly scrollBottom: number;
    };
  };
}

/**
 * The modes of an emulated terminal in which text appears otherwise than a line editor expects:
 * line drawing, insert, no wrap, margins, tab stops. A program can leave them at a prompt.
 */
export class ScreenModes {
  private readonly terminal: Terminal;
  private readonly core: Core;

  /** @throws Error if an update of the library has changed its private fields */
  constructor(terminal: Terminal) {
    this.terminal = terminal;
    const core = coreOf(terminal);
    if (!isCore(core)) throw changed();
    this.core = core;
  }

  /** Returns true if the next character appears as another one, or over the last one of its row. */
  get areAlteringText(): boolean {
    const { _charsetService, coreService } = this.core;
    return _charsetService.charset !== undefined || !coreService.decPrivateModes.wraparound;
  }

  /** Returns true if any mode is not as a line editor expects. */
  get areAltered(): boolean {
    const { coreService, _bufferService } = this.core;
    const { buffer } = _bufferService;
    return (
      this.areAlteringText ||
      coreService.modes.insertMode ||
      coreService.decPrivateModes.origin ||
      coreService.decPrivateModes.reverseWraparound ||
      this.terminal.options.convertEol === true ||
      buffer.scrollTop !== 0 ||
      buffer.scrollBottom !== this.terminal.rows - 1 ||
      this.hasOtherTabs
    );
  }

  /** Sequences that restore the modes and keep the cursor; empty if none is altered. */
  get restoring(): string {
    if (!this.areAltered) return '';
    const { cursorX, cursorY } = this.terminal.buffer.active;
    const row = cursorY + 1;
    if (!this.hasOtherTabs) return RESET;
    const stops = tabsOf(this.terminal.cols).map((column) => `\x1b[${row};${column + 1}H\x1bH`);
    return `${RESET}\x1b[3g${stops.join('')}\x1b[${row};${cursorX + 1}H`;
  }

  private get hasOtherTabs(): boolean {
    const { tabs } = this.core._bufferService.buffer;
    const stops = Object.keys(tabs).map(Number);
    const { cols } = this.terminal;
    const expected = tabsOf(cols);
    // A resize keeps the stops after the last column.
    return (
      expected.some((column) => !(column in tabs)) ||
      stops.some((column) => column < cols && column % TAB !== 0)
    );
  }
}

const tabsOf = (cols: number) =>
  Array.from({ length: Math.ceil(cols / TAB) }, (_, index) => index * TAB);

function isCore(core: unknown): core is Core {
  if (!has(core, '_charsetService', 'coreService', '_bufferService')) return false;
  const { coreService: service, _bufferService: buffers } = core;
  return (
    has(core._charsetService) &&
    has(service, 'modes', 'decPrivateModes') &&
    has(service.modes, 'insertMode') &&
    has(service.decPrivateModes, 'origin', 'wraparound', 'reverseWraparound') &&
    has(buffers, 'buffer') &&
    has(buffers.buffer, 'tabs', 'scrollTop', 'scrollBottom')
  );
}
