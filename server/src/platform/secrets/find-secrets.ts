import { Anchors } from './anchors.ts';
import { ANCHOR_WORDS, findAssignment, KEYWORDS } from './assignments.ts';
import { BLOCK_BEGIN, type SecretKind, TOKEN_FORMATS, type TokenFormat } from './formats.ts';
import { type Finding, isMixed, isPlaceholder, isReadableBase64 } from './values.ts';
import { VENDOR_FORMATS } from './vendor-formats.ts';

interface Token extends TokenFormat {
  readonly run: RegExp;
  readonly more: RegExp;
}

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

const TOKENS = new Map<string, Token>(
  TOKEN_FORMATS.flatMap((format) => {
    const run = new RegExp(`[${format.body}]{0,4096}`, 'y');
    const more = new RegExp(`[${format.body}]*`, 'y');
    return format.prefixes.map((prefix): [string, Token] => [prefix, { ...format, run, more }]);
  }),
);

type Finder = (text: string, at: number, isLast: boolean) => Finding;

interface Special {
  readonly kind: SecretKind;
  readonly find: Finder;
}

const match = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/**
 * Finds the last group of a pattern after an anchor. `open` matches a text that may become a match.
 */
function after(
  pattern: RegExp,
  open: RegExp,
  accept: (value: string, text: string, at: number) => boolean,
  more = /[^\s"'`]*/y,
): Finder {
  return (text, at, isLast) => {
    const [whole, value] = match(pattern, text, at) ?? [];
    if (whole === undefined || value === undefined)
      return !isLast && match(open, text, at) ? 'more' : undefined;
    const to = at + whole.length;
    const isOpen = to === text.length;
    if (isOpen && !isLast && value.length < 96) return 'more';
    if (!accept(value, text, at)) return undefined;
    return { from: to - value.length, to, ...(isOpen && { more }) };
  };
}

const isWordBefore = (text: string, at: number): boolean => /\w/.test(text[at - 1] ?? ' ');
function lineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 200), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}

