// The server in few files (docs/performance.md): Node loads them in less than
// half the time of some thousand modules. They hold our sources, and one package of hundreds
// of small modules; all other packages are loaded from where they are.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const KEPT_DAYS = 30;

/**
 * Removes old parts of earlier bundles. Younger ones stay: a running server still loads parts of
 * the bundle that it started from.
 */
export function removeOldParts(folder) {
  const since = Date.now() - KEPT_DAYS * 86_400_000;
  for (const name of readdirSync(folder))
    if (statSync(join(folder, name)).mtimeMs < since) rmSync(join(folder, name));
}

export default {
  plugins: [
    {
      name: 'remove-old-parts',
      writeBundle: () => removeOldParts(join(import.meta.dirname, 'dist')),
    },
  ],
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: false,
    target: 'node24',
    // Names of functions and lines are in the log of a defect.
    minify: false,
    rolldownOptions: {
      input: ['src/main.ts', 'src/cli.ts'],
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: [/^@sallyport\//] },
};
