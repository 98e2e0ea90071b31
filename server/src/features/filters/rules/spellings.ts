/** Characters that can disguise the meaning of a line. Most lines have none. */
const DISGUISES = /[\\'"$`{}=]|[^\x20-\x7e]/;
/** Words that may be base64, and the maximum characters decoded per word. */
const BASE64 = /[A-Za-z0-9+/]{8,}={0,2}/g;
const MAX_DECODED = 1024;
/**
 * Maximum length of a disguised line, also after variables were expanded, and maximum number of
 * decoded words.
 */
const MAX_LENGTH = 64 * 1024;
const MAX_WORDS = 100;

/** Letters of other alphabets that resemble Latin letters. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [...'аaсcԁdеeһhіiјjӏlոnоoрpԛqѕsтtуyхxνvωwκkмmгrвbαaοoρpτtιiυuγyχxɡgսuƒf'].flatMap(
    (char, at, all) => (at % 2 === 0 ? [[char, all[at + 1] ?? '']] : []),
  ),
);
/** Characters without width. */
const INVISIBLE = /\p{Cf}|\p{Mn}|\p{Zl}|\p{Zp}/gu;

/**
 * Returns a line and its meanings: with quotes, escapes, variables of the line, encodings and
 * look-alike letters resolved. Runs in time proportional to the line. Returns undefined if the line
 * is too long to resolve.
 */
export function spellingsOf(line: string): readonly string[] | undefined {
  const spellings = new Set([line]);
  if (DISGUISES.test(line)) {
    if (line.length > MAX_LENGTH) return undefined;
    const folded = fold(line);
    if (folded === undefined) return undefined;
    spellings.add(folded);
    const valued = withValues(folded);
    if (valued === undefined) return undefined;
    const plain = unquoted(valued);
    spellings.add(plain);
    spellings.add(expanded(plain));
    // A shell that gets a quoted command removes the inner quotes as well.
    spellings.add(unquoted(plain));
  }
  for (const word of line.match(BASE64) ?? []) {
    const text = decoded(word);
    if (text) spellings.add(text);
    if (spellings.size > MAX_WORDS) return undefined;
  }
  return [...spellings];
}

/**
 * Replaces look-alike letters by Latin ones, and removes invisible characters. Returns undefined if
 * the normalized line is too long.
 */
function fold(line: string): string | undefined {
  const normal = line.normalize('NFKD').replace(INVISIBLE, '');
  if (normal.length > MAX_LENGTH) return undefined;
  return normal.replace(/[^\x20-\x7e]/g, (char) => LOOK_ALIKES[char] ?? char);
}

/**
 * Variables with and without braces. The first pattern is used up to the last closing brace.
 * Otherwise each opening brace would scan to the end of the text.
 */
const BRACED = /\$\{(\w+|[@*])[^}]*\}|\$([A-Za-z_]\w*|[\d@*#?!-])/g;
const BARE = /\$([A-Za-z_]\w*|[\d@*#?!-])/g;

/**
 * Expands the variables that the line sets. Others are empty, and the field separator is a space.
 * Returns undefined if the result is too long.
 */
function withValues(line: string): string | undefined {
  const values = new Map<string, string>();
  for (const [, name = '', value = ''] of line.matchAll(
    /(?:^|[\s;&|({])(?:export\s+|local\s+|declare\s+|readonly\s+)?([A-Za-z_]\w*)=("[^"]*"|'[^']*'|\$'[^']*'|[^\s;&|)]*)/g,
  )) {
    values.set(name, unquoted(value));
  }
  let text = line;
  let length = line.length;
  const put = (whole: string, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? bare ?? '';
    if (name === 'IFS') return ' ';
    const value = values.get(name);
    length += value?.length ?? 0;
    if (value !== undefined) return length > MAX_LENGTH * 2 ? '' : value;
    // Variables set elsewhere may contain anything. The usual disguise is an unset variable.
    return /^(?:[@*]|\d)$/.test(name) || whole.startsWith('${') || !values.size ? '' : whole;
  };
  // A value may refer to another variable.
  for (let round = 0; round < 3; round++) {
    const end = text.lastIndexOf('}') + 1;
    text =
      text.slice(0, end).replace(BRACED, put) +
      text.slice(end).replace(BARE, (whole, bare: string) => put(whole, undefined, bare));
    if (text.length > MAX_LENGTH || length > MAX_LENGTH * 2) return undefined;
  }
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  e: '\x1b',
  a: '',
  b: '',
  f: ' ',
  v: ' ',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** Resolves the escapes of `$'…'`, `printf` and `echo -e`. */
function escapesOf(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|(.))/gs,
    (_escape, ...[hex, small, large, octal, char]: (string | undefined)[]) => {
      const digits = hex ?? small ?? large;
      const code = digits
        ? Number.parseInt(digits, 16)
        : octal
          ? Number.parseInt(octal, 8)
          : undefined;
      if (code !== undefined) return code > 0x10_ff_ff ? '' : String.fromCodePoint(code);
      return ESCAPES[char ?? ''] ?? char ?? '';
    },
  );
}

/** Removes quotes and escapes as a shell does. */
function unquoted(line: string): string {
  return line.replace(
    /\\\n|\$'((?:[^'\\]|\\.)*)'|\$?"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
    (whole, ...[ansi, double, single, escaped]: (string | undefined)[]) => {
      if (whole === '\\\n') return '';
      if (ansi !== undefined) return escapesOf(ansi);
      if (double !== undefined)
        return double.replace(/\\([\\"$`])/g, '$1').replace(/``|\$\(\)/g, '');
      return single ?? escaped ?? '';
    },
  );
}

/** Expands braces, decodes escapes, and removes empty substitutions. */
function expanded(line: string): string {
  const braces = line.replace(/\{([^{}\s,]*,[^{}]*)\}/g, (_, inside: string) =>
    inside.split(',').join(' '),
  );
  return escapesOf(braces.replace(/``|\$\(\s*(?:(?::|true)\s*)?\)|\{\}/g, ''));
}

function decoded(word: string): string | undefined {
  const text = Buffer.from(word.slice(0, MAX_DECODED), 'base64').toString('latin1');
  return /^[\s\x20-\x7e]+$/.test(text) ? text : undefined;
}
