import { type Language, type LocalText, say } from '@sallyport/contract';
import { textWidth } from '../../../../platform/text-width.ts';
import { words } from './words.ts';

const MARGIN = 4;
const GAP = 2;
/** Below that many columns a text is not folded any more. */
const NARROWEST = 20;

/** What can be typed, and what it does. */
const KEYS: readonly (readonly [string | LocalText, LocalText])[] = [
  [words.keyPart, words.helpSearch],
  [{ en: `/${words.keyPart.en}`, zh: `/${words.keyPart.zh}` }, words.helpList],
  ['p', words.helpAssets],
  ['g', words.helpNodes],
  ['d', words.helpDatabases],
  ['n, b', words.helpPages],
  [words.keyNumber, words.helpRow],
  ['share', words.helpShare],
  ['join', words.helpJoin],
  ['r', words.helpRefresh],
  ['h, q', words.helpLeave],
];

/** The help of the menu for a terminal of so many columns: keys to the left, what they do to the right, folded between words. */
export function helpLines(language: Language, columns: number): string[] {
  const keys = KEYS.map(([key]) => (typeof key === 'string' ? key : say(key, language)));
  const widest = Math.max(...keys.map(textWidth));
  const room = Math.max(NARROWEST, columns - MARGIN - widest - GAP - 1);
  return KEYS.flatMap(([, text], index) => {
    const key = keys[index] ?? '';
    const [first = '', ...others] = fold(say(text, language), room);
    const blank = ' '.repeat(MARGIN + widest + GAP);
    return [
      `${' '.repeat(MARGIN)}\x1b[1m${key}\x1b[0m${' '.repeat(widest - textWidth(key) + GAP)}${first}`,
      ...others.map((line) => blank + line),
    ];
  });
}

/** A text in lines of so many columns: between words, and between the characters of a text without blanks. */
function fold(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of text.match(/[\u1100-\uffff]|[^\s\u1100-\uffff]+\s*|\s+/gu) ?? []) {
    if (line !== '' && textWidth((line + part).trimEnd()) > room) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += part;
  }
  return [...lines, line.trimEnd()];
}
