import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

const NAME = 'virtual:evidence-page';
const at = (path: string) =>
  fileURLToPath(new URL(`../scripts/evidence/page/${path}`, import.meta.url));
const read = (path: string) => readFileSync(at(path), 'utf8');
const digest = (text: string) => createHash('sha256').update(text).digest('base64');

/** Builds the page that proves evidence: one file, whose policy names its code by digest. */
async function buildEvidencePage(): Promise<string> {
  const [result] = [
    await build({
      configFile: false,
      root: at('.'),
      logLevel: 'error',
      build: {
        write: false,
        // A reader of the page can compare its code with the sources.
        minify: false,
        modulePreload: false,
        rolldownOptions: { input: at('page.mjs') },
      },
    }),
  ].flat();
  const [chunk] = result && 'output' in result ? result.output : [];
  if (chunk?.type !== 'chunk' || chunk.code.includes('</')) throw new Error('the page has no code');
  const [script, style] = [`\n${chunk.code}`, `\n${read('page.css')}`];
  return read('page.html')
    .replace('sha256-SCRIPT', `sha256-${digest(script)}`)
    .replace('sha256-STYLE', `sha256-${digest(style)}`)
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`);
}

/** Resolves `virtual:evidence-page` to the address of the page that proves evidence. */
export function evidencePage(): Plugin {
  let isBuild = false;
  return {
    name: 'sallyport-evidence-page',
    configResolved({ command }) {
      isBuild = command === 'build';
    },
    resolveId: (id) => (id === NAME ? `\0${id}` : undefined),
    async load(id) {
      if (id !== `\0${NAME}`) return undefined;
      const files = ['page.html', 'page.css', 'page.mjs', 'words.mjs', 'sha256.mjs'];
      for (const name of files) this.addWatchFile(at(name));
      const source = await buildEvidencePage();
      if (!isBuild)
        return `export default ${JSON.stringify(`data:text/html,${encodeURIComponent(source)}`)}`;
      const file = this.emitFile({ type: 'asset', name: 'evidence-verifier.html', source });
      return `export default import.meta.ROLLUP_FILE_URL_${file}`;
    },
  };
}
