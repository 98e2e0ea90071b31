import type { WebglAddon } from '@xterm/addon-webgl';
import type { Terminal } from '@xterm/xterm';

/**
 * Draws with the graphics card where there is one; the terminal's own renderer takes over everywhere else.
 * Browsers allow few such contexts at once, so only the screen in front holds one.
 */
export class GraphicsRenderer {
  readonly #terminal: Terminal;
  readonly #onChange: () => void;
  #addon: WebglAddon | null = null;
  #wanted = false;
  #unusable = false;

  /** `onChange` is told of a change of renderer: their cells differ in size by parts of a pixel. */
  constructor(terminal: Terminal, onChange: () => void) {
    this.#terminal = terminal;
    this.#onChange = onChange;
  }

  /** Begins to draw with the graphics card, if it can. */
  async start(): Promise<void> {
    this.#wanted = true;
    if (this.#addon || this.#unusable) return;
    const { WebglAddon } = await import('@xterm/addon-webgl');
    if (!this.#wanted || this.#addon || !this.#terminal.element?.isConnected) return;
    try {
      const addon = new WebglAddon();
      addon.onContextLoss(() => {
        this.stop();
        this.#onChange();
      });
      this.#terminal.loadAddon(addon);
      this.#addon = addon;
      this.#onChange();
    } catch {
      // No WebGL here: not a failure, the other renderer is complete.
      this.#unusable = true;
    }
  }

  /** Gives the context back. */
  stop(): void {
    this.#wanted = false;
    this.#addon?.dispose();
    this.#addon = null;
  }
}
