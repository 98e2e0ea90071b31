import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';
import { type Chunk, closure, isChunk, withEverything } from './page-graph.ts';
import { mergeChunks } from './page-groups.ts';

/**
 * Groups modules into files. The bundler creates one file per set of pages that share modules:
 * about two hundred, most smaller than their headers. This function builds them once in memory and
 * merges those that pages load together. `first` is the document that all users see first.
 */
export async function pageFiles(
  config: InlineConfig,
  first: string,
): Promise<Rolldown.CodeSplittingOptions> {
  const { output } = (await build({
    ...config,
    configFile: false,
    logLevel: 'warn',
    build: { ...config.build, write: false },
  })) as Rolldown.RolldownOutput;
  const names = new Map<string, string>();
  for (const [index, { chunks }] of mergeChunks(output, first).entries()) {
    if (chunks.length > 1)
      for (const chunk of chunks)
        for (const module of Object.keys(chunk.modules)) names.set(module, `shared-${index}`);
  }
  // Assign dependencies to their computed file, not to the file of the first module that imports
  // them.
  return {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'shared', name: (module) => names.get(module) ?? null }],
  };
}

/**
 * Fails the build if a document can load the entry of another one, whose page would start inside of
 * it.
 */
export function onePageEach(): Plugin {
  return {
    name: 'sallyport-one-page-each',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = new Map(
        Object.values(bundle).flatMap((file) => (isChunk(file) ? [[file.fileName, file]] : [])),
      );
      const entries = [...chunks.values()].filter(({ isEntry }) => isEntry);
      const startsOf = (chunk: Chunk) =>
        Object.keys(chunk.modules).filter((module) => /\/main\.tsx$/.test(module));
      for (const entry of entries) {
        const own = startsOf(entry);
        for (const chunk of closure([entry], chunks, withEverything)) {
          const foreign = startsOf(chunk).find((module) => !own.includes(module));
          if (foreign)
            this.error(`${entry.name} can load ${chunk.fileName}, which starts ${foreign}`);
        }
      }
    },
  };
}
