import { ATTRIBUTE, TOKEN } from './svg.ts';

/**
 * What hangs below a name of the drawing: how many elements, and which other names they draw again.
 */
interface Part {
  elements: number;
  readonly drawsAgain: string[];
}

/** More than any logo has; browsers draw it without a pause. */
const MAX_ELEMENTS = 50_000;
/** The longest chain of entities that refer to each other. */
const MAX_CHAIN = 64;
const ROOT = '';

/** The names that an element draws again by its attributes. */
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
 * Whether a few lines draw themselves again and again until no browser can go on. Of a text that is
 * a plain drawing otherwise.
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
