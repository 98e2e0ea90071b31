import { CHAINED_LOGS, type ChainedLog } from '@sallyport/contract';
import type { Sm2Key } from '../../platform/crypto/sm2.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { NotFound, TooLarge } from '../../platform/errors.ts';
import {
  evidenceOfSession,
  readRepairs,
  type SessionEvidence,
  type SharedRecordings,
} from '../sessions/index.ts';
import { Archive, type Part } from './archive.ts';

/** The exported part: one session, or all that happened from one time to another. */
export type EvidenceRange =
  | { readonly session: string }
  | { readonly from: Date; readonly to: Date };

export interface EvidenceOptions {
  readonly db: Db;
  /** Verifies the declarations of rows that an earlier version wrote too early. */
  readonly vault: Pick<Vault, 'isSignature'>;
  readonly recordings: Pick<SharedRecordings, 'open'>;
  readonly range: EvidenceRange;
  /** The certificates of the witness in PEM. */
  readonly authority: string | undefined;
  /** The key of SM2 that signs the manifest, in the mode of national cryptography. */
  readonly signingKey?: (() => Promise<Sm2Key>) | undefined;
}

/** Rows per file, and per query: memory stays bounded whatever the range. */
const BATCH = 500;
/** The verifier accepts 200,000 files. */
const MAX_SESSIONS = 50_000;

interface ChainRow {
  readonly sequence: number;
  readonly digest: string;
  readonly text: string;
  readonly sm3: string | null;
}

/** The sequence of a log in a statement of the witness. */
const headOf = (log: ChainedLog) => sql`(select (h ->> 'sequence')::bigint
  from jsonb_array_elements(w.statement::jsonb -> 'heads') h where h ->> 'log' = ${log})`;

/** The name of a range, for the operate log and for files. */
export const rangeName = (range: EvidenceRange): string =>
  'session' in range ? range.session : `${range.from.toISOString()} - ${range.to.toISOString()}`;

/** The condition for rows `t` of a log in the range. */
const within = (range: EvidenceRange): Sql =>
  'session' in range
    ? sql`t.sequence in (select d.sequence from session_digest d where d.session = ${range.session})`
    : sql`t.datetime >= ${range.from} and t.datetime < ${range.to}`;

const logsOf = (range: EvidenceRange): readonly ChainedLog[] =>
  'session' in range ? ['session_digest'] : CHAINED_LOGS;

/**
 * Returns the number of sessions in a range.
 * @throws NotFound for an unknown session and a period without entries, TooLarge
 */
