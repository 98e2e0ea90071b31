import { createHash, randomBytes } from 'node:crypto';
import type { Db, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { createSm2Key, type Sm2Key } from './sm2.ts';
import type { Vault } from './vault.ts';

/** A stored key pair of SM2. */
export interface StoredSm2Key extends Sm2Key {
  readonly id: string;
}

const contextOf = (id: string) => `sm2_key.private_key.${id}`;

/** Opens the key pairs, the newest first. Leaves out those that no data key opens. */
export async function readSm2Keys(db: Db | Tx, vault: Vault): Promise<readonly StoredSm2Key[]> {
  const { rows } = await sql<{ id: string; sealed: string }>`
    select id, private_key as sealed from sm2_key order by date_created desc, id`.execute(db);
  return rows.flatMap(({ id, sealed }) => {
    try {
      return [{ ...createSm2Key(Buffer.from(vault.open(sealed, contextOf(id)), 'base64')), id }];
    } catch {
      return [];
    }
  });
}

/** Returns the newest key pair, and makes the first one. */
export async function signingSm2Key(db: Db, vault: Vault): Promise<StoredSm2Key> {
  const [known] = await readSm2Keys(db, vault);
  if (known) return known;
  return db.transaction(async (tx) => {
    // Servers that start together share one key.
    await sql`select pg_advisory_xact_lock(hashtext('sallyport sm2 key'))`.execute(tx);
    const [stored] = await readSm2Keys(tx, vault);
    if (stored) return stored;
    const id = randomBytes(6).toString('hex');
    const key = createSm2Key();
    const sealed = vault.seal(key.privateKey.toString('base64'), contextOf(id));
    await sql`insert into sm2_key (id, private_key, public_key)
      values (${id}, ${sealed}, ${key.publicKey})`.execute(tx);
    return { ...key, id };
  });
}

/** The keys, the newest first. A fingerprint is SM3 of the public key in hexadecimal. */
export async function describeSm2Keys(
  db: Db,
): Promise<readonly { readonly fingerprint: string; readonly date: Date }[]> {
  const { rows } = await sql<{ key: string; date: Date }>`
    select encode(public_key, 'hex') as key, date_created as date from sm2_key
      order by date_created desc, id`.execute(db);
  return rows.map(({ key, date }) => ({
    fingerprint: createHash('sm3').update(key).digest('hex'),
    date,
  }));
}
