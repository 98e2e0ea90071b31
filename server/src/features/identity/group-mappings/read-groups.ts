/** Limits of the groups of one user. Beyond them the source counts as unreadable. */
const MOST_GROUPS = 10_000;
const MAX_NAME = 1_024;

/**
 * Reads the groups in a value of a source: a list of texts, or one text. Returns undefined for a
 * missing or unusable value, which keeps what the user has.
 */
export function readGroups(value: unknown): readonly string[] | undefined {
  const list = typeof value === 'string' || value instanceof Uint8Array ? [value] : value;
  if (!Array.isArray(list) || list.length > MOST_GROUPS) return undefined;
  const groups = new Set<string>();
  for (const item of list) {
    if (typeof item !== 'string' && !(item instanceof Uint8Array)) return undefined;
    const name = (typeof item === 'string' ? item : Buffer.from(item).toString('utf8')).trim();
    // PostgreSQL stores no such text, and no mapping can name the group.
    const isStorable = name.isWellFormed() && !name.includes('\u0000');
    if (name !== '' && name.length <= MAX_NAME && isStorable) groups.add(name);
  }
  return [...groups];
}
