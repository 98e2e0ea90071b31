import { createHash, randomInt } from 'node:crypto';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

const COUNT = 10;
const GROUPS = 4;
/** 31 letters and digits that do not look alike: 79 bits per code. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

const newCode = () =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  ).join('-');

/** A random code needs no slow hash. The account id keeps equal codes of two users apart. */
const digestOf = (userId: string, code: string) =>
  createHash('sha256')
    .update(`${userId} ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
    .digest();

/** Creates recovery codes for an account and invalidates older ones. The caller shows them once. */
export async function makeRecoveryCodes(userId: string, tx: Tx): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode);
  await sql`delete from recovery_code where user_id = ${userId}`.execute(tx);
  const rows = codes.map((code) => sql`(${userId}::uuid, ${digestOf(userId, code)}::bytea)`);
  await sql`insert into recovery_code (user_id, digest) values ${sql.join(rows)}`.execute(tx);
  return codes;
}

/** Consumes a code; returns false if it is unknown or used. */
export async function useRecoveryCode(userId: string, code: string, db: Db): Promise<boolean> {
  const { rows } = await sql`
    delete from recovery_code
    where user_id = ${userId} and digest = ${digestOf(userId, code)} returning 1`.execute(db);
  return rows.length > 0;
}
