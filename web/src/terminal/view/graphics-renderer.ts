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
 * Draws with the graphics card if the computer has one, otherwise with the terminal's default
 * renderer. Browsers limit WebGL contexts, so only the screen in front holds one.
 */
export class GraphicsRenderer {
  readonly #terminal: Terminal;
  readonly #onChange: () => void;
  #addon: WebglAddon | null = null;
  #wanted = false;

  /**
   * Calls `onChange` after a change of renderer: the cell sizes of the two renderers differ by
   * fractions of a pixel.
   */
  constructor(terminal: Terminal, onChange: () => void) {
    this.#terminal = terminal;
    this.#onChange = onChange;
  }

  /** Draws with the graphics card if possible. */
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
      // Without WebGL the default renderer stays.
      graphicsCard = false;
    }
  }

  /** Releases the WebGL context. */
  stop(): void {
    this.#wanted = false;
    this.#addon?.dispose();
    this.#addon = null;
  }
}
