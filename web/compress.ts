import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Below this the headers of compression eat what it saves; pages load dozens of small files. */
const WORTH_BYTES = 128;

/** Lays a compressed copy beside every built file that is worth it, so that the server has nothing to do but send it. */
export function compress(folder: string): Plugin {
  return {
    name: 'sallyport-compress',
    apply: 'build',
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const path = join(folder, name);
        if (!/\.(js|css|html|svg|wasm)$/.test(name) || statSync(path).size < WORTH_BYTES) continue;
        const content = readFileSync(path);
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9, memLevel: 9 }));
        writeFileSync(
          `${path}.br`,
          brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
        );
      }
    },
  };
}
