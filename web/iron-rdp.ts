import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/web', import.meta.url));
const ADDRESS = /"data:application\/wasm;base64,([A-Za-z0-9+/=]+)"/;

/**
 * Takes the WebAssembly of IronRDP out of its script into a file of its own: as a data: address it would need a hole in the content security policy, and base64 makes it a third larger.
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
