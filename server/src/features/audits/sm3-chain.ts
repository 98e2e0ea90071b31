import { createHash } from 'node:crypto';
import type { ChainedLog } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { textOfRow } from './chain-walk.ts';
import type { ChainState, Seal, Sm3End, Sm3Head } from './seal-store.ts';

/** Rows per statement. */
const BATCH = 1000;
/** Rows per run: a long log that lags does not delay the start of a server. */
const MAX_ROWS = 20_000;

/** The rows of a log that SM3 covers. */
export interface Sm3Range {
  /** First covered row. Earlier rows have SHA-256 only. */
  readonly first: number;
  /** Last covered row, and its digest. */
  readonly sequence: number;
  readonly digest: string;
}

/** Describes the range to an operator. */
export function sm3Words({ first, sequence }: Sm3Range, removed: number): string {
  if (sequence < first) return '; SM3 from the next row';
  const earlier =
    first > removed + 1 ? `; SHA-256 only for rows ${removed + 1} to ${first - 1}` : '';
  return `; SM3 for rows ${first} to ${sequence}${earlier}`;
}

interface StoredDigest {
  readonly sequence: number;
  readonly digest: Buffer;
}

interface Row {
  readonly sequence: number;
  readonly text: string;
  /** The stored SM3 digest. Null if there is none. */
  readonly sm3: Buffer | null;
}

const sm3 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('sm3');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const anchorOf = (digest: string): Buffer => sm3(Buffer.from(digest, 'hex'));

async function storedAt(
  tx: Db | Tx,
  log: ChainedLog,
  condition: Sql,
): Promise<StoredDigest | undefined> {
  const { rows } = await sql<StoredDigest>`select s.sequence, s.digest from audit_sm3 s
    where s.log = ${log} and ${condition} limit 1`.execute(tx);
  return rows[0];
}

/** The newest SM3 digest of a log. */
const newestOf = (tx: Db | Tx, log: ChainedLog) =>
  storedAt(
    tx,
    log,
    sql`s.sequence = (select max(n.sequence) from audit_sm3 n where n.log = ${log})`,
  );

async function rowsAfter(tx: Tx, log: ChainedLog, after: number, until: number) {
  const { rows } = await sql<Row>`
    select t.sequence, ${textOfRow(log)} as text,
        (select s.digest from audit_sm3 s where s.log = ${log} and s.sequence = t.sequence) as sm3
      from ${sql.table(log)} t
      where t.sequence > ${after} and t.sequence <= ${until}
      order by t.sequence limit ${BATCH}`.execute(tx);
  return rows;
}

const insert = (tx: Tx, log: ChainedLog, digests: readonly StoredDigest[]) =>
  sql`insert into audit_sm3 (log, sequence, digest)
    select ${log}, sequence, decode(digest, 'hex') from unnest(
      ${digests.map(({ sequence }) => sequence)}::bigint[],
      ${digests.map(({ digest }) => digest.toString('hex'))}::text[]) added (sequence, digest)
    on conflict do nothing`.execute(tx);

/** Writes the anchor at the end of a log: rows after it have SM3 digests. */
async function begin(tx: Tx, log: ChainedLog, head: ChainState): Promise<void> {
  // Retention can have removed the last rows with digests while the mode was off.
  await sql`delete from audit_sm3 where log = ${log}`.execute(tx);
  await insert(tx, log, [{ sequence: head.sequence, digest: anchorOf(head.digest) }]);
}

/** Appends a batch. Returns the number of rows. */
async function append(tx: Tx, log: ChainedLog, last: StoredDigest, head: ChainState) {
  await sql`set local timezone = 'UTC'`.execute(tx);
  let { digest } = last;
  const digests = (await rowsAfter(tx, log, last.sequence, head.sequence)).map((row) => {
    digest = sm3(digest, row.text);
    return { sequence: row.sequence, digest };
  });
  if (digests.length > 0) await insert(tx, log, digests);
  return digests.length;
}

/**
 * Writes the missing SM3 digests of a log up to its end. Returns that end, or undefined while
 * further rows are missing.
 */
