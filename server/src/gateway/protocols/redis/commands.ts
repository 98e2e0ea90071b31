import type { SpelledStatement } from '../../ports/guard.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  a: '\u0007',
};

/**
 * Splits a command line into words, with the quoting of redis-cli: double quotes with escapes,
 * single quotes without. Undefined if a quote is not closed, or a word continues after one.
 */
export function wordsOfCommand(line: string): string[] | undefined {
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    if (/\s/.test(line[at] ?? '')) {
      at += 1;
      continue;
    }
    const read = line[at] === '"' || line[at] === "'" ? readQuoted(line, at) : readPlain(line, at);
    if (!read) return undefined;
    words.push(read.word);
    at = read.end;
  }
  return words;
}

function readPlain(line: string, start: number): { readonly word: string; readonly end: number } {
  let end = start;
  while (end < line.length && !/\s/.test(line[end] ?? '')) end += 1;
  return { word: line.slice(start, end), end };
}

function readQuoted(
  line: string,
  start: number,
): { readonly word: string; readonly end: number } | undefined {
  const quote = line[start] ?? '';
  let word = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line[at] ?? '';
    const next = line[at + 1] ?? '';
    if (char === quote)
      return at + 1 === line.length || /\s/.test(next) ? { word, end: at + 1 } : undefined;
    const hex =
      quote === '"' && char === '\\' ? /^x([\da-fA-F]{2})/.exec(line.slice(at + 1, at + 4)) : null;
    if (hex) {
      word += String.fromCharCode(Number.parseInt(hex[1] ?? '0', 16));
      at += 3;
    } else if (char === '\\' && (quote === '"' || next === "'")) {
      word += quote === '"' ? (ESCAPES[next] ?? next) : next;
      at += 1;
    } else word += char;
  }
  return undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a zero byte must not end the line early
const oneLine = (text: string): string => text.replace(/[\r\n\u0000]+/g, ' ');

/** The spellings of a command for the guard, with its name in any case. */
export function spellCommand(words: readonly string[]): SpelledStatement {
  const [name = '', ...rest] = words.map(oneLine);
  const line = (first: string) => [first, ...rest].join(' ');
  return {
    lines: [line(name), line(name.toLowerCase()), line(name.toUpperCase())],
    spellings: [line(name).toLowerCase(), line(name).toUpperCase()],
  };
}

/** Commands without side effects. Scripts and modules are excluded. */
const READS = new Set(
  (
    'get mget strlen getrange substr getbit bitcount bitpos exists type ttl pttl expiretime pexpiretime keys scan randomkey dbsize dump object ' +
    'hget hmget hgetall hkeys hvals hlen hexists hstrlen hscan hrandfield llen lrange lindex lpos scard smembers sismember smismember srandmember sscan ' +
    'sdiff sinter sunion sintercard zcard zcount zlexcount zrange zrangebyscore zrevrangebyscore zrangebylex zrevrangebylex zrevrange zrank zrevrank zscore ' +
    'zmscore zscan zdiff zinter zunion zintercard zrandmember xlen xrange xrevrange xread pfcount geopos geodist geohash geosearch georadius_ro ' +
    'georadiusbymember_ro sort_ro bitfield_ro lcs ping echo time info lastsave select command memory'
  ).split(' '),
);

/** Returns true for a known read command; unknown commands may write. */
export function isReadingCommand([name = '', second = '']: readonly string[]): boolean {
  const command = name.toLowerCase();
  return READS.has(command) && !(command === 'memory' && second.toLowerCase() === 'purge');
}
