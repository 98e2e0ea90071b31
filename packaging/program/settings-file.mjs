// Reads a file of settings by the rules of systemd's EnvironmentFile= (version 254 and newer), as
// its parse_env_file does.

const BREAK = '\n\r';
const SPACE = ` \t${BREAK}`;
/** A backslash in double quotes escapes only these. */
const ESCAPED_IN_QUOTES = '"\\`$';
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Tabs and line breaks are the only control characters of a value. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about them
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/;

const trimEnd = (text) => text.replace(/[ \t\n\r]+$/, '');

/** Transitions by state: each takes a character and returns the next state. */
const STATES = {
  start: (reader, char) => {
    if ('#;'.includes(char)) return 'comment';
    if (SPACE.includes(char)) return 'start';
    return reader.begin(char);
  },
  comment: (_, char) => (BREAK.includes(char) ? 'start' : 'comment'),
  key: (reader, char) => {
    if (BREAK.includes(char)) return reader.skip('has no "="');
    if (char === '=') return 'beforeValue';
    reader.key += char;
    return 'key';
  },
  beforeValue: (reader, char) => {
    if (BREAK.includes(char)) return reader.end();
    if (char === "'") return reader.open('single');
    if (char === '"') return reader.open('double');
    if (char === '\\') return 'valueEscape';
    if (SPACE.includes(char)) return 'beforeValue';
    reader.value += char;
    return 'value';
  },
  value: (reader, char) => {
    if (BREAK.includes(char)) return reader.end();
    if (char === '\\') return 'valueEscape';
    reader.value += char;
    if (!SPACE.includes(char)) reader.solid = reader.value.length;
    return 'value';
  },
  valueEscape: (reader, char) => {
    if (!BREAK.includes(char)) reader.value += char;
    reader.solid = reader.value.length;
    return 'value';
  },
  single: (reader, char) => {
    if (char === "'") return reader.close();
    reader.value += char;
    return 'single';
  },
  double: (reader, char) => {
    if (char === '"') return reader.close();
    if (char === '\\') return 'doubleEscape';
    reader.value += char;
    return 'double';
  },
  doubleEscape: (reader, char) => {
    if (ESCAPED_IN_QUOTES.includes(char)) reader.value += char;
    else if (char !== '\n') reader.value += `\\${char}`;
    return 'double';
  },
};

class Reader {
  key = '';
  value = '';
  /** Characters of the value that stay when trailing blanks are removed. */
  solid = 0;
  line = 1;
  settings = {};
  /** Sentences about lines without effect. They name lines, because a value may be a password. */
  ignored = [];
  #keyLine = 1;
  #quoteLine = 0;

  begin(char) {
    this.key = char;
    this.value = '';
    this.solid = 0;
    this.#keyLine = this.line;
    return 'key';
  }

  skip(reason) {
    this.ignored.push(`line ${this.#keyLine} ${reason} and is ignored`);
    return 'start';
  }

  open(state) {
    this.#quoteLine = this.line;
    return state;
  }

  close() {
    this.solid = this.value.length;
    return 'beforeValue';
  }

  end() {
    const key = trimEnd(this.key);
    if (!NAME.test(key)) return this.skip('does not begin with the name of a variable');
    const value = this.value.slice(0, this.solid) + trimEnd(this.value.slice(this.solid));
    if (CONTROL.test(value)) return this.skip('has a control character in its value');
    this.settings[key] = value;
    return 'start';
  }

  finish(state) {
    if (['single', 'double', 'doubleEscape'].includes(state))
      this.ignored.push(`the quote that begins in line ${this.#quoteLine} does not end`);
    if (state === 'key') this.skip('has no "="');
    else if (!['start', 'comment'].includes(state)) {
      if (state !== 'value') this.solid = this.value.length;
      this.end();
    }
  }
}

/**
 * Returns the variables of a file, and a sentence for each line that systemd would ignore.
 *
 * @throws Error if the bytes are not UTF-8
 */
export function readSettings(bytes) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error('it is not UTF-8');
  }
  const reader = new Reader();
  let state = 'start';
  for (const char of text) {
    state = STATES[state](reader, char);
    if (char === '\n') reader.line += 1;
  }
  reader.finish(state);
  return { settings: reader.settings, ignored: reader.ignored };
}