export async function extendSm3(
  db: Db,
  log: ChainedLog,
  head: ChainState,
): Promise<Sm3End | undefined> {
  for (let done = 0; done < MAX_ROWS; ) {
    const last = await newestOf(db, log);
    if (last && last.sequence >= head.sequence) break;
    if (!last || last.sequence < head.removed_sequence) {
      await db.transaction((tx) => begin(tx, log, head));
      break;
    }
    const added = await db.transaction((tx) => append(tx, log, last, head));
    if (added === 0) return undefined;
    done += added;
  }
  const end = await storedAt(db, log, sql`s.sequence = ${head.sequence}`);
  const { rows } = await sql<{ first: number }>`
    select min(sequence) + 1 as first from audit_sm3 where log = ${log}`.execute(db);
  const first = rows[0]?.first;
  return end && first !== undefined ? { first, digest: end.digest.toString('hex') } : undefined;
}

/** Returns true if a log still has the digest of its newest seal. */
export async function hasSm3Of(tx: Tx, log: ChainedLog, { sequence, sm3: sealed }: Seal) {
  if (!sealed) return true;
  const stored = await storedAt(tx, log, sql`s.sequence = ${sequence}`);
  return stored?.digest.toString('hex') === sealed.digest;
}

export interface Sm3Verdict {
  readonly range: Sm3Range | null;
  readonly broken: readonly [from: number, to: number] | undefined;
}

/** The digest where the walk begins. Undefined if the table lacks it or contradicts the anchor. */
async function beginningOf(
  tx: Tx,
  log: ChainedLog,
  head: ChainState,
  anchor: number,
): Promise<StoredDigest | undefined> {
  const at = Math.max(anchor, head.removed_sequence);
  const stored = await storedAt(tx, log, sql`s.sequence = ${at}`);
  // After retention the digest of the last removed row begins the walk; the seals prove it.
  if (!stored || at === head.removed_sequence) return stored;
  const { rows } = await sql<{ digest: string }>`
    select encode(digest, 'hex') as digest from ${sql.table(log)} where sequence = ${at}`.execute(
    tx,
  );
  return stored.digest.equals(anchorOf(rows[0]?.digest ?? '')) ? stored : undefined;
}

/**
 * Recomputes the SM3 digests of a log and compares them with the seals. `seals` are the valid seals
 * with SM3 of rows that retention left, in their order.
 */
export async function verifySm3(
  tx: Tx,
  log: ChainedLog,
  head: ChainState,
  seals: readonly (Seal & { readonly sm3: Sm3Head })[],
): Promise<Sm3Verdict> {
  const { rows: lowest } = await sql<{ anchor: number | null }>`
    select min(sequence) as anchor from audit_sm3 where log = ${log}`.execute(tx);
  const stored = lowest[0]?.anchor ?? null;
  if (stored === null && seals.length === 0) return { range: null, broken: undefined };
  const anchor = Math.min(stored ?? Infinity, ...seals.map(({ sm3: { first } }) => first - 1));
  const start = await beginningOf(tx, log, head, anchor);
  const from = Math.max(anchor, head.removed_sequence) + 1;
  if (!start) return { range: null, broken: [from, from] };
  const sealed = new Map(seals.map((one) => [one.sequence, one.sm3.digest]));
  const lastSealed = seals.at(-1)?.sequence ?? 0;
  let { sequence, digest } = start;
  let proven = sequence;
  const range = () => ({ first: from, sequence, digest: digest.toString('hex') });
  const isSealedOtherwise = () => (sealed.get(sequence) ?? range().digest) !== range().digest;
  for (;;) {
    const rows = await rowsAfter(tx, log, sequence, head.sequence);
    for (const row of rows) {
      // The end of the log has no digests yet.
      if (!row.sm3 && row.sequence > lastSealed) return { range: range(), broken: undefined };
      const expected = sm3(digest, row.text);
      if (!row.sm3?.equals(expected))
        return { range: range(), broken: [row.sequence, row.sequence] };
      ({ sequence, digest } = { sequence: row.sequence, digest: expected });
      if (isSealedOtherwise()) return { range: range(), broken: [proven + 1, sequence] };
      if (sealed.has(sequence)) proven = sequence;
    }
    if (rows.length < BATCH) return { range: range(), broken: undefined };
  }
}
