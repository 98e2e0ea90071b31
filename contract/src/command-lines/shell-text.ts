import { isMisleading } from '../kit/misleading.ts';

/** A program with its arguments. */
export interface CommandLine {
  readonly program: string;
  readonly args: readonly string[];
}

/** Characters without a special meaning in any shell, except at the beginning of a word. */
const BARE = /^[\w./:+-][\w.@:/+=-]*$/;
/**
 * Characters that some shell interprets between double quotes. PowerShell reads typographic quotes
 * as quotes.
 */
const INTERPRETED = /["$`\\!%\u2018-\u201f]/;
/**
 * Characters other than ASCII, letters and digits. Programs of Windows that take their arguments in
 * the code page of the system receive the most similar character for them: a fullwidth quote
 * becomes a quote, which begins another argument.
 */
const FOREIGN = /[^ -~\p{Lu}\p{Ll}\p{Lo}\p{M}\p{Nd}]|[\u0300-\u036f\u20d0-\u20ff]/u;
/** Characters that sh, PowerShell or cmd interpret next to or between single quotes. */
const UNQUOTABLE = /['"%&|<>^()\u2018-\u201f]/;

/**
 * Quotes a word so that sh, zsh, PowerShell and cmd read the same, or at least run nothing else.
 * Undefined if no such quoting exists.
 */
function shellWord(text: string): string | undefined {
  if (isMisleading(text) || FOREIGN.test(text)) return undefined;
  if (BARE.test(text)) return text;
  if (!INTERPRETED.test(text)) return `"${text}"`;
  // cmd knows no single quotes. Without its operators a word between them runs nothing.
  return UNQUOTABLE.test(text) ? undefined : `'${text}'`;
}

/**
 * Returns the text of a command that a user may paste into any shell; undefined for values that no
 * quoting makes safe in all of them.
 */
export function shellText({ program, args }: CommandLine): string | undefined {
  const words = args.map(shellWord);
  return words.every((word) => word !== undefined) ? [program, ...words].join(' ') : undefined;
}
