import type { Row, snippet } from '@sallyport/contract';

/** One snippet of the user. */
export type Snippet = Row<typeof snippet>;

/** A placeholder of a snippet: a name in double braces. */
const PLACE = /\{\{\s*([^{}\n]{1,64}?)\s*\}\}/g;

const BREAKS_AT_END = /[\r\n]+$/;

/** The placeholder names of a snippet, each once, in order. */
export function placesOf(content: string): string[] {
  return [...new Set([...content.matchAll(PLACE)].map(([, name = '']) => name))];
}

/**
 * Returns the text of a snippet with its placeholders filled in. Removes a final line break, which
 * would press Enter.
 */
export function insertionOf(content: string, values: ReadonlyMap<string, string>): string {
  return content
    .replace(PLACE, (place, name: string) => values.get(name) ?? place)
    .replace(BREAKS_AT_END, '');
}
