import { VERIFICATION_DAYS } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { AuditChains, ChainVerdict } from './chain.ts';

const DAY = 86_400_000;

/** How a verification ended. */
export interface Verification {
  readonly date: Date;
  readonly intact: boolean;
  /** Who asked for it; empty for the server itself. */
  readonly by: string;
}

/** Verifies the audit logs, and remembers how the last time ended. */
export interface Verifier {
  /** Verifies all logs and remembers the result. */
  verify(by: string): Promise<ChainVerdict[]>;
  /** How the last verification ended; undefined when there was none that this installation wrote down. */
  last(): Promise<Verification | undefined>;
  /** Whether the last verification is too old, or was never done although the logs are that old. */
  isDue(): Promise<boolean>;
}

const CONTEXT = 'audit_verification';
const textOf = ({ date, intact, by }: Verification) => JSON.stringify([date.toISOString(), intact, by]);

export interface VerifierOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly chains: AuditChains;
  readonly now?: () => Date;
}

/** Makes a verifier of the chains of an installation. */
export function createVerifier({ db, vault, chains, now = () => new Date() }: VerifierOptions): Verifier {
  const last = async (): Promise<Verification | undefined> => {
    const { rows } = await sql<Verification & { seal: string }>`
      select date_verified as date, intact, verified_by as by, seal from audit_verification`.execute(db);
    const [found] = rows;
    return found && vault.sign(textOf(found), CONTEXT) === found.seal ? { date: found.date, intact: found.intact, by: found.by } : undefined;
  };
  return {
    async verify(by) {
      const verdicts = await chains.verify();
      const result: Verification = { date: now(), intact: verdicts.every(({ first_break: broken }) => broken === null), by };
      await sql`
        insert into audit_verification (date_verified, intact, verified_by, seal)
        values (${result.date}, ${result.intact}, ${by}, ${vault.sign(textOf(result), CONTEXT)})
        on conflict (only_row) do update set date_verified = excluded.date_verified, intact = excluded.intact, verified_by = excluded.verified_by, seal = excluded.seal`.execute(
        db,
      );
      return verdicts;
    },
    last,
    async isDue() {
      const before = new Date(now().getTime() - VERIFICATION_DAYS * DAY);
      const known = await last();
      if (known) return known.date < before;
      const { rows } = await sql<{ old: boolean }>`select exists (select 1 from login_log where datetime < ${before}) as old`.execute(db);
      return rows[0]?.old ?? false;
    },
  };
}
