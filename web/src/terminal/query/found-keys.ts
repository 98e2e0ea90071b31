import type { DatabaseServerMessage } from '@sallyport/contract';

/** Redis keys; `cursor` if more may exist. */
export interface FoundKeys {
  readonly prefix: string;
  readonly keys: readonly string[];
  readonly cursor: string | null;
  readonly message: string | null;
}

const MOST_KEYS = 5000;
/** Numeric order for numbers in keys. */
const natural = new Intl.Collator('en', { numeric: true });

/** Adds a page of Redis keys to those of the same prefix. */
export function addKeys(
  known: FoundKeys | null,
  message: Extract<DatabaseServerMessage, { readonly type: 'keys' }>,
): FoundKeys {
  const { prefix, from, cursor } = message;
  const before = from !== '0' && known?.prefix === prefix ? known.keys : [];
  const keys = [...new Set([...before, ...message.keys])].sort(natural.compare);
  return {
    prefix,
    keys: keys.slice(0, MOST_KEYS),
    cursor: keys.length >= MOST_KEYS ? null : cursor,
    message: message.message,
  };
}
