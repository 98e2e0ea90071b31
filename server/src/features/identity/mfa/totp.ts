import type { TotpBegin } from '@sallyport/contract';
import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Issuer of codes in authenticator apps. */
const ISSUER = 'Sallyport';
const PERIOD = 30;
/** Accepted clock difference in steps, either way. */
const WINDOW = 1;
const OFFER_MINUTES = 10;

const generator = (secret: string, label = '') =>
  new TOTP({
    issuer: ISSUER,
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD,
  });

/** Returns the time step of a code; undefined if the code is not currently valid. */
function stepOfCode(secret: string, code: string): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const now = Date.now();
  const delta = generator(secret).validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : TOTP.counter({ period: PERIOD, timestamp: now }) + delta;
}

/** Time-based one-time passwords (RFC 6238): 30 seconds, six digits, each code valid once. */
export interface Totp {
  /** Offers a new secret to the holder, which takes effect when a code confirms it. */
  begin(
    holder: string,
    account: { readonly id: string; readonly username: string },
  ): Promise<TotpBegin>;
  /** Stores the offered secret for the account if the code is right, replacing an older one. */
  confirm(holder: string, userId: string, code: string, tx: Tx): Promise<boolean>;
  /** Consumes a code; returns true if it is right and unused. */
  use(userId: string, code: string): Promise<boolean>;
  remove(userId: string, tx: Tx): Promise<void>;
}

/** Creates one-time passwords; secrets are stored sealed. */
export function createTotp(db: Db, vault: Vault): Totp {
  return {
    async begin(holder, account) {
      const secret = new Secret({ size: 20 }).base32;
      await sql`
        insert into totp_offer (holder, user_id, secret, date_expired)
        values (${holder}, ${account.id}, ${vault.seal(secret, `totp_offer.secret.${holder}`)},
          now() + make_interval(mins => ${OFFER_MINUTES}))
        on conflict (holder) do update set user_id = excluded.user_id,
          secret = excluded.secret, date_expired = excluded.date_expired`.execute(db);
      const uri = generator(secret, account.username).toString();
      return { secret, uri, qr_svg: renderSVG(uri, { ecc: 'M', border: 2 }) };
    },
    async confirm(holder, userId, code, tx) {
      const { rows } = await sql<{ secret: string }>`
        select secret from totp_offer
        where holder = ${holder} and user_id = ${userId} and date_expired > now()
        for update`.execute(tx);
      if (!rows[0]) return false;
      const secret = vault.open(rows[0].secret, `totp_offer.secret.${holder}`);
      const step = stepOfCode(secret, code);
      if (step === undefined) return false;
      await sql`
        insert into totp (user_id, secret, last_step)
        values (${userId}, ${vault.seal(secret, `totp.secret.${userId}`)}, ${step})
        on conflict (user_id) do update set secret = excluded.secret,
          last_step = excluded.last_step, date_created = now()`.execute(tx);
      await sql`delete from totp_offer where holder = ${holder}`.execute(tx);
      return true;
    },
    async use(userId, code) {
      const { rows } = await sql<{
        secret: string;
      }>`select secret from totp where user_id = ${userId}`.execute(db);
      if (!rows[0]) return false;
      const step = stepOfCode(vault.open(rows[0].secret, `totp.secret.${userId}`), code);
      if (step === undefined) return false;
      // A single statement: of two parallel requests with the same code, one fails. A step that no
      // code of now can reach was used while the clock was ahead, and must not lock the account.
      const used = await sql`
        update totp set last_step = ${step}
        where user_id = ${userId} and (last_step < ${step} or last_step > ${step + 2 * WINDOW})
        returning 1`.execute(db);
      return used.rows.length > 0;
    },
    async remove(userId, tx) {
      await sql`delete from totp where user_id = ${userId}`.execute(tx);
      await sql`delete from totp_offer where user_id = ${userId}`.execute(tx);
    },
  };
}
