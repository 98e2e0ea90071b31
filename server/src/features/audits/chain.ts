import { CHAINED_LOGS, type ChainedLog } from '@sallyport/contract';
import type { Suite, Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { COMMAND } from '../../platform/release.ts';
import {
  type Break,
  brokenSeal,
  digestsOf,
  EMPTY,
  missingHead,
  newer,
  type Seals,
} from './chain-breaks.ts';
import { walk } from './chain-walk.ts';
import { type DatabaseInstance, instanceOf, isAnother } from './database-instance.ts';
import type { SeenHeads } from './heads.ts';
import { headOf, removeRows } from './removal.ts';
import {
  type ChainState,
  createSealStore,
  type KeptSeal,
  type Seal,
  type Sm3Head,
} from './seal-store.ts';
import { extendSm3, hasSm3Of, type Sm3Range, verifySm3 } from './sm3-chain.ts';

/** The result of verifying one log. */
export interface ChainVerdict {
  readonly log: ChainedLog;
  /** Number of stored rows, and of rows that retention removed from the beginning. */
  readonly rows: number;
  readonly removed: number;
  /**
   * Sequence number of the first row that was changed, removed or inserted. Null for an intact log.
   */
  readonly first_break: number | null;
  /**
   * Last possible row of the break. Differs from `first_break` only if the chain was recomputed.
   */
  readonly last_break: number | null;
  /**
   * The newest row of the log and its digest, which depends on every earlier row. A copy stored
   * elsewhere proves the log later.
   */
  readonly sequence: number;
  readonly digest: string;
  /** The rows that SM3 covers, too. Null without SM3. */
  readonly sm3: Sm3Range | null;
}

/** The chains of the audit logs: verifies them, seals their end, and removes old rows. */
export interface AuditChains {
  /** Verifies that no row was changed, removed or inserted. Reports the first break. */
  verify(logs?: readonly ChainedLog[]): Promise<ChainVerdict[]>;
  /**
   * Seals the end of each log for later verification. Skips a log that does not match its last
   * seal.
   */
  seal(): Promise<void>;
  /** Returns the newest seal of a log in the data folder. */
  sealed(log: ChainedLog): KeptSeal | undefined;
  /**
   * Seals the ends of logs of a database after a declared failover. The seals in the data folder
   * belong to the state that was left; those in the database must match.
   */
  sealAfterFailover(logs: readonly ChainedLog[], instance: DatabaseInstance): Promise<void>;
  /**
   * Removes rows older than `days` from the beginning of a log. The remaining rows stay verifiable,
   * and the operate log gets an entry about the removal in the same transaction. Returns the number
   * of removed rows.
   */
  forget(log: ChainedLog, days: number): Promise<number>;
}

export interface AuditChainOptions {
  readonly db: Db;
  readonly vault: Vault;
  /** The data directory, which contains the newest seals. */
  readonly directory: string;
  /** Returns the newest rows that this server has seen, and their database. Default: none. */
  readonly seen?: () => Pick<SeenHeads, 'heads' | 'instance'> | undefined;
  /** Returns false in further processes of a server: the first keeps the file. Default: true. */
  readonly keepsFile?: () => boolean;
  readonly log?: Logger;
  /**
   * True right after the migration that added seals. Earlier removals by retention are then
   * accepted.
   */
  readonly isFirst?: boolean;
  /** Writes SM3 digests next to those of SHA-256 if national. Default: international. */
  readonly suite?: Suite;
}

/** Reads one state of the database, for as long as that takes. */
const snapshot = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(
    async (tx) => {
      // Disables the timeout, as verifying a long log takes longer than a request. Digests
      // contain dates in UTC.
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`set local timezone = 'UTC'`.execute(tx);
      return work(tx);
    },
    { isolation: 'repeatable read' },
  );

/** Returns true if two states may belong to one database: a database may not tell what it is. */
const isSame = (
  one: DatabaseInstance | null | undefined,
  other: DatabaseInstance | null | undefined,
): boolean => !one || !other || !isAnother(one, other);

/** The chains of one installation. */
class InstalledChains implements AuditChains {
  readonly #db: Db;
  readonly #store: ReturnType<typeof createSealStore>;
  readonly #log: Logger | undefined;
  readonly #isFirst: boolean;
  readonly #isNational: boolean;
  readonly #seen: NonNullable<AuditChainOptions['seen']>;
  /** Logs whose mismatch was reported. */
  readonly #reported = new Set<ChainedLog>();

  constructor(options: AuditChainOptions) {
    const {
      db,
      vault,
      directory,
      keepsFile,
      log,
      isFirst = false,
      suite,
      seen = () => undefined,
    } = options;
    this.#db = db;
    this.#store = createSealStore(vault, directory, keepsFile);
    this.#log = log;
    this.#isFirst = isFirst;
    this.#seen = seen;
    this.#isNational = suite === 'national';
  }

  async verify(logs: readonly ChainedLog[] = CHAINED_LOGS): Promise<ChainVerdict[]> {
    const verdicts: ChainVerdict[] = [];
    for (const log of logs) verdicts.push(await this.#verifyOne(log));
    return verdicts;
  }

  async seal(): Promise<void> {
    for (const log of CHAINED_LOGS) {
      const sealed = await this.#sealOne(log);
      if (sealed) await this.#store.keep({ [log]: sealed });
    }
  }

  sealed(log: ChainedLog): KeptSeal | undefined {
    return this.#store.beside(log);
  }

  async sealAfterFailover(logs: readonly ChainedLog[], instance: DatabaseInstance): Promise<void> {
    for (const log of logs) {
      const sealed = await this.#sealOne(log, instance);
      if (sealed) await this.#store.keep({ [log]: sealed });
    }
  }

  async forget(log: ChainedLog, days: number): Promise<number> {
    const { gone, sealed, instance } = await this.#db.transaction(async (tx) => {
      const instance = await instanceOf(tx);
      if (!isSame(this.#seen()?.instance, instance)) return { gone: 0 };
      const { removed, head } = await removeRows(tx, log, days);
      return { gone: removed, sealed: head && (await this.#store.put(tx, log, head)), instance };
    });
    if (sealed) await this.#store.keep({ [log]: { ...sealed, instance } });
    return gone;
  }

  /**
   * Reads all seals of a log, valid or not. `beside` was read from the file before the transaction,
   * so it cannot be newer than the snapshot.
   */
  async #read(tx: Tx, log: ChainedLog, beside: Seal | undefined): Promise<Seals> {
    await this.#store.openKeys(tx);
    const seals = [...(await this.#store.all(tx, log)), ...(beside ? [beside] : [])].sort(
      (one, other) => one.sequence - other.sequence,
    );
    const good = seals.filter((one) => this.#store.fits(log, one));
    return { seals, good, newest: good.toSorted(newer).at(-1) };
  }

  async #verifyOne(log: ChainedLog): Promise<ChainVerdict> {
    const kept = this.#store.beside(log);
    const known = this.#seen();
    return snapshot(this.#db, async (tx) => {
      const instance = await instanceOf(tx);
      if (!isSame(known?.instance, instance)) throw new Unavailable('database_replaced');
      const seen = known?.heads[log];
      const beside = isSame(kept?.instance, instance) ? kept : undefined;
      const head = await headOf(tx, log);
      const walked = await walk(tx, log, head ?? EMPTY);
      const { sequence, digest, removed_sequence: removed } = head ?? EMPTY;
      const { good, ...stored } = await this.#read(tx, log, beside);
      const covered = good.filter(
        (one): one is Seal & { readonly sm3: Sm3Head } =>
          Boolean(one.sm3) && one.sequence >= removed,
      );
      const sm3 = await verifySm3(tx, log, head ?? EMPTY, covered);
      const facts = { log, rows: walked.rows, removed, sequence, digest, sm3: sm3.range };
      const verdict = ([from, to]: Break): ChainVerdict => ({
        ...facts,
        first_break: from,
        last_break: to,
      });
      if (!head) return verdict([1, 1]);
      const last = walked.last ?? head.removed_sequence;
      const digests = await digestsOf(tx, log, [last]);
      const isEndRight =
        last === head.sequence && (digests.get(last) ?? head.removed_digest) === head.digest;
      const inChain = walked.broken ?? (isEndRight ? null : last + 1);
      const inSeals =
        (await brokenSeal(tx, { log, head, last }, { good, ...stored })) ??
        sm3.broken ??
        (await missingHead(tx, { log, head, last }, seen));
      // A broken link is the exact place, unless an earlier row contradicts its seal.
      if (inChain !== null && (!inSeals || inChain <= inSeals[1]))
        return verdict([inChain, inChain]);
      return inSeals ? verdict(inSeals) : { ...facts, first_break: null, last_break: null };
    });
  }

  /** Returns true if a log extends its newest seal. */
  async #continues(
    tx: Tx,
    log: ChainedLog,
    head: ChainState,
    newest: Seal | undefined,
  ): Promise<boolean> {
    if (!newest) return this.#isFirst || head.removed_sequence === 0;
    const { sequence, digest, removed_sequence: removed, removed_digest: removedDigest } = newest;
    if (
      head.sequence < sequence ||
      head.removed_sequence !== removed ||
      head.removed_digest !== removedDigest
    )
      return false;
    return sequence <= removed || (await digestsOf(tx, log, [sequence])).get(sequence) === digest;
  }

  /** Seals the end of a log, unless another database answers than the known one. */
  async #sealOne(log: ChainedLog, taken?: DatabaseInstance): Promise<KeptSeal | undefined> {
    const known = taken ?? this.#seen()?.instance;
    const kept = this.#store.beside(log);
    const state = await snapshot(this.#db, async (tx) => {
      const instance = await instanceOf(tx);
      if (!isSame(known, instance)) return undefined;
      const beside = !taken && isSame(kept?.instance, instance) ? kept : undefined;
      const head = await headOf(tx, log);
      await this.#store.openKeys(tx);
      const seals = await this.#store.newest(tx, log, beside);
      const newest = seals.toSorted(newer).at(-1);
      if (
        head &&
        seals.every((one) => this.#store.fits(log, one)) &&
        (await this.#continues(tx, log, head, newest)) &&
        (!newest || (await hasSm3Of(tx, log, newest)))
      )
        return { head, newest, instance };
      if (!this.#reported.has(log))
        this.#log?.error(
          { log },
          `an audit log does not match its seal; run: ${COMMAND} audit verify`,
        );
      this.#reported.add(log);
      return undefined;
    });
    if (!state) return undefined;
    const { head, newest, instance } = state;
    // After the snapshot: another server may be sealing the same rows.
    const end = this.#isNational ? await extendSm3(this.#db, log, head) : undefined;
    if (end) await this.#store.openSigningKey(this.#db);
    const isSealed = newest?.sequence === head.sequence && (newest.sm3?.sm2 || !end);
    const sealed = isSealed ? newest : await this.#store.put(this.#db, log, head, end);
    const isKept = kept?.seal === sealed?.seal && isSame(kept?.instance, instance);
    if (!sealed || (isKept && (kept?.instance || !instance))) return undefined;
    return { ...sealed, instance };
  }
}

/** Creates the service for the chains of an installation. */
export const createAuditChains = (options: AuditChainOptions): AuditChains =>
  new InstalledChains(options);
