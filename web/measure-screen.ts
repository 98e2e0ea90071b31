import { gzipSync } from 'node:zlib';
import { build, type Plugin, type Rolldown } from 'vite';
import { config } from './vite.config.ts';

/* A benchmark of what one more screen costs other pages. Builds the pages twice in memory,
   without and with an additional list, form and detail page. Prints the bytes of every page
   before and after. */

/** Registers a copy of the label screens under another name, with a menu entry. */
function oneMoreScreen(): Plugin {
  const load = `() => import('../features/assets/Labels.tsx?measured')`;
  const screens = ['List', 'Create', 'Update'].map((kind) => {
    const path = `/assets/measured${{ List: '', Create: '/create', Update: '/$id/update' }[kind]}`;
    const component = kind === 'List' ? 'LabelList' : 'LabelForm';
    const menu = kind === 'List' ? `menu: { group: 'assets' },` : `activeMenu: '/assets/measured',`;
    return `{ name: 'Measured${kind}', path: '${path}', title: { zh: '一个新的页面${kind}', en: 'Measured ${kind}' }, ${menu} component: measuredPage(${load}, '${component}') }`;
  });
  return {
    name: 'one-more-screen',
    enforce: 'pre',
    transform: {
      filter: { id: /console\/screens\/index\.ts$/ },
      handler: (code) =>
        `import { lazyRouteComponent as measuredPage } from '@tanstack/react-router';\n${code.replace(/SCREENS: readonly Screen\[\] = \[/, (start) => `${start}${screens.join()},`)}`,
    },
  };
}

type Weights = Record<string, number>;

/**
 * Bytes of the first load of each document, and of each screen with its document; lazy-loaded parts
 * are excluded.
 */
async function weigh(extra: readonly Plugin[]): Promise<Weights> {
  const weights: Weights = {};
  const spy: Plugin = {
    name: 'weigh',
    generateBundle(_options, bundle) {
      const files = new Map(Object.entries(bundle));
      const sizes = new Map(
        [...files].map(([name, file]) => [
          name,
          gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 }).length,
        ]),
      );
      const chunks = [...files.values()].filter(
        (file): file is Rolldown.OutputChunk => file.type === 'chunk',
      );
      const bytesOf = (start: readonly string[]) => {
        const seen = new Set<string>();
        const open = [...start];
        for (let name = open.pop(); name !== undefined; name = open.pop()) {
          const file = files.get(name);
          if (!file || seen.has(name)) continue;
          seen.add(name);
          if (file.type === 'chunk')
            open.push(...file.imports, ...(file.viteMetadata?.importedCss ?? []));
        }
        return [...seen].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
      };
      const entries = chunks.filter(({ isEntry }) => isEntry);
      for (const { name, fileName } of entries) weights[name] = bytesOf([fileName]);
      const console = entries.find(({ name }) => name === 'ui')?.fileName ?? '';
      for (const { fileName, modules } of chunks) {
        for (const id of Object.keys(modules)) {
          if (
            !/console\/features\/.*\.tsx$/.test(id) ||
            !this.getModuleInfo(id)?.dynamicImporters.length
          )
            continue;
          weights[id.slice(id.indexOf('web/src/'))] = bytesOf([console, fileName]);
        }
      }
    },
  };
  await build({
    ...config,
    configFile: false,
    logLevel: 'warn',
    plugins: [config.plugins, ...extra, spy],
    build: { ...config.build, write: false },
  });
  return weights;
}

const before = await weigh([]);
const after = await weigh([oneMoreScreen()]);
process.stdout.write(`${JSON.stringify({ before, after })}\n`);
