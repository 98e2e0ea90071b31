// sallyctl as one file for any machine with Node 20: its sources and parts of the contract.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));

export default {
  define: { __VERSION__: JSON.stringify(version) },
  build: {
    ssr: true,
    outDir: 'dist',
    target: 'node20',
    // Readable for those who check it before they run it.
    minify: false,
    rolldownOptions: {
      input: ['src/main.ts'],
      output: { entryFileNames: 'sallyctl.mjs', codeSplitting: false },
    },
  },
  ssr: { noExternal: true },
};
