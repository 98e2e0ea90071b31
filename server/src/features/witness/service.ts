import { createHash } from 'node:crypto';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Logger } from '../../platform/log.ts';
import { type Family, gauge } from '../../platform/metrics/open-metrics.ts';
import { requestTimestamp, type TimestampAuthority } from '../../platform/timestamp/request.ts';

/** The newest token of the outside witness, and the statements without one. */
export interface WitnessState {
  readonly isConfigured: boolean;
  /** Time of the newest token, and the name of its authority. */
  readonly last: Date | null;
  readonly authority: string;
  /** Statements without a token, and why the last request failed. */
  readonly waiting: number;
  readonly problem: string;
  /** True if a statement waits for longer than a retry takes, or none was made for two hours. */
  readonly isMissing: boolean;
}

/** Has the ends of the audit logs signed by an authority outside of the installation. */
export interface Witnesses {
  /** Makes the statement of this hour, and requests tokens for all that wait, oldest first. */
  run(): Promise<void>;
  state(): Promise<WitnessState>;
}

const HOUR = 3_600_000;
/** A statement that waits longer than two runs of the job is missing. */
const PATIENCE_MINUTES = 12;
/** Requests per run; the next run continues. */
const BATCH = 100;
export const STATEMENT_FORMAT = 'sallyport audit heads 1';

/** The end of a log, and its newest row with an SM3 digest. */
interface Head {
  readonly log: string;
  readonly sequence: number;
  readonly digest: string;
  readonly sm3_sequence: number | null;
  readonly sm3_digest: string | null;
}

interface Waiting {
  readonly id: number;
  readonly statement: string;
}

export interface WitnessOptions {
  readonly db: Db;
  /** Undefined without a configured witness. */
  readonly authority: TimestampAuthority | undefined;
  readonly log: Logger;
  readonly now?: () => Date;
}

/** Creates the service of the witness. Runs must not overlap: each statement names the previous. */
export function createWitnesses({
  db,
  authority,
  log,
  now = () => new Date(),
}: WitnessOptions): Witnesses {
  const newest = async () => {
    const { rows } = await sql<{ statement: string; date: Date }>`
      select statement, date_requested as date from audit_witness order by id desc limit 1`.execute(
      db,
    );
    return rows[0];
  };
  const makeStatement = async () => {
    const previous = await newest();
    if (previous && now().getTime() - previous.date.getTime() < HOUR) return;
    const { rows: heads } = await sql<Head>`
      select c.log, c.sequence, encode(c.digest, 'hex') as digest,
        s.sequence as sm3_sequence, encode(s.digest, 'hex') as sm3_digest
      from audit_chain c left join lateral (select n.sequence, n.digest from audit_sm3 n
        where n.log = c.log and n.sequence <= c.sequence order by n.sequence desc limit 1) s on true
      order by c.log`.execute(db);
    const statement = JSON.stringify({
      format: STATEMENT_FORMAT,
      date: now().toISOString(),
      previous: previous ? createHash('sha256').update(previous.statement).digest('hex') : '',
      heads: heads.map(({ log: name, sequence, digest, ...sm3 }) => ({
        log: name,
        sequence,
        digest,
        ...(sm3.sm3_digest && { sm3: { sequence: sm3.sm3_sequence, digest: sm3.sm3_digest } }),
      })),
    });
    await sql`insert into audit_witness (statement, date_requested)
      values (${statement}, ${now()})`.execute(db);
  };
  const stamp = async (to: TimestampAuthority, { id, statement }: Waiting) => {
    try {
      const { token, time, authority: name } = await requestTimestamp(to, statement);
      await sql`update audit_witness set token = ${token}, date_witnessed = ${time},
        authority = ${name.slice(0, 1024)}, problem = '' where id = ${id}`.execute(db);
      return true;
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const problem = cause instanceof Error ? cause.message : String(cause);
      log.warn({ problem }, 'the witness did not sign the audit logs; a later run tries again');
      await sql`update audit_witness set problem = ${problem.slice(0, 1024)}
        where id = ${id}`.execute(db);
      return false;
    }
  };
  return {
    async run() {
      if (!authority) return;
      await makeStatement();
      const { rows } = await sql<Waiting>`select id, statement from audit_witness
        where token is null order by id limit ${BATCH}`.execute(db);
      // The authority is away, or wrong, for the others, too.
      for (const waiting of rows) if (!(await stamp(authority, waiting))) return;
    },
    async state() {
      const { rows } = await sql<Omit<WitnessState, 'isConfigured'>>`
        select last.date_witnessed as last, coalesce(last.authority, '') as authority,
          (select count(*)::int from audit_witness where token is null) as waiting,
          coalesce((select problem from audit_witness where token is null order by id limit 1), '')
            as problem,
          exists (select 1 from audit_witness where token is null
            and date_requested < ${now()}::timestamptz
              - make_interval(mins => ${PATIENCE_MINUTES}))
          or not exists (select 1 from audit_witness
            where date_requested > ${now()}::timestamptz - interval '2 hours') as "isMissing"
        from (select 1) one left join lateral (select date_witnessed, authority from audit_witness
          where token is not null order by id desc limit 1) last on true`.execute(db);
      const [state] = rows;
      if (!state) throw new Error('the state of the witness has no row');
      return {
        ...state,
        isConfigured: authority !== undefined,
        isMissing: authority !== undefined && state.isMissing,
      };
    },
  };
}

/** The metrics of the witness. */
export const witnessFamilies = ({ last, waiting }: WitnessState): readonly Family[] => [
  gauge(
    'sallyport_audit_witness_timestamp_seconds',
    'Time of the last token of the outside witness; 0: never, or no witness is configured.',
    (last?.getTime() ?? 0) / 1_000,
  ),
  gauge(
    'sallyport_audit_witnesses_waiting',
    'Statements about the audit logs that the outside witness has not signed.',
    waiting,
  ),
];
