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

/** Allowed elements. All others can load, run or link something, which no logo needs. */
const ELEMENTS = new Set(
  'svg g path rect circle ellipse line polyline polygon defs linearGradient radialGradient stop clipPath mask pattern symbol use title desc text tspan'.split(
    ' ',
  ),
);
/**
 * A token of a drawing: declaration, comment, end tag, start tag with attributes and self-closing
 * mark, or text.
 */
const TOKEN =
  /<\?xml\s[^<>?]*\?>|<!--(?:(?!--)[\s\S])*-->|<\/([\w:-]+)\s*>|<([\w:-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const MAX_DEPTH = 64;

/** Returns the dangerous part of an attribute, or undefined. */
function dangerOf(name: string, value: string): string | undefined {
  if (/^on/i.test(name)) return name;
  if (/^xmlns(:xlink)?$/.test(name))
    return /^http:\/\/www\.w3\.org\/(2000\/svg|1999\/xlink)$/.test(value) ? undefined : name;
  if (name.includes(':') && !['xlink:href', 'xml:space', 'xml:lang'].includes(name)) return name;
  // Character references could hide the words below.
  if (/&(?!(amp|lt|gt|quot|apos);)/.test(value)) return name;
  if (/^(xlink:)?href$/i.test(name)) return /^#[\w.-]+$/.test(value) ? undefined : name;
  if (/[@\\]|expression|script:|data:/i.test(value)) return name;
  return /url\s*\(\s*(?!['"]?#[\w.-]+['"]?\s*\))/i.test(value) ? name : undefined;
}

/** Returns the first part of a text that is not a plain SVG drawing, or undefined. */
export function findDanger(text: string): string | undefined {
  const open: string[] = [];
  let isRootSeen = false;
  let at = 0;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token; token = TOKEN.exec(text)) {
    at = TOKEN.lastIndex;
    const [, closing, opening, attributes = '', selfClosing, content] = token;
    if (content !== undefined && /&(?!(amp|lt|gt|quot|apos|#\d{1,6});)/.test(content)) return '&';
    if (content !== undefined && open.length === 0 && content.trim() !== '')
      return content.trim().slice(0, 16);
    if (closing !== undefined && open.pop() !== closing) return `</${closing}>`;
    if (opening === undefined) continue;
    if (
      !ELEMENTS.has(opening) ||
      (open.length === 0 && (opening !== 'svg' || isRootSeen)) ||
      open.length === MAX_DEPTH
    )
      return `<${opening}>`;
    isRootSeen = true;
    for (const [, name = '', quoted, single] of attributes.matchAll(ATTRIBUTE)) {
      const danger = dangerOf(name, quoted ?? single ?? '');
      if (danger) return danger;
    }
    if (!selfClosing) open.push(opening);
  }
  if (at !== text.length) return text.slice(at, at + 16).split(/[\s>]/)[0];
  return open.length > 0 || !isRootSeen ? '<svg>' : undefined;
}
