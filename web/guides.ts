import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { parseGuide } from './src/console/features/help/markdown.ts';

const PREFIX = 'virtual:guide/';

/**
 * Resolves `virtual:guide/{name}` to the guide `{name}.md`, parsed into blocks at build time. The
 * browser parses nothing and renders no HTML text.
 */
export function guides(folder: string): Plugin {
  return {
    name: 'sallyport-guides',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      const file = join(folder, `${id.slice(PREFIX.length + 1)}.md`);
      this.addWatchFile(file);
      return `export default ${JSON.stringify(parseGuide(readFileSync(file, 'utf8')))}`;
    },
  };
}
