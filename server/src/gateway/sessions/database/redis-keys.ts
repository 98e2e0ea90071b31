import { redisWord } from '@sallyport/contract';
import { MOST_SCANNED_KEYS } from '../../limits.ts';
import type { QueryRunner } from './query-runner.ts';

/** Keys per `SCAN`, and maximum number of `SCAN`s per answer. */
const COUNT = 500;
const MAX_SCANS = 10;
/** Stop scanning once an answer has this many keys. */
const ENOUGH = 500;

/** Keys of a Redis server with a common prefix. */
export interface KeyPage {
  readonly keys: readonly string[];
  /** Cursor of the next page; null after the last key. */
  readonly cursor: string | null;
}

/**
 * Finds keys by prefix. Each `SCAN` is a command of the session, so filters and log apply to it.
 * @throws StatementError
 */
export async function scanKeys(
  runner: QueryRunner,
  prefix: string,
  from: string,
): Promise<KeyPage> {
  const pattern = redisWord(`${prefix.replace(/[\\*?[\]^-]/g, '\\$&')}*`);
  const keys = new Set<string>();
  let cursor = from;
  for (let scans = 0; scans < MAX_SCANS && keys.size < ENOUGH; scans += 1) {
    const rows = await runner.aside(
      `SCAN ${cursor} MATCH ${pattern} COUNT ${COUNT}`,
      MOST_SCANNED_KEYS,
    );
    for (const [path, type, value] of rows)
      if (value && type === 'string' && /^2\.\d+$/.test(path ?? '')) keys.add(value);
    cursor = /^\d{1,20}$/.exec(rows.find(([path]) => path === '1')?.[2] ?? '')?.[0] ?? '0';
    if (cursor === '0') break;
  }
  return { keys: [...keys].sort(), cursor: cursor === '0' ? null : cursor };
}

/** Returns type and TTL in seconds of a key; null if it never expires. @throws StatementError */
export async function describeKey(
  runner: QueryRunner,
  key: string,
): Promise<{ readonly kind: string; readonly seconds: number | null }> {
  const word = redisWord(key);
  const only = async (command: string) =>
    (await runner.aside(`${command} ${word}`, 1))[0]?.[2] ?? '';
  const kind = await only('TYPE');
  const seconds = Number(await only('TTL'));
  return {
    kind: kind.slice(0, 64),
    seconds: Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null,
  };
}
