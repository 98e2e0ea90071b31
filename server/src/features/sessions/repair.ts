import { createHash } from 'node:crypto';
import { DEFAULT_ORGANIZATION } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Logger } from '../../platform/log.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import {
  commandSha256,
  type DigestVersion,
  NEWEST,
  sessionText,
  UNRECORDED,
  writeSessionDigest,
} from './session-digest.ts';

const CONTEXT = 'session_repair';
/** Sessions that the entry in the log names. All are counted. */
const MOST_NAMED = 100;

/** Digests of one session that were written too early, by their sequence numbers. */
interface Repair {
  readonly session: string;
  readonly sequences: readonly number[];
}

const textOf = ({ session, sequences }: Repair) => JSON.stringify([session, sequences]);

/** Reads the declared digests by session. A repair without a valid seal declares nothing. */
export async function readRepairs(
  db: Db,
  vault: Pick<Vault, 'isSignature'>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { rows } = await sql<Repair & { seal: string }>`
    select session, to_jsonb(sequences) as sequences, seal from session_repair`.execute(db);
  const valid = rows.filter((one) => vault.isSignature(one.seal, textOf(one), CONTEXT));
  return new Map(valid.map(({ session, sequences }) => [session, sequences]));
}

/** Counts the declared digests, and those whose declaration has no valid seal. */
export async function countRepairs(
  db: Db,
  vault: Pick<Vault, 'isSignature'>,
): Promise<{ readonly declared: number; readonly unsealed: number }> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(cardinality(sequences)), 0)::int as count from session_repair`.execute(db);
  const declared = [...(await readRepairs(db, vault)).values()].flat().length;
  return { declared, unsealed: (rows[0]?.count ?? 0) - declared };
}

export interface RepairOptions {
  readonly db: Db;
  readonly vault: Pick<Vault, 'sign'>;
  readonly audit: AuditWriter;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Declares, once for an installation, the digests that an earlier version wrote before their
 * sessions had ended, or before all of their commands were stored. The rows stay; an entry in the
 * operate log names them. A digest that no early state of the session explains stays an accusation.
 */
export async function repairDigests({ db, vault, audit, log }: RepairOptions): Promise<void> {
  const repaired = await db.transaction(async (tx) => {
    const pending = await sql`delete from session_repair_pending`.execute(tx);
    if (pending.rowCount === 0) return [];
    await sql`set local statement_timeout = 0`.execute(tx);
    const repairs: Repair[] = [];
    for (const session of await suspects(tx)) {
      const sequences = await earlyDigests(tx, session);
      if (sequences.length > 0) repairs.push({ session, sequences });
    }
    for (const repair of repairs) await declare(tx, repair, vault.sign(textOf(repair), CONTEXT));
    if (repairs.length > 0) await writeEntry(tx, audit, repairs);
    return repairs;
  });
  if (repaired.length > 0)
    log.warn(
      { sessions: repaired.length },
      'an earlier version proved sessions before they had ended; their digests are declared in the operate log',
    );
}

/** Sessions with different digests, and sessions with a digest that have not ended. */
async function suspects(tx: Tx): Promise<readonly string[]> {
  const { rows } = await sql<{ session: string }>`
    select session from session_digest group by session
      having count(distinct facts_sha256) > 1
    union
    select d.session from session_digest d join session s on s.id = d.session
      where not s.is_finished`.execute(tx);
  return rows.map(({ session }) => session);
}

/** Returns the digests of a session that match an early state of it, and not its present one. */
async function earlyDigests(tx: Tx, session: string): Promise<readonly number[]> {
  const { rows } = await sql<{
    sequence: number;
    version: DigestVersion | null;
    facts: string;
  }>`select sequence, version, facts_sha256 as facts from session_digest
    where session = ${session} order by sequence`.execute(tx);
  const states = new Map<DigestVersion, States>();
  for (const version of [...UNRECORDED, NEWEST]) {
    const state = await statesOf(tx, session, version);
    if (state) states.set(version, state);
  }
  return rows
    .filter(({ version, facts }) => {
      const possible = (version === null ? UNRECORDED : [version]).flatMap(
        (one) => states.get(one) ?? [],
      );
      return (
        !possible.some(({ present }) => present === facts) &&
        possible.some(({ early }) => early.has(facts))
      );
    })
    .map(({ sequence }) => sequence);
}

/** The digests of a session in its present state, and in its earlier states. */
interface States {
  /** Undefined for a session that has not ended. */
  readonly present: string | undefined;
  readonly early: ReadonlySet<string>;
}

async function statesOf(
  tx: Tx,
  session: string,
  version: DigestVersion,
): Promise<States | undefined> {
  const { rows } = await sql<{ ended: string; open: string; isFinished: boolean }>`
    select ${sessionText(version)} as ended, ${sessionText(version, true)} as open,
      s.is_finished as "isFinished"
    from session s where s.id = ${session}`.execute(tx);
  const [texts] = rows;
  if (!texts) return undefined;
  const { rows: commands } = await sql<{ sha256: string }>`
    select coalesce(c.sha256, ${commandSha256(version, sql`c.input`, sql`c.output`)}) as sha256
    from command c where c.session = ${session} order by c.sequence`.execute(tx);
  const digests = (text: string): string[] => {
    const hash = createHash('sha256').update(text);
    return [
      hash.copy().digest('hex'),
      ...commands.map(({ sha256 }) => hash.update(sha256).copy().digest('hex')),
    ];
  };
  const ended = texts.isFinished ? digests(texts.ended) : [];
  const present = ended.pop();
  return { present, early: new Set([...digests(texts.open), ...ended]) };
}

/** Declares the early digests of a session, proves its present state, and shows its recording. */
async function declare(tx: Tx, { session, sequences }: Repair, seal: string): Promise<void> {
  await sql`insert into session_repair (session, sequences, seal)
    values (${session}, ${sequences}::bigint[], ${seal})`.execute(tx);
  await sql`update session set has_replay = true
    where id = ${session} and is_finished and replay_state in ('finished', 'recovered')
      and exists (select from session_digest where session = ${session}
        and recording_sha256 ~ '^[0-9a-f]{64}$')`.execute(tx);
  // Does nothing if another digest proves the present state already.
  await writeSessionDigest(tx, session, undefined);
}

/** Writes the repair into the operate log, whose chain then proves it. */
async function writeEntry(tx: Tx, audit: AuditWriter, repairs: readonly Repair[]): Promise<void> {
  await audit(
    tx,
    {
      actor: {
        name: 'System',
        username: '',
        organization: DEFAULT_ORGANIZATION,
        remoteAddress: '',
      },
    },
    {
      action: 'update',
      resourceType: 'audit_log',
      resource: 'session_digest',
      resourceId: '',
      changes: {
        repaired_rows: [null, repairs.reduce((sum, { sequences }) => sum + sequences.length, 0)],
        repaired_sessions: [null, repairs.slice(0, MOST_NAMED).map(({ session }) => session)],
      },
    },
  );
}
