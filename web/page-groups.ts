import { gzipSync } from 'node:zlib';
import {
  type Chunk,
  closure,
  type Files,
  isChunk,
  type Page,
  pagesOf,
  withImports,
} from './page-graph.ts';

/**
 * Bytes that one file less is worth to a page: headers of request and answer, names of exports and
 * imports, and compression across files.
 */
const FILE_COST = 900;

/**
 * The share of all pages from which on a module moves into the first document's files, loaded by
 * all pages.
 */
const MANY_PAGES = 1 / 8;

/** Chunks written as one file, and the bytes that each page loads for them. */
interface Group {
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
  /** The chunks have styles, which become a separate file. */
  readonly styled: boolean;
  /** Numbers of the pages that load the group. */
  readonly pages: ReadonlySet<number>;
  /** The total weight of these pages. */
  readonly weight: number;
}

const gzipped = (content: string | Uint8Array) => gzipSync(content).length;

/** Two candidates for a merge, and the bytes that pages save by it. */
interface Pair {
  readonly one: Group;
  readonly other: Group;
  readonly sum: number;
}

const weigh = (numbers: Iterable<number>, pages: readonly Page[]) =>
  [...numbers].reduce((sum, index) => sum + (pages[index]?.weight ?? 0), 0);

/**
 * Bytes that pages save by a merge; negative for a loss. Pages that need both groups load one file
 * less, other pages load code they do not need.
 */
function gain(one: Group, other: Group, pages: readonly Page[]): number {
  const both = weigh(one.pages.intersection(other.pages), pages);
  const saved = FILE_COST * (one.styled && other.styled ? 2 : 1);
  return both * saved - (one.weight - both) * other.bytes - (other.weight - both) * one.bytes;
}

/** Pairs of one group with others whose merge saves bytes. */
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

/** Decides which groups may merge. */
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

  /**
   * Returns true if a group needs another through a third one. Files with circular imports would
   * run in the wrong order.
   */
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

  /**
   * Returns true if pages that load one group have everything that the other needs. Otherwise the
   * merge would load more chunks, even the entry of another page.
   */
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

/**
 * Merges chunks while pages save bytes. Entries of documents stay separate: loading a file with an
 * entry starts its page.
 */
export function mergeChunks(files: Files, first: string): Group[] {
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
  // All users load the first document. Its modules that many pages need become one file, cached for
  // later pages. Its other modules become a second file, which users with a valid session never
  // load.
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
    const best = pairs.reduce((top, pair) => (pair.sum > top.sum ? pair : top));
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
