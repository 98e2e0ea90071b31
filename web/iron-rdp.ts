import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/web', import.meta.url));
const ADDRESS = /"data:application\/wasm;base64,([A-Za-z0-9+/=]+)"/;

/**
 * Moves the WebAssembly of IronRDP from its script into a separate file. A data: address would
 * require a looser content security policy, and base64 adds a third to the size.
 */
export function ironRdp(): Plugin {
  return {
    name: 'sallyport-iron-rdp',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/iron-remote-desktop-rdp.js')) return undefined;
      const [whole, base64] = ADDRESS.exec(code) ?? [];
      if (!whole || !base64)
        throw new Error('IronRDP has changed: its WebAssembly is not where it was');
      mkdirSync(FOLDER, { recursive: true });
      const file = join(FOLDER, 'iron-rdp.wasm');
      writeFileSync(file, Buffer.from(base64, 'base64'));
      return {
        code: `import wasmAddress from ${JSON.stringify(`${file}?url`)};\n${code.replace(whole, 'wasmAddress')}`,
        map: null,
      };
    },
  };
}
