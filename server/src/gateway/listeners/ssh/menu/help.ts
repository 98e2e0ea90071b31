import { type Language, type LocalText, say } from '@sallyport/contract';
import { textWidth } from '../../../../platform/text-width.ts';
import { words } from './words.ts';

const MARGIN = 4;
const GAP = 2;
/** Minimum width of folded text. */
const MIN_WIDTH = 20;

/** Keys and commands with their descriptions. */
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

/** Returns the help in two columns, keys and descriptions, folded to the terminal width. */
export function helpLines(language: Language, columns: number): string[] {
  const keys = KEYS.map(([key]) => (typeof key === 'string' ? key : say(key, language)));
  const widest = Math.max(...keys.map(textWidth));
  const room = Math.max(MIN_WIDTH, columns - MARGIN - widest - GAP - 1);
  return KEYS.flatMap(([, text], index) => {
    const key = keys[index] ?? '';
    const [first = '', ...others] = fold(say(text, language), room);
    const blank = ' '.repeat(MARGIN + widest + GAP);
    const label = `${' '.repeat(MARGIN)}\x1b[1m${key}\x1b[0m`;
    return [
      `${label}${' '.repeat(widest - textWidth(key) + GAP)}${first}`,
      ...others.map((line) => blank + line),
    ];
  });
}

/** Folds a text between words, or between characters of a text without blanks. */
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
