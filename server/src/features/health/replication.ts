import { type Db, sqlState } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** A standby further behind than this is reported. */
export const LAG_SECONDS = 10;
/** Time for which readings and standbys without a connection are remembered. */
const REMEMBERED_MILLISECONDS = 3_600_000;
/** Programs that read the stream of the primary, but cannot take over. */
const READERS = ['pg_basebackup', 'pg_receivewal', 'pg_recvlogical'];

/** A standby that follows the database. */
export interface Standby {
  readonly name: string;
  /** Bytes that it has not stored yet. Null if the role of the server may not see it. */
  readonly bytes: number | null;
  /** Seconds that it is behind at least. */
  readonly seconds: number;
}

/** The standbys of the database. */
export interface Replication {
  readonly standbys: readonly Standby[];
  /** True if the database acknowledges a transaction only after a standby has it. */
  readonly isSynchronous: boolean;
}

interface StandbyRow {
  readonly name: string;
  readonly bytes: number | null;
  readonly lag: number | null;
}

interface Reading {
  /** Tells another server from this one. */
  readonly started: string;
  readonly isSynchronous: boolean;
  /** End of the log of the database, in bytes. */
  readonly end: number;
  readonly standbys: readonly StandbyRow[];
}

/** Reads the standbys; undefined where the database does not tell them, or is one itself. */
async function read(db: Db): Promise<Reading | undefined> {
  try {
    const { rows } = await sql<Reading>`
      select pg_postmaster_start_time()::text as started,
        current_setting('synchronous_standby_names') <> ''
          and current_setting('synchronous_commit') not in ('off', 'local') as "isSynchronous",
        pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "end",
        coalesce((select jsonb_agg(jsonb_build_object('name', r.application_name,
            'bytes', pg_wal_lsn_diff(pg_current_wal_lsn(), r.flush_lsn),
            'lag', extract(epoch from r.flush_lag)) order by r.application_name, r.pid)
          from pg_stat_replication r where r.application_name <> all (${READERS}::text[])
            and not exists (select from pg_replication_slots s
              where s.active_pid = r.pid and s.slot_type = 'logical')), '[]') as standbys
      where not pg_is_in_recovery()`.execute(db);
    return rows[0];
  } catch (error) {
    // Services that are no plain PostgreSQL lack the functions, or refuse them.
    if (['42883', '42501', '42P01', '42704', '0A000'].includes(sqlState(error)?.code ?? ''))
      return undefined;
    throw error;
  }
}

/** Returns true if the role of the server may not see how far a standby is behind. */
export const isUnseen = ({ bytes }: Standby): boolean => bytes === null;

/** Returns the standbys that would lack acknowledged transactions of more than `LAG_SECONDS`. */
export const lateStandbys = ({ standbys, isSynchronous }: Replication): readonly Standby[] =>
  isSynchronous ? [] : standbys.filter(({ seconds }) => seconds > LAG_SECONDS);

/** Returns standbys that can take over without the newest acknowledged transactions. */
export const asynchronousStandbys = ({
  standbys,
  isSynchronous,
}: Replication): readonly Standby[] => (isSynchronous ? [] : standbys);

/**
 * Creates a reader of the standbys. The database tells the lag of a standby only when it answers,
 * and forgets a standby without a connection. So the reader remembers how long the log was when,
 * and the lag of a silent standby grows.
 */
export function createReplicationReader(db: Db): () => Promise<Replication | undefined> {
  const memory = new StandbyMemory();
  return async () => {
    const reading = await read(db);
    return reading && memory.take(reading);
  };
}

/** The last known state of a standby. */
interface Known {
  readonly at: number;
  /** Position up to which it had stored the log, in bytes; null if hidden. */
  readonly flushed: number | null;
}

class StandbyMemory {
  private started = '';
  private ends: { readonly at: number; readonly end: number }[] = [];
  private readonly known = new Map<string, Known>();

  take({ started, isSynchronous, end, standbys }: Reading): Replication {
    const at = performance.now();
    this.forget(started, at);
    const following = standbys.map(({ name, bytes, lag }) => {
      const flushed = bytes === null ? null : end - bytes;
      this.known.set(name, { at, flushed });
      const seconds = flushed === null ? 0 : this.secondsSince(flushed, at);
      return { name, bytes, seconds: Math.round(bytes === 0 ? 0 : Math.max(seconds, lag ?? 0)) };
    });
    const present = new Set(standbys.map(({ name }) => name));
    const gone = [...this.known]
      .filter(([name]) => !present.has(name))
      .map(([name, { at: seen, flushed }]) => ({
        name,
        bytes: flushed === null ? null : end - flushed,
        seconds: Math.round(
          flushed === null ? (at - seen) / 1_000 : this.secondsSince(flushed, at),
        ),
      }));
    this.ends.push({ at, end });
    return { isSynchronous, standbys: [...following, ...gone] };
  }

  /** Returns for how long at least the log has been longer than this. */
  private secondsSince(flushed: number, now: number): number {
    const missing = this.ends.find(({ end }) => end > flushed);
    return missing ? (now - missing.at) / 1_000 : 0;
  }

  private forget(started: string, now: number): void {
    if (started !== this.started) {
      this.started = started;
      this.ends = [];
      this.known.clear();
    }
    const oldest = now - REMEMBERED_MILLISECONDS;
    this.ends = this.ends.filter(({ at }) => at > oldest);
    for (const [name, { at }] of this.known) if (at <= oldest) this.known.delete(name);
  }
}