const authorization = after(
  /(?:basic|bearer|negotiate|digest) {1,2}([\w.~+/=-]{8,4096})/iy,
  /(?:basic|bearer|negotiate|digest) {1,2}[\w.~+/=-]{0,8}$/iy,
  (value, text, at) =>
    isReadableBase64(value, ':') ||
    (value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value)) ||
    (value.length >= 8 && /authorization["']?: *$/i.test(text.slice(Math.max(0, at - 20), at))),
  /[\w.~+/=-]*/y,
);

const SPECIALS: Readonly<Record<string, Special>> = {
  '://': {
    kind: 'url_password',
    find: (text, at, isLast) => {
      const [whole, head, value] =
        match(/(:\/\/[^\s/:@"'<>]{0,80}:)([^\s/@"'<>]{1,200})/y, text, at) ?? [];
      if (whole === undefined || head === undefined || value === undefined)
        return !isLast && match(/:\/\/[^\s/:@"'<>]{0,80}:?$/y, text, at) ? 'more' : undefined;
      const to = at + whole.length;
      const isOpen = to === text.length;
      if (isOpen && !isLast && value.length < 200) return 'more';
      const isPassword = text[to] === '@' || (isOpen && !/^[\d.\]:]*$/.test(value));
      if (!isPassword || isPlaceholder(value)) return undefined;
      return { from: at + head.length, to, ...(isOpen && { more: /[^\s/@"'<>]*/y }) };
    },
  },
  eyJ: {
    kind: 'jwt',
    find: (text, at, isLast) => {
      if (isWordBefore(text, at)) return undefined;
      const whole = match(/[\w-]{8,2048}\.[\w-]{4,4096}(?:\.[\w-]{0,4096}){0,3}/y, text, at)?.[0];
      if (whole === undefined)
        return !isLast && match(/[\w-]{0,512}\.?[\w-]{0,4}$/y, text, at) ? 'more' : undefined;
      const to = at + whole.length;
      return { from: at + 3, to, ...(to === text.length && { more: /[\w.=-]*/y }) };
    },
  },
  'Q~': {
    kind: 'cloud_key',
    find: (text, at, isLast) => {
      if (!/[\w~.]{3}\d$/.test(text.slice(Math.max(0, at - 4), at))) return undefined;
      const length = match(/[\w~.-]{0,40}/y, text, at + 2)?.[0].length ?? 0;
      const to = at + 2 + length;
      if (to === text.length && !isLast && length < 40) return 'more';
      return length >= 28 && length < 40 ? { from: at - 4, to } : undefined;
    },
  },
  ':AA': {
    kind: 'token',
    find: after(/:AA([\w-]{30,40})/y, /:AA[\w-]{0,30}$/y, (_value, text, at) =>
      /(?:^|\D)\d{6,12}$/.test(text.slice(Math.max(0, at - 13), at)),
    ),
  },
  basic: { kind: 'authorization', find: authorization },
  bearer: { kind: 'authorization', find: authorization },
  ' -u ': {
    kind: 'assignment',
    find: after(
      / -u {1,2}["']?[^\s:"'/]{1,64}:([^\s"']{4,200})/y,
      / -u {1,2}["']?[^\s:"'/]{0,64}:?[^\s"']{0,4}$/y,
      (value, text, at) =>
        /\b(?:curl|http|wget)\b/.test(lineBefore(text, at)) && !isPlaceholder(value),
    ),
  },
  ' -p': {
    kind: 'assignment',
    find: after(
      / -p ?["']?([^\s"']{4,200})/y,
      / -p ?["']?[^\s"']{0,4}$/y,
      (value, text, at) =>
        (/\b(?:sshpass|docker login)\b/.test(lineBefore(text, at)) ||
          (/\b(?:mysql|mysqldump|mysqladmin|mariadb)\b/.test(lineBefore(text, at)) &&
            text[at + 3] !== ' ')) &&
        !isPlaceholder(value),
    ),
  },
  ' -a ': {
    kind: 'assignment',
    find: after(
      / -a {1,2}["']?([^\s"']{4,200})/y,
      / -a {1,2}["']?[^\s"']{0,4}$/y,
      (value, text, at) => /\bredis-cli\b/.test(lineBefore(text, at)) && !isPlaceholder(value),
    ),
  },
  ':5432:': pgpass(),
  ':*:': pgpass(),
  ...Object.fromEntries(
    VENDOR_FORMATS.flatMap(({ kind, prefixes, whole, open, more }) => {
      const find = after(
        whole,
        open,
        (value) => kind !== 'assignment' || !isPlaceholder(value),
        more,
      );
      return prefixes.map((prefix) => [prefix, { kind, find }]);
    }),
  ),
};

/** A line of a `.pgpass`. */
function pgpass(): Special {
  return {
    kind: 'assignment',
    find: after(
      /:(?:5432|\*):[^\s:]{1,64}:[^\s:]{1,64}:([^\s]{4,200})/y,
      /:(?:5432|\*):[^\s:]{0,64}:?[^\s:]{0,64}:?[^\s]{0,4}$/y,
      (_value, text, at) => /^[^\s:]*$/.test(lineBefore(text, at)),
      /\S*/y,
    ),
  };
}

const SPECIAL_TEXTS = Object.keys(SPECIALS).filter((text) => !/^b/.test(text));
const TEXTS = [...TOKENS.keys(), ...SPECIAL_TEXTS].sort((a, b) => b.length - a.length);

const ANCHORS = new Anchors([
  ...TEXTS,
  ...ANCHOR_WORDS,
  ...['basic ', 'bearer ', '----begin ', '---- begin ', '-----begin ', '----- begin '],
  ...['private-lines: ', '\ndata:\r\n', '\ndata:\n'],
]);

/** Say which anchor is at a place, with and without regard to case. */
const LITERAL = new RegExp(
  `(${TEXTS.map(quoted).join('|')})|-{4,5} ?BEGIN |Private-Lines: |\ndata:\r?\n`,
  'y',
);
const WORD = new RegExp(`(basic|bearer) |(${KEYWORDS})`, 'iy');

/** Returns the position from which the end of a text may be the beginning of an anchor. */
export const undecidedFrom = (text: string): number => ANCHORS.begunFrom(text);

/** Returns false if no secret begins in a text, whether it continues (`isCut`) or not. */
export const mayHoldSecret = (text: string, isCut: boolean): boolean =>
  ANCHORS.next(text, 0) >= 0 || (isCut && ANCHORS.begunFrom(text) < text.length);

interface AnchorMatch {
  readonly at: number;
  readonly whole: string;
  readonly literal?: string | undefined;
  readonly scheme?: string | undefined;
  readonly keyword?: string | undefined;
}

function nextMatch(text: string, from: number): AnchorMatch | undefined {
  for (let at = ANCHORS.next(text, from); at >= 0; at = ANCHORS.next(text, at + 1)) {
    const [whole, literal] = match(LITERAL, text, at) ?? [];
    if (whole !== undefined) return { at, whole, literal };
    const [words, scheme, keyword] = match(WORD, text, at) ?? [];
    if (words !== undefined) return { at, whole: words, scheme, keyword };
  }
  return undefined;
}

/** A place where a secret may begin, and what is there. */
export type Anchor =
  | { readonly what: 'block' | 'data'; readonly at: number; readonly end: number }
  | {
      readonly what: 'value';
      readonly kind: SecretKind;
      readonly at: number;
      readonly finding: Finding;
    };

/** Returns the next anchor from a position; `isLast` if no more text follows for now. */
export function nextAnchor(text: string, from: number, isLast: boolean): Anchor | undefined {
  const anchor = nextMatch(text, from);
  if (!anchor) return undefined;
  const { at, whole, literal, scheme, keyword } = anchor;
  const end = at + whole.length;
  if (literal !== undefined) {
    const token = TOKENS.get(literal);
    if (token)
      return {
        what: 'value',
        kind: token.kind,
        at,
        finding: findToken(token, text, { at, end, isLast }),
      };
  }
  const special = SPECIALS[literal ?? scheme?.toLowerCase() ?? ''];
  if (special)
    return { what: 'value', kind: special.kind, at, finding: special.find(text, at, isLast) };
  if (keyword !== undefined) {
    const finding = findAssignment({ text, at, end, isLast });
    return { what: 'value', kind: 'assignment', at, finding };
  }
  if (whole.startsWith('\n')) return { what: 'data', at, end };
  const begin = match(BLOCK_BEGIN, text, at);
  if (begin) return { what: 'block', at, end: at + begin[0].length };
  const isOpen = !isLast && text.length - at < 80 && !text.slice(at).includes('\n');
  return { what: 'value', kind: 'private_key', at, finding: isOpen ? 'more' : undefined };
}

interface Extent {
  readonly at: number;
  readonly end: number;
  readonly isLast: boolean;
}

function findToken(token: Token, text: string, { at, end, isLast }: Extent): Finding {
  if (!token.isAnywhere && isWordBefore(text, at)) return undefined;
  const body = match(token.run, text, end)?.[0] ?? '';
  const to = end + body.length;
  const isOpen = to === text.length;
  const isLikely = !token.needsDigit || (/\d/.test(body) && /[A-Za-z]/.test(body));
  if (isOpen && !isLast && (token.isExact ? body.length <= token.min : body.length < token.min))
    return 'more';
  if (isOpen && !isLast && !isLikely && body.length < 96) return 'more';
  if (token.isExact ? body.length !== token.min : body.length < token.min) return undefined;
  if (!isLikely) return undefined;
  return { from: end, to, ...(isOpen && !token.isExact && { more: token.more }) };
}

const ENTRY = / {1,12}["']?[\w.-]{1,80}["']?: ["']?([A-Za-z0-9+/]{8,4096}={0,2})(?=["']?,?\s|$)/y;

/** Finds the value of a line under `data:` of a Kubernetes secret. */
export function findEntry(line: string): Finding {
  const [whole, value] = match(ENTRY, line, 0) ?? [];
  if (whole === undefined || value === undefined) return undefined;
  const isSecret = isReadableBase64(value) || (value.length >= 24 && isMixed(value));
  return isSecret ? { from: whole.length - value.length, to: whole.length } : undefined;
}
