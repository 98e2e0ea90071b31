import { redisWord } from '@sallyport/contract';
import { MOST_SCANNED_KEYS } from '../../limits.ts';
import type { QueryRunner } from './query-runner.ts';

/** Keys that a server looks at for one command, and commands of one answer. */
const COUNT = 500;
const MOST_SCANS = 10;
/** Keys with which an answer is long enough. */
const ENOUGH = 500;

/** Keys of a Redis server that begin alike. */
export interface FoundKeys {
  readonly keys: readonly string[];
  /** Where the next answer goes on; null behind the last key. */
  readonly cursor: string | null;
}

/** Finds keys by their beginning. Each `SCAN` is a command of the session: filters decide on it, and the log shows it. @throws StatementError */
export async function scanKeys(
  runner: QueryRunner,
  prefix: string,
  from: string,
): Promise<FoundKeys> {
  const pattern = redisWord(`${prefix.replace(/[\\*?[\]^-]/g, '\\$&')}*`);
  const keys = new Set<string>();
  let cursor = from;
  for (let scans = 0; scans < MOST_SCANS && keys.size < ENOUGH; scans += 1) {
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

/** What a key holds and the seconds until it expires; null where it never does. @throws StatementError */
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
