import { VERIFICATION_DAYS } from '@sallyport/contract';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { AuditChains, ChainVerdict } from './chain.ts';
import {
  byReading,
  compareOutside,
  type OutsidePlace,
  type OutsideVerdict,
  outsideVerdicts,
  withMissing,
} from './outside-heads.ts';

const DAY = 86_400_000;

/** The outcome of a verification. */
export interface Verification {
  readonly date: Date;
  readonly intact: boolean;
  /** The user who requested it. Empty for the server. */
  readonly by: string;
}

/** The details of a verification. */
export interface Verdicts {
  readonly intact: boolean;
  readonly logs: readonly ChainVerdict[];
  readonly sessions: SessionsVerdict;
  /** The comparison with rows that buckets and the witness keep. */
  readonly outside: readonly OutsideVerdict[];
}

/** Verifies audit logs and sessions, and stores the outcome. */
export interface Verifier {
  /**
   * Verifies all logs, compares sessions and recordings with their digests, and stores the outcome.
   * With `seconds`, it starts no further recording after that time.
   */
  verify(by: string, seconds?: number): Promise<Verdicts>;
  /** Sets the function that compares sessions. By default, none are compared. */
  compareSessions(check: SessionsCheck): void;
  /** Sets the function that reads rows outside of the logs. By default, there are none. */
  compareOutside(read: () => Promise<readonly OutsidePlace[]>): void;
  /** The outcome of the last verification. Undefined without one that this installation signed. */
  last(): Promise<Verification | undefined>;
  /** Returns true if the last verification, or else the oldest entry, is too old. */
  isDue(known?: Verification): Promise<boolean>;
}

const CONTEXT = 'audit_verification';
const textOf = ({ date, intact, by }: Verification) =>
  JSON.stringify([date.toISOString(), intact, by]);

export interface VerifierOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly chains: AuditChains;
  /** Declares a failover since the last look. */
  readonly settle?: () => Promise<void>;
  readonly now?: () => Date;
}

/** Creates the verifier. */
export function createVerifier({
  db,
  vault,
  chains,
  settle = async () => undefined,
  now = () => new Date(),
}: VerifierOptions): Verifier {
  const last = async (): Promise<Verification | undefined> => {
    const { rows } = await sql<Verification & { seal: string }>`
      select date_verified as date, intact, verified_by as by, seal
        from audit_verification`.execute(db);
    const [stored] = rows;
    return stored && vault.isSignature(stored.seal, textOf(stored), CONTEXT)
      ? { date: stored.date, intact: stored.intact, by: stored.by }
      : undefined;
  };
  let check: SessionsCheck = async () => ({
    rows: 0,
    checked: 0,
    repaired: 0,
    wrong: 0,
    unread: 0,
    broken: [],
  });
  let readOutside = async (): Promise<readonly OutsidePlace[]> => [];
  return {
    compareSessions(one) {
      check = one;
    },
    compareOutside(read) {
      readOutside = read;
    },
    async verify(by, seconds) {
      await settle();
      const until = seconds === undefined ? undefined : Date.now() + seconds * 1000;
      // Before the logs, which may only be newer.
      const { read, unread } = byReading(await readOutside());
      const compared = await compareOutside(db, read);
      const outside = outsideVerdicts(compared, unread);
      const logs = withMissing(await chains.verify(), compared);
      const sessions = await check(until);
      const isUnchanged =
        logs.every(({ first_break: broken }) => broken === null) &&
        sessions.wrong === sessions.unread;
      const intact =
        isUnchanged && sessions.unread === 0 && outside.every(({ state }) => state !== 'unread');
      // A server or a storage that does not answer is no change. The last result becomes too old.
      if (isUnchanged && !intact) return { intact, logs, sessions, outside };
      // An incomplete comparison does not override a failure that a complete one reported.
      const isProven = sessions.checked === sessions.rows || (await last())?.intact !== false;
      const result: Verification = { date: now(), intact: intact && isProven, by };
      await sql`
        insert into audit_verification (date_verified, intact, verified_by, seal)
        values (${result.date}, ${result.intact}, ${by}, ${vault.sign(textOf(result), CONTEXT)})
        on conflict (only_row) do update set date_verified = excluded.date_verified,
          intact = excluded.intact, verified_by = excluded.verified_by,
          seal = excluded.seal`.execute(db);
      return { intact, logs, sessions, outside };
    },
    last,
    async isDue(recent) {
      const before = new Date(now().getTime() - VERIFICATION_DAYS * DAY);
      const known = recent ?? (await last());
      if (known) return known.date < before;
      const { rows } = await sql<{
        old: boolean;
      }>`select exists (select 1 from login_log where datetime < ${before}) as old`.execute(db);
      return rows[0]?.old ?? false;
    },
  };
}

/** Problems of ended sessions. */
export type SessionProblem =
  /** Its row was deleted. */
  | 'session_missing'
  /** Its row or one of its commands was changed. */
  | 'session_changed'
  | 'recording_missing'
  | 'recording_changed'
  /** The storage did not deliver the recording. The next verification tries again. */
  | 'recording_unreadable'
  /** The command storage did not deliver the commands. The next verification tries again. */
  | 'commands_unreadable';

/** Returns true for a problem that says nothing about the content. */
export const isUnread = (problem: SessionProblem): boolean =>
  problem === 'recording_unreadable' || problem === 'commands_unreadable';

/** An ended session that failed verification. */
export interface BrokenSession {
  readonly session: string;
  readonly problem: SessionProblem;
}

/** The result of comparing ended sessions and recordings with their digests. */
export interface SessionsVerdict {
  /** Number of digests, and of those compared within the time limit. */
  readonly rows: number;
  readonly checked: number;
  /** Number of digests that an earlier version wrote too early, as the operate log declares. */
  readonly repaired: number;
  /** Number of failed sessions. `broken` lists the newest hundred. */
  readonly wrong: number;
  /** Sessions among the wrong ones whose recording or commands could not be read. */
  readonly unread: number;
  readonly broken: readonly BrokenSession[];
}

/** States the result for an operator. */
export function sessionWords({ wrong, unread }: SessionsVerdict): string {
  if (wrong === 0) return 'as they were when they ended';
  const counts = [
    ...(wrong > unread ? [`${wrong - unread} BROKEN`] : []),
    ...(unread > 0 ? [`${unread} not read, to be verified again`] : []),
  ];
  return `${counts.join(', ')}, the others as they were when they ended`;
}

/** Compares sessions until a time in milliseconds since 1970, or all sessions. */
type SessionsCheck = (until?: number) => Promise<SessionsVerdict>;
