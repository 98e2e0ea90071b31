import { VERIFICATION_DAYS } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { AuditChains, ChainVerdict } from './chain.ts';
import type { SessionsCheck, SessionsVerdict } from './sessions-verdict.ts';

const DAY = 86_400_000;

/** How a verification ended. */
export interface Verification {
  readonly date: Date;
  readonly intact: boolean;
  /** Who asked for it; empty for the server itself. */
  readonly by: string;
}

/** What a verification found. */
export interface Verdicts {
  readonly intact: boolean;
  readonly logs: readonly ChainVerdict[];
  readonly sessions: SessionsVerdict;
}

/** Verifies the audit logs and the sessions, and remembers how the last time ended. */
export interface Verifier {
  /**
   * Verifies all logs, and compares sessions and recordings with what was written down when they
   * ended, and remembers the result. With `seconds` it begins no further recording after that time.
   */
  verify(by: string, seconds?: number): Promise<Verdicts>;
  /** Sets how sessions are compared; without it, none is. */
  compareSessions(check: SessionsCheck): void;
  /**
   * How the last verification ended; undefined when there was none that this installation wrote
   * down.
   */
  last(): Promise<Verification | undefined>;
  /** Whether the last verification is too old, or was never done although the logs are that old. */
  isDue(known?: Verification): Promise<boolean>;
}

const CONTEXT = 'audit_verification';
const textOf = ({ date, intact, by }: Verification) =>
  JSON.stringify([date.toISOString(), intact, by]);

export interface VerifierOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly chains: AuditChains;
  readonly now?: () => Date;
}

/** Makes a verifier of the chains of an installation. */
export function createVerifier({
  db,
  vault,
  chains,
  now = () => new Date(),
}: VerifierOptions): Verifier {
  const last = async (): Promise<Verification | undefined> => {
    const { rows } = await sql<Verification & { seal: string }>`
      select date_verified as date, intact, verified_by as by, seal
        from audit_verification`.execute(db);
    const [found] = rows;
    return found && vault.sign(textOf(found), CONTEXT) === found.seal
      ? { date: found.date, intact: found.intact, by: found.by }
      : undefined;
  };
  let check: SessionsCheck = async () => ({ rows: 0, checked: 0, wrong: 0, broken: [] });
  return {
    compareSessions(one) {
      check = one;
    },
    async verify(by, seconds) {
      const until = seconds === undefined ? undefined : Date.now() + seconds * 1000;
      const logs = await chains.verify();
      const sessions = await check(until);
      const intact =
        logs.every(({ first_break: broken }) => broken === null) && sessions.wrong === 0;
      // What a whole comparison found wrong is not right again because a short one did not come to
      // it.
      const isProven = sessions.checked === sessions.rows || (await last())?.intact !== false;
      const result: Verification = { date: now(), intact: intact && isProven, by };
      await sql`
        insert into audit_verification (date_verified, intact, verified_by, seal)
        values (${result.date}, ${result.intact}, ${by}, ${vault.sign(textOf(result), CONTEXT)})
        on conflict (only_row) do update set date_verified = excluded.date_verified,
          intact = excluded.intact, verified_by = excluded.verified_by,
          seal = excluded.seal`.execute(db);
      return { intact, logs, sessions };
    },
    last,
    async isDue(given) {
      const before = new Date(now().getTime() - VERIFICATION_DAYS * DAY);
      const known = given ?? (await last());
      if (known) return known.date < before;
      const { rows } = await sql<{
        old: boolean;
      }>`select exists (select 1 from login_log where datetime < ${before}) as old`.execute(db);
      return rows[0]?.old ?? false;
    },
  };
}
