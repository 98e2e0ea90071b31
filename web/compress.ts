import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/**
 * Minimum size in bytes. Below it, the headers for compression cost more than compression saves.
 */
const WORTH_BYTES = 128;
/**
 * Minimum size in bytes for a second copy. Below it, Brotli saves less than 100 bytes over gzip,
 * and a package has a limit of files.
 */
const WORTH_BROTLI_BYTES = 2_048;

/** Brotli from 10 on takes five times longer and saves 8 %: only for files of a first visit. */
const QUALITY = 9;
const FIRST_VISIT = /\/(?:start|list|frame|ui|luna|signin)-[^/]+\.(?:js|css)$/;

/**
 * Writes a compressed copy next to every built file that is worth it; the server sends it as is.
 */
export function compress(): Plugin {
  let folder = '';
  return {
    name: 'sallyport-compress',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const path = join(folder, name);
        const { size } = statSync(path);
        if (!/\.(js|css|html|svg|wasm)$/.test(name) || size < WORTH_BYTES) continue;
        const content = readFileSync(path);
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9, memLevel: 9 }));
        if (size < WORTH_BROTLI_BYTES) continue;
        const quality = FIRST_VISIT.test(name) ? constants.BROTLI_MAX_QUALITY : QUALITY;
        writeFileSync(
          `${path}.br`,
          brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
        );
      }
    },
  };
}
