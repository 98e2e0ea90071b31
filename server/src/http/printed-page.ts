import { type Language, type LocalText, say } from '@sallyport/contract';
import type { FastifyReply } from 'fastify';

/** A line above the content of a printed page. */
export type PageFact = readonly [name: string, value: string];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/**
 * Control characters except line feed and tab, and marks that change the text direction. They could
 * hide what the user typed.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are made visible
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Escapes a text for HTML. Invisible characters become `\u{202e}`. */
export function shownText(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(HIDDEN, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
  return plain.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Forbids loading and scripts. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const STYLE = `
:root { color-scheme: light; }
body { font: 13px/1.45 system-ui, "Noto Sans SC", sans-serif; margin: 24px; }
body { color: #111; background: #fff; }
h1 { font-size: 20px; margin: 0 0 12px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0 0 20px; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #bbb; padding: 4px 6px; text-align: left; vertical-align: top; }
th, td { overflow-wrap: anywhere; }
th { background: #eee; } thead { display: table-header-group; } tr { break-inside: avoid; }
small { color: #555; }
@page { margin: 14mm; }
@media print { body { margin: 0; } }
@media (max-width: 640px) {
  body { margin: 12px; }
  table, tbody, tr, td { display: block; } thead { position: absolute; clip-path: inset(50%); }
  tr { margin-bottom: 12px; } dl { grid-template-columns: 1fr; } dd { margin-bottom: 6px; }
}`;

/**
 * Returns the start of a page to print and to file, up to its facts. It contains no script, and the
 * policy inside forbids loading and scripts even when the file is opened from disk.
 */
export function pageStart({
  title,
  language,
  style,
  facts,
}: {
  readonly title: LocalText;
  readonly language: Language;
  readonly style: string;
  readonly facts: readonly PageFact[];
}): string {
  const heading = shownText(say(title, language));
  const lines = facts.map(
    ([name, value]) => `<dt>${shownText(name)}</dt><dd>${shownText(value)}</dd>`,
  );
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${heading}</title>
<style>${STYLE}${style}</style></head><body><main><h1>${heading}</h1>
<dl>${lines.join('')}</dl>
`;
}

export const PAGE_END = '</main></body></html>\n';

/** Sends a printed page with its policy, under a name that says when it was made. */
export function sendPage(reply: FastifyReply, name: string, moment: string): void {
  const when = moment.slice(0, 19).replace(' ', '_').replaceAll(':', '-');
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('cache-control', 'private, no-store')
    .header('content-disposition', `inline; filename="${name}_${when}.html"`);
}
