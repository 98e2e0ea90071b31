import { gzipSync } from 'node:zlib';
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';

type Chunk = Rolldown.OutputChunk;
type Files = readonly (Chunk | Rolldown.OutputAsset)[];

/**
 * What one file less is worth to a page, in bytes: the headers of its request and its answer, the names it exports and others import, and what
 * gzip cannot see across files.
 */
const FILE_COST = 900;

/** The part of all pages that has to need what the first document begins with, so that all of them load it. */
const MANY_PAGES = 1 / 8;

/** Chunks that are written as one file, and how much each page would have to load for them. */
interface Group {
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
  /** It has styles, which are a file of their own. */
  readonly styled: boolean;
  /** The pages that load it, by their number. */
  readonly pages: ReadonlySet<number>;
  /** How much these pages count together. */
  readonly weight: number;
}

interface Page {
  readonly chunks: ReadonlySet<Chunk>;
  /** How much it counts: all pages that begin with the same document count as one. */
  readonly weight: number;
}

const isChunk = (file: Chunk | Rolldown.OutputAsset): file is Chunk => file.type === 'chunk';
const gzipped = (content: string | Uint8Array) => gzipSync(content).length;

/** All chunks that are loaded with some, found by the files that each one names. */
function closure(
  start: readonly Chunk[],
  chunks: ReadonlyMap<string, Chunk>,
  namesOf: (chunk: Chunk) => readonly string[],
): Set<Chunk> {
  const found = new Set<Chunk>();
  const open = [...start];
  for (let chunk = open.pop(); chunk; chunk = open.pop()) {
    if (found.has(chunk)) continue;
    found.add(chunk);
    for (const name of namesOf(chunk)) {
      const next = chunks.get(name);
      if (next) open.push(next);
    }
  }
  return found;
}

const withImports = (chunk: Chunk) => chunk.imports;
const withEverything = (chunk: Chunk) => [...chunk.imports, ...chunk.dynamicImports];

const inAll = (sets: readonly ReadonlySet<Chunk>[]) =>
  [...(sets[0] ?? [])].filter((chunk) => sets.every((set) => set.has(chunk)));

/** The pages: each document that is complete by itself, and each part that is loaded later, together with what is there by then. */
function pagesOf(chunks: ReadonlyMap<string, Chunk>): Page[] {
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

/** Two groups that may become one, and what the pages gain by it. */
interface Pair {
  readonly one: Group;
  readonly other: Group;
  readonly sum: number;
}

const weigh = (numbers: Iterable<number>, pages: readonly Page[]) =>
  [...numbers].reduce((sum, index) => sum + (pages[index]?.weight ?? 0), 0);

/** What the pages gain, or lose, if two groups become one: pages that need both load a file less, the others load what they do not need. */
function gain(one: Group, other: Group, pages: readonly Page[]): number {
  const both = weigh(one.pages.intersection(other.pages), pages);
  const saved = FILE_COST * (one.styled && other.styled ? 2 : 1);
  return both * saved - (one.weight - both) * other.bytes - (other.weight - both) * one.bytes;
}

/** The pairs of one group with others by which the pages gain. */
const gainful = (one: Group, others: readonly Group[], pages: readonly Page[]): Pair[] =>
  others.flatMap((other) => {
    const sum = gain(one, other, pages);
    return sum > 0 ? [{ one, other, sum }] : [];
  });

function merged(one: Group, other: Group, pages: readonly Page[]): Group {
  const loading = one.pages.union(other.pages);
  return {
    chunks: [...one.chunks, ...other.chunks],
    bytes: one.bytes + other.bytes,
    styled: one.styled || other.styled,
    pages: loading,
    weight: weigh(loading, pages),
  };
}

/** What decides whether two groups may become one. */
class Needs {
  readonly #groupOf: ReadonlyMap<string, Group>;

  constructor(groups: readonly Group[]) {
    this.#groupOf = new Map(
      groups.flatMap((group) =>
        group.chunks.map(({ fileName }): [string, Group] => [fileName, group]),
      ),
    );
  }

  #of(group: Group): Group[] {
    return group.chunks.flatMap(({ imports }) =>
      imports.flatMap((name) => this.#groupOf.get(name) ?? []),
    );
  }

  /** Whether one group needs another by way of a third. Files that import each other in a circle would run in the wrong order. */
  #indirectly(from: Group, to: Group): boolean {
    const open = this.#of(from).filter((group) => group !== to && group !== from);
    const seen = new Set<Group>();
    for (let group = open.pop(); group; group = open.pop()) {
      if (group === to) return true;
      if (seen.has(group)) continue;
      seen.add(group);
      open.push(...this.#of(group));
    }
    return false;
  }

  /** Whether pages that load one group have all that another needs: nothing else comes with it, least of all the entry of another page. */
  #complete(one: Group, other: Group): boolean {
    return this.#of(other).every(
      (needed) => needed === one || needed === other || one.pages.isSubsetOf(needed.pages),
    );
  }

  allow(one: Group, other: Group): boolean {
    return (
      this.#complete(one, other) &&
      this.#complete(other, one) &&
      !this.#indirectly(one, other) &&
      !this.#indirectly(other, one)
    );
  }
}

