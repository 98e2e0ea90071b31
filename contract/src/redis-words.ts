/** A word of a Redis command as a person would write it: in quotes where it needs them. */
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

/** How much of a value is shown at once: characters of a text, and parts of anything else. */
const MOST_TEXT = 65_535;
const MOST_PARTS = 500;

/** The command that reads the beginning of what a key holds; undefined for kinds that only modules know. */
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
