import '@xterm/xterm/css/xterm.css';
import { limitRepeats } from '@sallyport/contract';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { type ITerminalInitOnlyOptions, type ITerminalOptions, Terminal } from '@xterm/xterm';
import { t } from '../i18n/index.ts';
import { currentWatermark } from '../watermark/watermark.ts';
import { words } from './words.ts';

/** Programs use large counts for "to the end": the longest side of a terminal. */
const MAX_REPEATS = 1000;

/**
 * Creates a terminal emulator with common options: labels in the page language, readable contrast,
 * and Unicode 11 widths.
 */
export function createTerminal(options: ITerminalOptions & ITerminalInitOnlyOptions): Terminal {
  Object.assign(Terminal.strings, { promptLabel: t(words.input), tooMuchOutput: t(words.tooMuch) });
  const terminal = new Terminal({
    allowProposedApi: true,
    logLevel: 'off',
    // Text keeps 4.5 under the letters of a watermark.
    minimumContrastRatio: currentWatermark() ? 7 : 4.5,
    ...options,
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  limitRepeats(terminal, () => MAX_REPEATS);
  return terminal;
}
