import { SHELL_TECHNIQUES } from './shell.ts';
import type { Mark, Technique } from './technique.ts';
import { TYPING_TECHNIQUES } from './typing.ts';

export const TECHNIQUES: readonly Technique[] = [...SHELL_TECHNIQUES, ...TYPING_TECHNIQUES];

const WORDS: Readonly<Record<Mark, string>> = {
  caught: 'caught',
  direct: 'caught only when executed directly',
  free: 'not catchable here',
};
const MARKS = ['caught', 'direct', 'free'] as const;

/**
 * The score and all techniques as Markdown, for docs/command-control.md. The corpus tests run each
 * of them.
 */
export function markdownTable(): string {
  const count = (among: readonly Technique[], mark: Mark) =>
    among.filter((one) => one.mark === mark).length;
  const families = Map.groupBy(TECHNIQUES, ({ family }) => family);
  return [
    '| Family | Techniques | Caught | Caught only when executed directly | Not catchable here |',
    '| --- | --- | --- | --- | --- |',
    ...[...families, ['**All**', TECHNIQUES] as const].map(
      ([name, all]) =>
        `| ${name} | ${all.length} | ${MARKS.map((mark) => count(all, mark)).join(' | ')} |`,
    ),
    ...[...families].flatMap(([name, all]) => [
      '',
      `### ${name}`,
      '',
      '| Technique | Result |',
      '| --- | --- |',
      ...all.map(({ what, mark }) => `| ${code(what)} | ${WORDS[mark]} |`),
    ]),
  ].join('\n');
}

/** Formats a technique that is a command line as code. */
function code(what: string): string {
  if (!/[^\p{L}\p{N}\s,.'-]/u.test(what) && !/^forbid/.test(what)) return what;
  const text = what.replaceAll('|', '\\|');
  const fence = text.includes('`') ? '``' : '`';
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}
