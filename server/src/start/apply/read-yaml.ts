import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { StartError } from '../../config.ts';

/** Nested lists and objects; the API accepts as many. */
const MAX_DEPTH = 64;
/** Values of one file, those that aliases repeat included. */
const MAX_VALUES = 200_000;
const TOO_DEEP = `more than ${MAX_DEPTH} lists and objects inside of each other`;

export interface YamlFile {
  readonly top: unknown;
  lineAt(node: unknown): number;
  /** Returns an error with file, line and problem. */
  fail(node: unknown, problem: string): StartError;
  /** Returns the plain value of a node. @throws StartError with file and line */
  plainOf(node: unknown): unknown;
}

/**
 * Reads one YAML document. Its values are those of JSON: an alias stands for a copy, so it cannot
 * contain itself, and copies count like written values.
 *
 * @throws StartError with file, line and column
 */
export function readYaml(path: string, text: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineAt = (node: unknown) => {
    const [start = 0] = (node as Partial<Pick<Node, 'range'>> | null)?.range ?? [];
    return lines.linePos(start).line;
  };
  const fail = (node: unknown, problem: string) =>
    new StartError(`${path}:${lineAt(node)}: ${problem}`);
  // A warning is about a tag that the library does not know; its value would be a guess.
  const [error] = [...document.errors, ...document.warnings];
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    const problem =
      error.code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : error.message.split(' at line')[0];
    throw new StartError(`${path}:${line}:${col}: ${problem}`);
  }

  const sources = sourcesOf(document);
  let values = 0;
  function plainOf(node: unknown, around: readonly unknown[] = []): unknown {
    if (++values > MAX_VALUES)
      throw fail(node, `more than ${MAX_VALUES} values, repeated aliases included`);
    if (isAlias(node)) {
      const source = sources.get(node);
      if (!source) throw fail(node, `no earlier value has the anchor &${node.source}`);
      if (around.includes(source))
        throw fail(node, `*${node.source} is inside of &${node.source}, so it has no end`);
      return plainOf(source, around);
    }
    if (isScalar(node)) return scalarOf(node);
    if (around.length >= MAX_DEPTH) throw fail(node, TOO_DEEP);
    const within = [...around, node];
    if (isSeq(node)) return node.items.map((item) => plainOf(item, within));
    if (!isMap(node)) return null;
    const entries = node.items.map(({ key, value }) => {
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== 'string' && typeof name !== 'number')
        throw fail(key, 'expected the name of a field');
      return [String(name), plainOf(value, within)] as const;
    });
    return Object.fromEntries(entries);
  }
  function scalarOf(node: { readonly value: unknown }): unknown {
    const { value } = node;
    const isPlain = value === null || ['string', 'boolean'].includes(typeof value);
    if (isPlain || (typeof value === 'number' && Number.isFinite(value))) return value;
    throw fail(node, 'expected a text, a number, true, false or null');
  }
  return { top: document.contents, lineAt, fail, plainOf: (node) => plainOf(node) };
}

/** Returns the node that each alias repeats: the last one before it with the anchor. */
function sourcesOf(document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const sources = new Map<Alias, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        const source = anchors.get(node.source);
        if (source) sources.set(node, source);
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return sources;
}
