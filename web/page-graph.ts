import type { Rolldown } from 'vite';

export type Chunk = Rolldown.OutputChunk;
export type Files = readonly (Chunk | Rolldown.OutputAsset)[];

export interface Page {
  readonly chunks: ReadonlySet<Chunk>;
  /** Pages that begin with the same document have a total weight of 1. */
  readonly weight: number;
}

export const isChunk = (file: Chunk | Rolldown.OutputAsset): file is Chunk => file.type === 'chunk';

/** All chunks that load together with the given ones: the transitive closure of their imports. */
export function closure(
  start: readonly Chunk[],
  chunks: ReadonlyMap<string, Chunk>,
  namesOf: (chunk: Chunk) => readonly string[],
): Set<Chunk> {
  const reached = new Set<Chunk>();
  const open = [...start];
  for (let chunk = open.pop(); chunk; chunk = open.pop()) {
    if (reached.has(chunk)) continue;
    reached.add(chunk);
    for (const name of namesOf(chunk)) {
      const next = chunks.get(name);
      if (next) open.push(next);
    }
  }
  return reached;
}

export const withImports = (chunk: Chunk) => chunk.imports;
export const withEverything = (chunk: Chunk) => [...chunk.imports, ...chunk.dynamicImports];

const inAll = (sets: readonly ReadonlySet<Chunk>[]) =>
  [...(sets[0] ?? [])].filter((chunk) => sets.every((set) => set.has(chunk)));

/**
 * The pages: each complete document, and each lazy-loaded part together with the chunks already
 * loaded.
 */
export function pagesOf(chunks: ReadonlyMap<string, Chunk>): Page[] {
  const all = [...chunks.values()];
  const documents = all
    .filter((chunk) => chunk.isEntry)
    .map((entry) => ({
      entry,
      beginning: closure([entry], chunks, withImports),
      reached: closure([entry], chunks, withEverything),
    }));
  const parts = all
    .filter((chunk) => chunk.isDynamicEntry)
    .map((part) => {
      const loading = documents.filter(({ reached }) => reached.has(part));
      const askedBy = all
        .filter(({ dynamicImports }) => dynamicImports.includes(part.fileName))
        .map((chunk) => closure([chunk], chunks, withImports));
      const present = [...inAll(loading.map(({ beginning }) => beginning)), ...inAll(askedBy)];
      return {
        chunks: new Set([...present, ...closure([part], chunks, withImports)]),
        family: loading.map(({ entry }) => entry.fileName).join(),
      };
    });
  return parts.map(({ chunks: loaded, family }) => ({
    chunks: loaded,
    weight: 1 / parts.filter((other) => other.family === family).length,
  }));
}
