import { ATTRIBUTE, TOKEN } from './svg.ts';

/** The content below a name in the drawing: number of elements, and names that it draws again. */
interface Part {
  elements: number;
  readonly drawsAgain: string[];
}

/** Maximum drawn elements. Browsers draw this many without delay, and no logo needs more. */
const MAX_ELEMENTS = 50_000;
/** Maximum depth of references. */
const MAX_CHAIN = 64;
const ROOT = '';

/** The names that an element draws again. */
function referencesOf(name: string, value: string): string[] {
  if (/^(xlink:)?href$/i.test(name)) return [value.slice(1)];
  return [...value.matchAll(/url\s*\(\s*['"]?#([\w.-]+)/gi)].map(([, id = '']) => id);
}

function partsOf(text: string): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>([[ROOT, { elements: 0, drawsAgain: [] }]]);
  const open: string[] = [ROOT];
  TOKEN.lastIndex = 0;
  for (const [, closing, opening, attributes = '', selfClosing] of text.matchAll(TOKEN)) {
    if (closing !== undefined) open.pop();
    if (opening === undefined) continue;
    const pairs = [...attributes.matchAll(ATTRIBUTE)].map(
      ([, name = '', quoted, single]) => [name, quoted ?? single ?? ''] as const,
    );
    const id = pairs.find(([name]) => name === 'id')?.[1];
    if (id !== undefined && !parts.has(id)) parts.set(id, { elements: 0, drawsAgain: [] });
    open.push(id ?? open.at(-1) ?? ROOT);
    const references = pairs.flatMap(([name, value]) => referencesOf(name, value));
    for (const name of new Set([ROOT, ...open])) {
      const part = parts.get(name);
      if (!part) continue;
      part.elements += 1;
      part.drawsAgain.push(...references);
    }
    if (selfClosing) open.pop();
  }
  return parts;
}

/**
 * Returns true if a drawing repeats itself so often that browsers hang. The text must be a plain
 * drawing otherwise.
 */
export function isTooHeavy(text: string): boolean {
  const parts = partsOf(text);
  const known = new Map<string, number>();
  const weigh = (name: string, above: readonly string[]): number => {
    if (above.includes(name) || above.length > MAX_CHAIN) return Number.POSITIVE_INFINITY;
    const part = parts.get(name);
    const weight =
      known.get(name) ??
      part?.drawsAgain.reduce(
        (sum, other) => sum + weigh(other, [...above, name]),
        part.elements,
      ) ??
      0;
    known.set(name, weight);
    return weight;
  };
  return weigh(ROOT, []) > MAX_ELEMENTS;
}
