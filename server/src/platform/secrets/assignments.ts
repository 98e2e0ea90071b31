import { type Finding, isPlaceholder, isReadableBase64, looksSecret } from './values.ts';

/** Names of values that are secrets; without regard to case. */
export const KEYWORDS =
  'pass(?:word|wd|phrase|code)|pass(?=[^a-z])|passw(?=[^a-z])|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|preshared[_-]?key|(?:encryption|signing|master|client|shared)[_-]key|credential|identified by|"auth"|_auth(?:Token)?';

const keyWords = (words: string): readonly string[] =>
  words.split(' ').flatMap((word) => ['key', '_key', '-key'].map((end) => word + end));

/** Texts that `KEYWORDS` matches. */
export const ANCHOR_WORDS = [
  ...['pass', 'password', 'passwd', 'passphrase', 'passcode'],
  ...['pwd', 'secret', 'token', 'credential', 'identified by', '"auth"', '_auth'],
  ...keyWords('api access account private preshared encryption signing master client shared'),
] as const;

/** Longest value that is held back until its end is known. */
const MAX_UNDECIDED = 96;
const MAX_VALUE = 8192;
const REST =
  /([A-Za-z0-9_.-]{0,40})((?:\\?["'`])?\]?[ \t]{0,20}(?:=>|:=|==?|:)[ \t]{0,8}|[ \t]{1,4})(\\?["'`]?)/y;
const NOT_A_SECRET =
  /(?:file|path|dir|url|uri|name|[_-]?ids?$|Id$|ttl|expir|length|size|count|type|polic|min|max|age$|field|label|hint|algo|version|prefix|history|reset|chang|last|date|time|used|limit|status|state|valid|rotat|encryption|endpoint|scope|auth$|sh$|ize|sha)/i;
const INCOMPLETE =
  /[A-Za-z0-9_.-]{0,40}(?:\\?["'`]?\]?[ \t]{0,20}(?:=>|:=|==?|:)?[ \t]{0,8})?\\?["'`]?$/y;
const UNQUOTED = /[^\s"'`<>]{1,8192}/y;
/** The start of another assignment in the same text, as in a query string. */
const NEXT = /[&;,](?=[\w.]{1,40}=)|[,;]$/;
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\n]|\\[^\n]){0,8192}/y,
  "'": /(?:[^'\\\n]|\\[^\n]|''){0,8192}/y,
  '`': /[^`\n]{0,8192}/y,
};
const CONTINUES: Readonly<Record<string, RegExp>> = {
  '"': /[^"\n]*/y,
  "'": /[^'\n]*/y,
  '`': /[^`\n]*/y,
  '': /[^\s"'`<>&;,]*/y,
};

interface Place {
  readonly text: string;
  /** The keyword. */
  readonly at: number;
  readonly end: number;
  /** No more text follows now. */
  readonly isLast: boolean;
}

const at = (pattern: RegExp, text: string, index: number) => {
  pattern.lastIndex = index;
  return pattern.exec(text);
};

/** Finds the value after a name of a secret, as in a shell, ini, YAML, JSON, SQL or options. */
export function findAssignment({ text, at: start, end, isLast }: Place): Finding {
  const keyword = text.slice(start, end).toLowerCase();
  const before = text[start - 1] ?? '\n';
  // `bypass`, `compass`: the short words must begin a word.
  if (
    /^(?:pass|passw|pwd)$/.test(keyword) &&
    /[a-z]/.test(before) &&
    /[a-z]/.test(text[start] ?? '')
  )
    return undefined;
  const match = at(REST, text, end);
  if (!match) return !isLast && at(INCOMPLETE, text, end) ? 'more' : undefined;
  const [, rest = '', separator = '', quote = ''] = match;
  // `tokens`, `PASSED`, `author`: the word continues.
  if (/^(?:[a-z]{2}|[A-Z]{2})$/.test(text.slice(end - 1, end) + rest.slice(0, 1))) return undefined;
  if (/\? ?["']$/.test(text.slice(Math.max(0, start - 3), start))) return undefined;
  if (NOT_A_SECRET.test(rest)) return undefined;
  const from = match.index + match[0].length;
  if (from >= text.length) return isLast ? undefined : 'more';
  const isAssigned = /[:=]/.test(separator);
  if (!isAssigned && quote !== '' && rest !== '' && !isOption(text, start)) return undefined;
  // Names of images and of keys in a cache, as in `token-issuer:1f2e3d4`.
  if (separator === ':' && quote === '' && rest !== '') return undefined;
  return quote === ''
    ? findUnquoted({ text, start, from, isLast, keyword, rest, separator, isAssigned })
    : findQuoted({ text, start, from, isLast, keyword, quote, isAssigned, separator });
}

interface Value {
  readonly text: string;
  readonly start: number;
  readonly from: number;
  readonly isLast: boolean;
  readonly keyword: string;
  readonly separator: string;
  readonly isAssigned: boolean;
}

function findQuoted({
  text,
  start,
  from,
  isLast,
  keyword,
  quote,
  isAssigned,
  separator,
}: Value & { readonly quote: string }): Finding {
  const mark = quote.at(-1) ?? '"';
  let value = at(QUOTED[mark] ?? /$^/y, text, from)?.[0] ?? '';
  // In JSON within a string the quotes are escaped.
  const escaped = quote.length > 1 ? value.indexOf('\\') : -1;
  if (escaped >= 0) value = value.slice(0, escaped);
  const to = from + value.length;
  const isOpen = to >= text.length;
  if (isOpen && !isLast && value.length < MAX_UNDECIDED) return 'more';
  // SQL has no sign between the word and the text.
  if (!isAssigned && !/^(?:password|identified by)$/.test(keyword) && !isOption(text, start))
    return undefined;
  if (value.length < 4 || isPlaceholder(value)) return undefined;
  const isData = /^\\?["']/.test(separator) && separator.includes(':');
  const isPlain = /^[a-z]{6,}$/.test(value) && (isData || !isAssigned);
  if (keyword.includes('auth') && quote.length > 0 && isReadableBase64(value, ':'))
    return findingOf(from, to, isOpen, mark);
  if (/\s/.test(value) || !(isPlain || looksSecret(value))) return undefined;
  return findingOf(from, to, isOpen, mark);
}

function findUnquoted({
  text,
  start,
  from,
  isLast,
  keyword,
  rest,
  separator,
  isAssigned,
}: Value & { readonly rest: string }): Finding {
  const digits = isAssigned ? null : at(/\d{1,2}[ \t]{1,2}/y, text, from);
  const begin = digits ? from + digits[0].length : from;
  let value = at(UNQUOTED, text, begin)?.[0] ?? '';
  const isOpen = begin + value.length >= text.length && value.length < MAX_VALUE;
  if (isOpen && !isLast && value.length < MAX_UNDECIDED) return 'more';
  const isVariable = /^[A-Z][A-Z0-9_]*$/.test(text.slice(start, start + keyword.length) + rest);
  const isEnvironment = isVariable && separator === '=';
  const next = isEnvironment ? null : NEXT.exec(value);
  if (next) value = value.slice(0, next.index);
  const to = begin + value.length;
  const isStillOpen = isOpen && !next;
  if (isPlaceholder(value) || value.length < 4) return undefined;
  if (keyword === 'pwd' && /^[/~.]/.test(value)) return undefined;
  if (isEnvironment && !/[()]/.test(value)) return findingOf(begin, to, isStillOpen, '');
  if (!isAssigned && !digits && !isOption(text, start) && !isNetrc(text, start)) return undefined;
  if (!isAssigned && isNetrc(text, start)) return findingOf(begin, to, isStillOpen, '');
  if (!isAssigned && isOption(text, start)) {
    const isValue = /^passw(?:or)?d$/.test(keyword) || looksSecret(value);
    return isValue && !value.startsWith('-') ? findingOf(begin, to, isStillOpen, '') : undefined;
  }
  if (digits && value.length >= 8 && looksSecret(value))
    return findingOf(begin, to, isStillOpen, '');
  if (!looksSecret(value) || digits) return undefined;
  // Prose and code continue after the value.
  const after = text.slice(to, to + 4);
  const endsThere = /^(?:$|[\r\n&;,"'`<]|[ \t]+(?:$|[\r\n#;\\|]))/.test(after);
  const isAlone = !/\s/.test(separator) || endsThere;
  return isAlone ? findingOf(begin, to, isStillOpen, '') : undefined;
}

/** Returns true if the word is an option of a command, as in `--password x`. */
const isOption = (text: string, start: number): boolean =>
  /(?:^|\s)--?[a-z-]{0,24}$/.test(text.slice(Math.max(0, start - 28), start));

/** Returns true if the word belongs to an entry of a `.netrc`. */
function isNetrc(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 160), start);
  return /(?:^|\n|\bmachine[ \t]+\S+\s+)[ \t]*(?:login|account)[ \t]+\S+\s+$/.test(before);
}

const findingOf = (from: number, to: number, isOpen: boolean, quote: string): Finding =>
  to <= from ? undefined : { from, to, ...(isOpen && { more: CONTINUES[quote] ?? /$^/y }) };
