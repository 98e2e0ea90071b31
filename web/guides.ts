import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import type { GuideDocument } from './src/console/features/help/guide-blocks.ts';
import { parseDividedGuide } from './src/console/features/help/markdown.ts';

const PREFIX = 'virtual:guide/';

/** The files of the guide `{name}.md`: its first page, then the pages that it links to. */
export function filesOfGuide(folder: string, name: string): readonly string[] {
  const first = `${name}.md`;
  const links = readFileSync(join(folder, first), 'utf8').matchAll(/\]\(([\w-]+\/[\w.-]+\.md)\)/g);
  const pages = [...links].flatMap(([, path = '']) => path);
  return [first, ...new Set(pages.filter((path) => existsSync(join(folder, path))))];
}

/** Reads the guide `{name}.md` with all of its pages. */
export function readGuide(folder: string, name: string): GuideDocument {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const [first = '', ...pages] = filesOfGuide(folder, name);
  return parseDividedGuide(read(first), new Map(pages.map((path) => [path, read(path)])));
}

/**
 * Resolves `virtual:guide/{name}` to a guide, parsed into blocks at build time. The browser parses
 * nothing and renders no HTML text.
 */
export function guides(folder: string): Plugin {
  return {
    name: 'sallyport-guides',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      const name = id.slice(PREFIX.length + 1);
      for (const path of filesOfGuide(folder, name)) this.addWatchFile(join(folder, path));
      return `export default ${JSON.stringify(readGuide(folder, name))}`;
    },
  };
}
