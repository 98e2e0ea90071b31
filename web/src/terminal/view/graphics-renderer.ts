import type { WebglAddon } from '@xterm/addon-webgl';
import type { Terminal } from '@xterm/xterm';

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * Returns true if WebGL has a graphics card. Without one, the processor draws it slower than the
 * terminal's default renderer.
 */
function hasGraphicsCard(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  if (!context) return false;
  const details = context.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = context.getParameter(
    details ? details.UNMASKED_RENDERER_WEBGL : context.RENDERER,
  );
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return !SOFTWARE.test(String(name));
}

let graphicsCard: boolean | undefined;

/**
 * Draws with the graphics card where there is one; the terminal's own renderer takes over
 * everywhere else.
 * Browsers allow few such contexts at once, so only the screen in front holds one.
 */
export class GraphicsRenderer {
  readonly #terminal: Terminal;
  readonly #onChange: () => void;
  #addon: WebglAddon | null = null;
  #wanted = false;

  /**
   * `onChange` is called after a change of renderer: the sizes of their cells differ by parts of a
   * pixel.
   */
  constructor(terminal: Terminal, onChange: () => void) {
    this.#terminal = terminal;
    this.#onChange = onChange;
  }

  /** Begins to draw with the graphics card, if it can. */
  async start(): Promise<void> {
    this.#wanted = true;
    graphicsCard ??= hasGraphicsCard();
    if (this.#addon || !graphicsCard) return;
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
      graphicsCard = false;
    }
  }

  /** Gives the context back. */
  stop(): void {
    this.#wanted = false;
    this.#addon?.dispose();
    this.#addon = null;
  }
}
