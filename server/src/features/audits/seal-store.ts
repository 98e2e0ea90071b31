import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainedLog } from '@sallyport/contract';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

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

/** A state, signed by this installation. */
export interface Seal extends ChainState {
  readonly seal: string;
}

const FILE = 'audit-seals.json';
/** Rows per stored seal. Limits how precisely a rewritten row can be located. */
const BLOCK = 100;

const SEALS = sql`select sequence, encode(digest, 'hex') as digest, removed_sequence,
  encode(removed_digest, 'hex') as removed_digest, seal from audit_seal`;

const textOf = ({
  sequence,
  digest,
  removed_sequence: removed,
  removed_digest: removedDigest,
}: ChainState) => JSON.stringify([sequence, digest, removed, removedDigest]);

/**
 * Stores seals in the database, and the newest seal of each log in a file. An attacker with
 * database access alone cannot change the file.
 */
export function createSealStore(vault: Vault, directory: string, keepsFile = () => true) {
  const path = join(directory, FILE);
  const contextOf = (log: ChainedLog) => `audit_seal.${log}`;
  const fits = (log: ChainedLog, one: Seal) =>
    vault.isSignature(one.seal, textOf(one), contextOf(log));

  const readFile = (): Readonly<Partial<Record<ChainedLog, Seal>>> => {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<ChainedLog, Seal>>;
    } catch (error) {
      // Without a readable file, only the seals in the database count.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
        return {};
      throw error;
    }
  };

  return {
    fits,
    /** The seal of a log in the data directory. */
    beside: (log: ChainedLog): Seal | undefined => readFile()[log],

    /** The seals of a log in the database, valid or not, in the order of their rows. */
    async all(tx: Tx, log: ChainedLog): Promise<readonly Seal[]> {
      return (await sql<Seal>`${SEALS} where log = ${log} order by sequence`.execute(tx)).rows;
    },

    /** The newest seals of a log, from the database and the data directory. */
    async newest(tx: Tx, log: ChainedLog): Promise<readonly Seal[]> {
      const { rows } =
        await sql<Seal>`${SEALS} where log = ${log} order by removed_sequence desc, sequence desc
          limit 1`.execute(tx);
      const kept = readFile()[log];
      return kept ? [...rows, kept] : rows;
    },

    async put(db: Db | Tx, log: ChainedLog, state: ChainState): Promise<Seal> {
      const seal = vault.sign(textOf(state), contextOf(log));
      await sql`
        insert into audit_seal (log, block, sequence, digest, removed_sequence,
          removed_digest, seal)
        values (${log}, ${Math.floor(state.sequence / BLOCK)}, ${state.sequence},
          decode(${state.digest}, 'hex'), ${state.removed_sequence},
          decode(${state.removed_digest}, 'hex'), ${seal})
        on conflict (log, block) do update set sequence = excluded.sequence,
          digest = excluded.digest, removed_sequence = excluded.removed_sequence,
          removed_digest = excluded.removed_digest, seal = excluded.seal, date_sealed = now()
        where (audit_seal.removed_sequence, audit_seal.sequence) <= (excluded.removed_sequence,
          excluded.sequence)`.execute(db);
      return { ...state, seal };
    },

    /**
     * Writes the newest seals to the data directory. The file is replaced atomically, and only by
     * one process of a server: two would undo each other's changes.
     */
    async keep(seals: Readonly<Partial<Record<ChainedLog, Seal>>>): Promise<void> {
      if (!keepsFile()) return;
      const next = `${path}.${randomBytes(6).toString('hex')}.new`;
      await writeFile(next, `${JSON.stringify({ ...readFile(), ...seals }, undefined, 2)}\n`, {
        mode: 0o600,
      });
      await rename(next, path);
    },
  };
}
