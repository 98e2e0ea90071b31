import { fileURLToPath } from 'node:url';
import type { InlineConfig, Plugin, Rolldown } from 'vite';

/**
 * The entries of pages. Their static imports load before the first frame. The page of a desktop is
 * a frame without React: what it shares with others has its own files.
 */
const PAGES = ['ui', 'luna', 'signin', 'rdp'] as const;
/**
 * Files that load after the start: lists, of which the list of assets has the most parts, and parts
 * of the frame that can wait.
 */
const NEXT = {
  list: 'features/assets/list/AssetList.tsx',
  frame: 'layout/OrganizationSelect.tsx',
} as const;

const source = (path: string) => fileURLToPath(new URL(`src/console/${path}`, import.meta.url));

type Files = ReadonlyMap<string, Rolldown.OutputChunk>;

/** Returns all files that the roots import, directly or through others. */
function reach(
  files: Files,
  roots: readonly Rolldown.OutputChunk[],
  importsOf: (file: Rolldown.OutputChunk) => readonly string[],
): ReadonlySet<Rolldown.OutputChunk> {
  const reached = new Set<Rolldown.OutputChunk>();
  const open = [...roots];
  for (let file = open.pop(); file; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    open.push(...importsOf(file).flatMap((name) => files.get(name) ?? []));
  }
  return reached;
}

/**
 * Returns a name for each module that pages load together. The files of a build without groups
 * hold modules of equal importers; those of equal pages become one. A file that imports
 * another is reached by fewer or equal pages, so no two files import each other.
 */
export function namesOf(output: readonly Rolldown.OutputChunk[]): ReadonlyMap<string, string> {
  const files: Files = new Map(output.map((file) => [file.fileName, file]));
  const pages = PAGES.map((name) => {
    const roots = output.filter((file) => file.isEntry && file.name === name);
    return {
      name,
      first: reach(files, roots, ({ imports }) => imports),
      later: reach(files, roots, ({ imports, dynamicImports }) => [...imports, ...dynamicImports]),
    };
  });
  const next = Object.entries(NEXT).map(([name, path]) => {
    const roots = output.filter(({ moduleIds }) => moduleIds.includes(source(path)));
    return { name, files: reach(files, roots, ({ imports }) => imports) };
  });
  const imported = new Set(output.flatMap(({ imports }) => imports));
  const nameOf = (file: Rolldown.OutputChunk): string | undefined => {
    // Pages, and code that nothing imports statically, keep their files.
    if (!imported.has(file.fileName)) return undefined;
    const first = pages.filter((page) => page.first.has(file));
    const part = first.length > 0 ? 'start' : next.find((one) => one.files.has(file))?.name;
    if (part === undefined) return undefined;
    // A page that needs a module later does not load others with it.
    const later = pages.filter((page) => !page.first.has(file) && page.later.has(file));
    return [part, ...first.map(({ name }) => name), ...later.map(({ name }) => `${name}2`)].join(
      '-',
    );
  };
  return new Map(
    output.flatMap((file) => {
      const name = nameOf(file);
      return name === undefined ? [] : file.moduleIds.map((id): [string, string] => [id, name]);
    }),
  );
}

/**
 * Puts modules that pages load together into one file, so that a first visit makes few requests.
 * A build without output finds them: only it knows which imports are used.
 */
export function chunks(config: InlineConfig): Plugin {
  return {
    name: 'sallyport-chunks',
    apply: 'build',
    async config() {
      const { build } = await import('vite');
      const outcome = await build({ ...config, configFile: false, logLevel: 'error' });
      const outputs = Array.isArray(outcome) ? outcome : 'output' in outcome ? [outcome] : [];
      const names = namesOf(
        outputs.flatMap(({ output }) => output.filter((file) => file.type === 'chunk')),
      );
      return {
        build: {
          rolldownOptions: {
            output: {
              codeSplitting: {
                // Its dependencies have own names.
                includeDependenciesRecursively: false,
                groups: [
                  { name: (id: string) => names.get(id) ?? null, debugName: 'pages', priority: 1 },
                ],
              },
            },
          },
        },
      };
    },
  };
}
