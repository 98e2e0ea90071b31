import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainedLog } from '@sallyport/contract';
import { readSm2Keys, type StoredSm2Key, signingSm2Key } from '../../platform/crypto/sm2-keys.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { DatabaseInstance } from './database-instance.ts';

/**
 * The end of a log: its last row, and the last row that retention removed from the beginning.
 * Digests are hexadecimal.
 */
export interface ChainState {
  readonly sequence: number;
  readonly digest: string;
  readonly removed_sequence: number;
  readonly removed_digest: string;
}

/** The end of the SM3 digests at a sealed row, signed by this installation. */
export interface Sm3Head {
  /** First row with an SM3 digest that covers it. */
  readonly first: number;
  /** The SM3 digest of the sealed row. */
  readonly digest: string;
  readonly seal: string;
  /** The signature by SM2, and the id of its key. */
  readonly sm2?: { readonly key: string; readonly signature: string };
}

/** The end of the SM3 digests before it is signed. */
export type Sm3End = Pick<Sm3Head, 'first' | 'digest'>;

/** A state, signed by this installation. */
export interface Seal extends ChainState {
  readonly seal: string;
  /** Null and undefined without SM3. */
  readonly sm3?: Sm3Head | null;
}

/** A seal in the data folder, and the database that had its state, if that is known. */
export interface KeptSeal extends Seal {
  readonly instance?: DatabaseInstance | null;
}

const FILE = 'audit-seals.json';
/** Rows per stored seal. Limits how precisely a rewritten row can be located. */
const BLOCK = 100;

const SEALS = sql`select sequence, encode(digest, 'hex') as digest, removed_sequence,
  encode(removed_digest, 'hex') as removed_digest, seal, sm3 from audit_seal`;

const textOf = ({
  sequence,
  digest,
  removed_sequence: removed,
  removed_digest: removedDigest,
}: ChainState) => JSON.stringify([sequence, digest, removed, removedDigest]);
const sm3TextOf = (state: ChainState, { first, digest }: Sm3End) =>
  JSON.stringify([textOf(state), first, digest]);

/** The text that SM2 signs: the log, its state, and the end of its SM3 digests. */
const signedTextOf = (log: ChainedLog, state: ChainState, end: Sm3End) =>
  `sallyport audit seal 1\n${log}\n${sm3TextOf(state, end)}`;

/** True where a log has the last row of a state, or its removed rows if no other is left. */
const whereHas = (log: ChainedLog, state: ChainState) =>
  state.sequence > state.removed_sequence
    ? sql`from ${sql.table(log)} t where t.sequence = ${state.sequence}
        and t.digest = decode(${state.digest}, 'hex')`
    : sql`from audit_chain c where c.log = ${log}
        and c.removed_sequence = ${state.removed_sequence}
        and c.removed_digest = decode(${state.removed_digest}, 'hex')`;

/**
 * Stores seals in the database, and the newest seal of each log in a file. An attacker with
 * database access alone cannot change the file.
 */
export function createSealStore(vault: Vault, directory: string, keepsFile = () => true) {
  const path = join(directory, FILE);
  const contextOf = (log: ChainedLog) => `audit_seal.${log}`;
  const sm3ContextOf = (log: ChainedLog) => `audit_seal.sm3.${log}`;
  let keys: readonly StoredSm2Key[] = [];
  const isSigned = (log: ChainedLog, state: ChainState, { sm2, ...end }: Sm3Head) =>
    !sm2 ||
    keys.some(
      ({ id, isSignature }) =>
        id === sm2.key && isSignature(sm2.signature, signedTextOf(log, state, end)),
    );
  const fits = (log: ChainedLog, one: Seal) =>
    vault.isSignature(one.seal, textOf(one), contextOf(log)) &&
    (!one.sm3 ||
      (vault.isSignature(one.sm3.seal, sm3TextOf(one, one.sm3), sm3ContextOf(log)) &&
        isSigned(log, one, one.sm3)));

  const readFile = (): Readonly<Partial<Record<ChainedLog, KeptSeal>>> => {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<ChainedLog, KeptSeal>>;
    } catch (error) {
      // Without a readable file, only the seals in the database count.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
        return {};
      throw error;
    }
  };

  return {
    fits,
    /** Opens the keys of SM2 that `fits` and `put` use, and makes the first one to sign with. */
    async openKeys(db: Db | Tx): Promise<void> {
      keys = await readSm2Keys(db, vault);
    },
    async openSigningKey(db: Db): Promise<void> {
      await signingSm2Key(db, vault);
      keys = await readSm2Keys(db, vault);
    },
    /** The seal of a log in the data directory. */
    beside: (log: ChainedLog): KeptSeal | undefined => readFile()[log],

    /** The seals of a log in the database, valid or not, in the order of their rows. */
    async all(tx: Tx, log: ChainedLog): Promise<readonly Seal[]> {
      return (await sql<Seal>`${SEALS} where log = ${log} order by sequence`.execute(tx)).rows;
    },

    /** The newest seals of a log, from the database and from the data directory. */
    async newest(tx: Tx, log: ChainedLog, beside: KeptSeal | undefined): Promise<readonly Seal[]> {
      const { rows } =
        await sql<Seal>`${SEALS} where log = ${log} order by removed_sequence desc, sequence desc
          limit 1`.execute(tx);
      return beside ? [...rows, beside] : rows;
    },

    /**
     * Seals a state. Returns undefined, and stores nothing, if the database does not have it: after
     * a failover, another database may answer than the one with the state.
     */
    async put(
      db: Db | Tx,
      log: ChainedLog,
      state: ChainState,
      end?: Sm3End,
    ): Promise<Seal | undefined> {
      const seal = vault.sign(textOf(state), contextOf(log));
      const [key] = keys;
      const sm3 = end && {
        ...end,
        seal: vault.sign(sm3TextOf(state, end), sm3ContextOf(log)),
        ...(key && { sm2: { key: key.id, signature: key.sign(signedTextOf(log, state, end)) } }),
      };
      const { rows } = await sql<{ has: boolean }>`
        with had as (select 1 ${whereHas(log, state)}), put as (
        insert into audit_seal (log, block, sequence, digest, removed_sequence,
          removed_digest, seal, sm3)
        select ${log}, ${Math.floor(state.sequence / BLOCK)}, ${state.sequence},
          decode(${state.digest}, 'hex'), ${state.removed_sequence},
          decode(${state.removed_digest}, 'hex'), ${seal},
          ${sm3 ? JSON.stringify(sm3) : null}::jsonb from had
        on conflict (log, block) do update set sequence = excluded.sequence,
          digest = excluded.digest, removed_sequence = excluded.removed_sequence,
          removed_digest = excluded.removed_digest, seal = excluded.seal,
          sm3 = excluded.sm3, date_sealed = now()
        where (audit_seal.removed_sequence, audit_seal.sequence) <= (excluded.removed_sequence,
          excluded.sequence)
        ) select exists (select from had) as has`.execute(db);
      return rows[0]?.has ? { ...state, seal, ...(sm3 && { sm3 }) } : undefined;
    },

    /**
     * Writes the newest seals to the data directory. The file is replaced atomically, and only by
     * one process of a server: two would undo each other's changes.
     */
    async keep(seals: Readonly<Partial<Record<ChainedLog, KeptSeal>>>): Promise<void> {
      if (!keepsFile()) return;
      const next = `${path}.${randomBytes(6).toString('hex')}.new`;
      await writeFile(next, `${JSON.stringify({ ...readFile(), ...seals }, undefined, 2)}\n`, {
        mode: 0o600,
      });
      await rename(next, path);
    },
  };
}