/** Joins chunks as long as the pages gain by it. The entries of documents stay alone: a file that holds one starts its page. */
function joined(files: Files, first: string): Group[] {
  const chunks = new Map(files.filter(isChunk).map((chunk) => [chunk.fileName, chunk]));
  const sheets = new Map(
    files.flatMap((file) => (isChunk(file) ? [] : [[file.fileName, gzipped(file.source)]])),
  );
  const pages = pagesOf(chunks);
  const all = [...chunks.values()];
  const single = all.map((chunk): Group => {
    const styles = [...(chunk.viteMetadata?.importedCss ?? [])].reduce(
      (sum, name) => sum + (sheets.get(name) ?? 0),
      0,
    );
    const loading = new Set(
      pages.flatMap((page, index) => (page.chunks.has(chunk) ? [index] : [])),
    );
    return {
      chunks: [chunk],
      bytes: gzipped(chunk.code) + styles,
      styled: styles > 0,
      pages: loading,
      weight: weigh(loading, pages),
    };
  });
  const entries = single.filter((group) => group.chunks.some(({ isEntry }) => isEntry));
  // Everybody comes through the first document: what it begins with, and many pages need too, is one file, which they find in the cache. The rest of what it begins
  // with is another one: who comes with a sign-in that goes on would load it for nothing.
  const beginning = closure(
    all.filter((chunk) => chunk.isEntry && chunk.name === first),
    chunks,
    withImports,
  );
  const others = single.filter((group) => !entries.includes(group));
  const begins = (group: Group) => group.chunks.every((chunk) => beginning.has(chunk));
  const isCommon = (group: Group) => group.pages.size > MANY_PAGES * pages.length;
  const oneFile = (some: readonly Group[]) =>
    some
      .slice(0, 1)
      .map((one) => some.slice(1).reduce((sum, other) => merged(sum, other, pages), one));
  const starts = others.filter(begins);
  let groups = [
    ...others.filter((group) => !begins(group)),
    ...oneFile(starts.filter(isCommon)),
    ...oneFile(starts.filter((group) => !isCommon(group))),
  ];
  let pairs = groups.flatMap((one, index) => gainful(one, groups.slice(index + 1), pages));
  while (pairs.length > 0) {
    const best = pairs.reduce((found, pair) => (pair.sum > found.sum ? pair : found));
    const { one, other } = best;
    if (!new Needs([...groups, ...entries]).allow(one, other)) {
      pairs = pairs.filter((pair) => pair !== best);
      continue;
    }
    const group = merged(one, other, pages);
    groups = groups.filter((each) => each !== one && each !== other);
    pairs = [
      ...pairs.filter(
        (pair) =>
          pair.one !== one && pair.one !== other && pair.other !== one && pair.other !== other,
      ),
      ...gainful(group, groups, pages),
    ];
    groups.push(group);
  }
  return groups;
}

/**
 * Which modules share a file. The bundler's own files are one for each set of pages that use the same modules, some two hundred, most of them
 * smaller than the headers they travel with. They are built once, in memory, and those that pages load together are joined. `first` is the
 * document that everybody sees first.
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
  for (const [index, { chunks }] of joined(output, first).entries()) {
    if (chunks.length > 1)
      for (const chunk of chunks)
        for (const module of Object.keys(chunk.modules)) names.set(module, `shared-${index}`);
  }
  // What a module needs is in the file that was found for it, not in the one of the first module that needs it.
  return {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'shared', name: (module) => names.get(module) ?? null }],
  };
}

/** Refuses a build where a document can load the entry of another one: the other page would start inside of it. */
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
