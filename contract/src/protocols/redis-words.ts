/** Formats a word of a Redis command, quoted if needed. */
export function redisWord(text: string): string {
  if (/^[^\s"'\\#\p{Cc}]+$/u.test(text)) return text;
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replace(
      /\p{Cc}/gu,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  return `"${escaped}"`;
}

/** Maximum part of a value to show: characters of a text, or elements of other kinds. */
const MOST_TEXT = 65_535;
const MOST_PARTS = 500;

/** Returns the command that reads the start of a key's value; undefined for types of modules. */
export function redisValueCommand(kind: string, key: string): string | undefined {
  const word = redisWord(key);
  switch (kind) {
    case 'string':
      return `GETRANGE ${word} 0 ${MOST_TEXT}`;
    case 'list':
      return `LRANGE ${word} 0 ${MOST_PARTS - 1}`;
    case 'hash':
      return `HSCAN ${word} 0 COUNT ${MOST_PARTS}`;
    case 'set':
      return `SSCAN ${word} 0 COUNT ${MOST_PARTS}`;
    case 'zset':
      return `ZRANGE ${word} 0 ${MOST_PARTS - 1} WITHSCORES`;
    case 'stream':
      return `XRANGE ${word} - + COUNT ${MOST_PARTS}`;
    default:
      return undefined;
  }
}
