import type { ChainedLog } from '@sallyport/contract';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Head } from './failovers.ts';
import type { ChainState, Seal } from './seal-store.ts';

/** The first and the last possible row of a break. */
export type Break = readonly [from: number, to: number];

/** The state of a log without rows. */
export const EMPTY: ChainState = {
  sequence: 0,
  digest: '',
  removed_sequence: 0,
  removed_digest: '',
};

/** Returns the digests of these rows of a log. */
export async function digestsOf(
  tx: Tx,
  log: ChainedLog,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ sequence: number; digest: string }>`
    select sequence, encode(digest, 'hex') as digest
      from ${sql.table(log)} where sequence = any(${sequences}::bigint[])`.execute(tx);
  return new Map(rows.map(({ sequence, digest }) => [sequence, digest]));
}

/** Compares seals by their age. */
export const newer = (one: Seal, other: Seal) =>
  one.removed_sequence - other.removed_sequence || one.sequence - other.sequence;

/** All seals of a log, the valid ones, and the newest valid one. */
export interface Seals {
  readonly seals: readonly Seal[];
  readonly good: readonly Seal[];
  readonly newest: Seal | undefined;
}

/** The stored end of a log, and the sequence of its last row. */
interface LogEnd {
  readonly log: ChainedLog;
  readonly head: ChainState;
  readonly last: number;
}

/** The first sealed state that the log contradicts. */
export async function brokenSeal(
  tx: Tx,
  { log, head, last }: LogEnd,
  { seals, good, newest }: Seals,
): Promise<Break | undefined> {
  const removed = newest ?? EMPTY;
  if (
    head.removed_sequence !== removed.removed_sequence ||
    head.removed_digest !== removed.removed_digest
  ) {
    const from = Math.min(head.removed_sequence, removed.removed_sequence) + 1;
    return [from, from];
  }

  const behind = seals.filter(({ sequence }) => sequence > head.removed_sequence);
  const digests = await digestsOf(
    tx,
    log,
    behind.map(({ sequence }) => sequence),
  );
  let proven = head.removed_sequence;
  for (const one of behind) {
    if (good.includes(one) && digests.get(one.sequence) === one.digest) proven = one.sequence;
    else if (good.includes(one) && one.sequence > last) return [last + 1, last + 1];
    else return [proven + 1, Math.max(proven + 1, Math.min(one.sequence, last))];
  }

  return undefined;
}

/** The end of a log that lacks the newest row that this server has seen. */
export async function missingHead(
  tx: Tx,
  { log, head, last }: LogEnd,
  seen: Head | undefined,
): Promise<Break | undefined> {
  if (!seen || seen.sequence <= head.removed_sequence) return undefined;
  if (seen.sequence > last) return [last + 1, last + 1];
  const digests = await digestsOf(tx, log, [seen.sequence]);
  return digests.get(seen.sequence) === seen.digest ? undefined : [seen.sequence, seen.sequence];
}