export async function assertExportable(db: Db, range: EvidenceRange): Promise<number> {
  let isEmpty = true;
  for (const log of logsOf(range)) {
    const anyRow = sql`select 1 from ${sql.table(log)} t where ${within(range)} limit 1`;
    isEmpty &&= (await anyRow.execute(db)).rows.length === 0;
  }
  if (isEmpty)
    throw 'session' in range
      ? new NotFound('evidence_no_session', { session: range.session })
      : new NotFound('evidence_no_entry');
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from (
    select 1 from session_digest t where ${within(range)} limit ${MAX_SESSIONS + 1}) counted`.execute(
    db,
  );
  const count = rows[0]?.count ?? 0;
  if (count > MAX_SESSIONS) throw new TooLarge('evidence_too_large', { max: MAX_SESSIONS });
  return count;
}

/**
 * The last row of sessions in the range with declared rows. The row that proves such a session may
 * follow the range.
 */
async function lastProofOf(db: Db, range: EvidenceRange, declared: readonly string[]) {
  const { rows } = await sql<{ last: number | null }>`
    select max(d.sequence) as last from session_digest d where d.session in (
      select t.session from session_digest t
        where t.session = any (${declared}::uuid[]) and ${within(range)})`.execute(db);
  return rows[0]?.last ?? 0;
}

/** `least` is the first row that may be the last one of the file. */
async function partOf(
  db: Db,
  { log, range, least }: { log: ChainedLog; range: EvidenceRange; least: number },
): Promise<Part | undefined> {
  const head = headOf(log);
  const needed = sql`greatest(t.last, ${least}::bigint)`;
  const [before, after] =
    'session' in range
      ? [sql`null`, sql`null`]
      : [
          sql`(select max(${head}) from audit_witness w where w.token is not null
            and w.date_requested <= ${range.from} and ${head} < t.first)`,
          sql`(select min(${head}) from audit_witness w where w.token is not null
            and w.date_requested >= ${range.to} and ${head} >= ${needed})`,
        ];
  const { rows } = await sql<{ first: number | null; last: number | null; end: number | null }>`
    select greatest(coalesce(${before}, t.first - 1), c.removed_sequence) + 1 as first, t.last,
      coalesce(${after}, (select min(${head}) from audit_witness w
        where w.token is not null and ${head} >= ${needed}), c.sequence) as end
    from (select min(t.sequence) as first, max(t.sequence) as last
      from ${sql.table(log)} t where ${within(range)}) t, audit_chain c where c.log = ${log}`.execute(
    db,
  );
  const [{ first = null, last = null, end = null } = {}] = rows;
  return first === null || last === null || end === null ? undefined : { log, first, last, end };
}

async function* rowsOf(db: Db, archive: Archive, { log, first, end }: Part) {
  const { rows: stored } = await sql<{ sm3: string }>`select encode(digest, 'hex') as sm3
    from audit_sm3 where log = ${log} and sequence = ${first - 1}`.execute(db);
  const { rows: before } = await sql<{ digest: string }>`
    select encode(digest, 'hex') as digest from ${sql.table(log)} where sequence = ${first - 1}
    union all select encode(removed_digest, 'hex') from audit_chain
      where log = ${log} and removed_sequence = ${first - 1}`.execute(db);
  yield* archive.add(
    `logs/${log}/chain.json`,
    JSON.stringify({ sequence: first - 1, digest: before[0]?.digest ?? '', ...stored[0] }),
  );
  for (let from = first; from <= end; from += BATCH) {
    const { rows } = await sql<ChainRow>`
      select t.sequence, encode(t.digest, 'hex') as digest, audit_text(to_jsonb(t)) as text,
        encode((select s.digest from audit_sm3 s
          where s.log = ${log} and s.sequence = t.sequence), 'hex') as sm3
      from ${sql.table(log)} t
      where t.sequence between ${from} and ${Math.min(end, from + BATCH - 1)}
      order by t.sequence`.execute(db);
    yield* archive.add(
      `logs/${log}/${String(from).padStart(12, '0')}.jsonl`,
      rows.map((row) => `${JSON.stringify({ ...row, sm3: row.sm3 ?? undefined })}\n`).join(''),
    );
  }
}

async function* witnessesOf(db: Db, archive: Archive, parts: readonly Part[]) {
  const heads = parts.map(
    ({ log, first, end }) => sql`${headOf(log)} between ${first - 1} and ${end}`,
  );
  if (heads.length === 0) return;
  const { rows: ids } = await sql<{ id: number }>`
    select w.id from audit_witness w where ${sql.join(heads, sql` or `)} order by w.id`.execute(db);
  for (const { id } of ids) {
    const { rows } = await sql<{ statement: string; token: string | null }>`
      select statement, encode(token, 'base64') as token from audit_witness where id = ${id}`.execute(
      db,
    );
    yield* archive.add(
      `witness/${String(id).padStart(10, '0')}.json`,
      JSON.stringify({ id, ...rows[0] }),
    );
  }
}

async function* sessionOf(
  archive: Archive,
  { id, startedAt, holder, facts, commands }: SessionEvidence,
  {
    recordings,
    declared,
  }: { recordings: EvidenceOptions['recordings']; declared: readonly number[] },
) {
  if (facts !== null) yield* archive.add(`sessions/${id}/session.txt`, facts);
  yield* archive.add(
    `sessions/${id}/commands.jsonl`,
    commands.map((command) => `${JSON.stringify(command)}\n`).join(''),
  );
  if (declared.length > 0)
    yield* archive.add(`sessions/${id}/declared.json`, JSON.stringify({ rows: declared }));
  const recording = await recordings.open({ id, startedAt, holder });
  if (recording)
    yield* archive.stream(`sessions/${id}/recording`, recording.size, recording.stream);
}

/**
 * Packs a session or a period into a tar archive that proves itself: rows with their chains,
 * sessions, commands, recordings, and the tokens of the witness. The same range gives the same
 * bytes until a further witness, except for a signature by SM2.
 */
export async function* exportEvidence({
  db,
  vault,
  recordings,
  range,
  authority,
  signingKey,
}: EvidenceOptions): AsyncGenerator<Buffer> {
  const archive = new Archive(await signingKey?.());
  const parts: Part[] = [];
  const repairs = await readRepairs(db, vault);
  for (const log of logsOf(range)) {
    const least = log === 'session_digest' ? await lastProofOf(db, range, [...repairs.keys()]) : 0;
    const part = await partOf(db, { log, range, least });
    if (part) parts.push(part);
  }
  for (const part of parts) yield* rowsOf(db, archive, part);
  yield* witnessesOf(db, archive, parts);
  const { first = 0, end = 0 } = parts.find(({ log }) => log === 'session_digest') ?? {};
  for (let after = 0, isEnd = false; !isEnd; ) {
    // A recording that was recovered later has a second row.
    const { rows } = await sql<{ session: string; sequence: number }>`
      select t.session, t.sequence from session_digest t where t.sequence > ${after}
        and ${within(range)} and not exists (select 1 from session_digest earlier
          where earlier.session = t.session and earlier.sequence < t.sequence
          and ${'session' in range ? sql`true` : sql`earlier.datetime >= ${range.from}`})
      order by t.sequence limit ${BATCH}`.execute(db);
    for (const { session, sequence } of rows) {
      after = sequence;
      const evidence = await evidenceOfSession(db, session);
      const declared = (repairs.get(session) ?? []).filter((row) => row >= first && row <= end);
      if (evidence) yield* sessionOf(archive, evidence, { recordings, declared });
    }
    isEnd = rows.length < BATCH;
  }
  if (authority !== undefined) yield* archive.add('certificates/witness.pem', authority);
  yield* archive.end({
    range:
      'session' in range ? range : { from: range.from.toISOString(), to: range.to.toISOString() },
    parts,
  });
}
