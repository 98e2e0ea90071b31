import { createHash } from 'node:crypto';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { SessionProblem } from '../audits/index.ts';
import {
  commandSha256,
  type DigestVersion,
  NEWEST,
  sessionText,
  UNRECORDED,
} from './session-digest.ts';
import type { StoredCommands } from './stored-commands/texts.ts';

/** Commands of a session read from their storage at once. */
const BATCH = 500;

type Stored = Pick<StoredCommands, 'texts'>;

/** Builds a relation `x` with the texts of commands, as far as a storage has them. */
async function textsOf(db: Db, stored: Stored, ids: readonly string[]) {
  const texts = await stored.texts(ids, 'en', db);
  const isAway = ids.some((id) => texts.get(id)?.problem === 'away');
  const rows = ids.flatMap((id) => {
    const { input, output } = texts.get(id) ?? {};
    return input === undefined ? [] : [{ id, input, output }];
  });
  const relation: Sql = sql`
    jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (id uuid, input text, output text)`;
  return { isAway, relation };
}

/**
 * Compares the texts in command storages with the digests in the rows of a session's commands.
 * Those digests are part of the digest of the session.
 */
export async function checkStoredCommands(
  db: Db,
  stored: Stored,
  session: string,
): Promise<{ readonly amount: number; readonly problem?: SessionProblem }> {
  const versions: readonly DigestVersion[] = [...UNRECORDED, NEWEST];
  let amount = 0;
  for (let after = -1; ; ) {
    const { rows } = await sql<{ id: string; sequence: number }>`
      select id, sequence from command where session = ${session} and stored_in is not null
        and sequence > ${after} order by sequence limit ${BATCH}`.execute(db);
    const last = rows.at(-1);
    if (!last) return { amount };
    const ids = rows.map(({ id }) => id);
    const { isAway, relation } = await textsOf(db, stored, ids);
    if (isAway) return { amount, problem: 'commands_unreadable' };
    // Each command was digested by the version of the program that moved it.
    const expected = sql.join(
      versions.map((one) => commandSha256(one, sql`x.input`, sql`x.output`)),
    );
    const wrong = await sql`
      select from command c left join ${relation} on x.id = c.id
      where c.id = any(${ids}::uuid[]) and coalesce(c.sha256 not in (${expected}), true)
      limit 1`.execute(db);
    // A row that retention removed during the check does not match.
    if (wrong.rows.length > 0) return { amount, problem: 'session_changed' };
    amount += rows.length;
    after = last.sequence;
  }
}

/**
 * Returns true if a session with its commands matches its digest. Reads the texts, as a newer
 * program may have moved them with another version of the formula.
 */
export async function isSameWithTexts(
  db: Db,
  stored: Stored,
  row: { readonly session: string; readonly version: number | null; readonly facts: string },
): Promise<boolean> {
  for (const version of [...UNRECORDED, NEWEST]) {
    const isCandidate =
      row.version === null ? UNRECORDED.includes(version) : version === row.version;
    if (isCandidate && (await factsWithTexts(db, stored, row.session, version)) === row.facts)
      return true;
  }
  return false;
}

async function factsWithTexts(db: Db, stored: Stored, session: string, version: DigestVersion) {
  const facts = await sql<{ text: string }>`
    select ${sessionText(version)} as text from session s where s.id = ${session}`.execute(db);
  const hash = createHash('sha256').update(facts.rows[0]?.text ?? '');
  for (let after = -1; ; ) {
    const { rows } = await sql<{ id: string; sequence: number }>`
      select id, sequence from command where session = ${session} and sequence > ${after}
      order by sequence limit ${BATCH}`.execute(db);
    const last = rows.at(-1);
    if (!last) return hash.digest('hex');
    const ids = rows.map(({ id }) => id);
    const { relation } = await textsOf(db, stored, ids);
    const text = (column: 'input' | 'output') =>
      sql`coalesce(x.${sql.ref(column)}, c.${sql.ref(column)})`;
    const digests = await sql<{ digest: string }>`
      select ${commandSha256(version, text('input'), text('output'))} as digest
      from command c left join ${relation} on x.id = c.id
      where c.id = any(${ids}::uuid[]) order by c.sequence`.execute(db);
    for (const { digest } of digests.rows) hash.update(digest);
    after = last.sequence;
  }
}
