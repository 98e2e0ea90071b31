import type { PasskeyMessage } from '@sallyport/contract';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { PublicContext } from '../../../http/context.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Forbidden, Rejected } from '../../../platform/errors.ts';
import { isOwnOrigin } from '../authenticator.ts';

/** The site of a passkey. Browsers offer a passkey only on the site where it was created. */
export interface Site {
  readonly domain: string;
  readonly origin: string;
}

/**
 * Returns the site of a request.
 * @throws AppError unless one of our pages sent it
 */
export function siteOf({ request }: PublicContext, publicUrl: string | undefined): Site {
  const { origin } = request.headers;
  if (!origin || !isOwnOrigin(request, publicUrl)) throw new Forbidden('origin_refused');
  return { domain: new URL(origin).hostname, origin };
}

const CHALLENGE_MINUTES = 5;
const NAME = 'Sallyport';
/**
 * Ed25519, P-256 and RSA in order of preference (COSE registry), which all browsers and keys
 * support.
 */
const ALGORITHMS = [-8, -7, -257];

interface Stored {
  id: string;
  user_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
}

/** A browser's response to `beginRegistration`. */
interface PasskeyRegistration {
  readonly holder: string;
  readonly userId: string;
  readonly name: string;
  readonly response: unknown;
  readonly site: Site;
}

/** Passkeys of the Web Authentication API. A challenge belongs to one holder and is valid once. */
export interface Passkeys {
  beginRegistration(
    holder: string,
    account: { id: string; username: string; name: string },
    site: Site,
  ): Promise<PasskeyMessage>;
  /**
   * Stores a new passkey and returns its id.
   * @throws AppError passkey_failed
   */
  finishRegistration(registration: PasskeyRegistration, tx: Tx): Promise<string>;
  /** Without `userId`, the owner of any passkey here may answer, with user verification. */
  beginAuthentication(
    holder: string,
    userId: string | undefined,
    site: Site,
  ): Promise<PasskeyMessage>;
  /** Returns the account of the answering passkey; undefined if the answer is invalid. */
  finishAuthentication(
    holder: string,
    userId: string | undefined,
    response: unknown,
    site: Site,
  ): Promise<string | undefined>;
}

/** Loaded with the first passkey: the module takes megabytes, and many servers never need it. */
const library = () => import('@simplewebauthn/server');

/**
 * Returns the challenge that a response claims to answer; the caller verifies it by deleting the
 * stored challenge.
 */
function challengeIn(response: unknown): string {
  try {
    const { clientDataJSON } = (response as { response: { clientDataJSON: string } }).response;
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
      challenge: unknown;
    };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

class StoredPasskeys implements Passkeys {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async beginRegistration(
    holder: string,
    account: { id: string; username: string; name: string },
    site: Site,
  ): Promise<PasskeyMessage> {
    const { generateRegistrationOptions } = await library();
    const options = await generateRegistrationOptions({
      rpName: NAME,
      rpID: site.domain,
      userName: account.username,
      userDisplayName: account.name,
      userID: Uint8Array.from(Buffer.from(account.id.replaceAll('-', ''), 'hex')),
      attestationType: 'none',
      supportedAlgorithmIDs: ALGORITHMS,
      excludeCredentials: (await this.#ofAccount(account.id)).map((key) => ({
        id: key.credential_id,
        transports: key.transports,
      })),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    });
    await this.#keepChallenge(options.challenge, `new ${holder}`, account.id);
    return { ...options };
  }

  async finishRegistration(
    { holder, userId, name, response, site }: PasskeyRegistration,
    tx: Tx,
  ): Promise<string> {
    const expectedChallenge = await this.#takeChallenge(response, `new ${holder}`, userId);
    if (!expectedChallenge) throw new Rejected('passkey_failed');
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo: info } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge,
      expectedOrigin: site.origin,
      expectedRPID: site.domain,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch(() => ({ registrationInfo: undefined }));
    if (!info) throw new Rejected('passkey_failed');
    const { id, publicKey, counter, transports } = info.credential;
    const { rows } = await sql<{ id: string }>`
      insert into passkey (user_id, credential_id, public_key, counter, transports, name, synced)
      values (${userId}, ${id}, ${Buffer.from(publicKey)}, ${counter},
        ${(transports ?? []).map(String).slice(0, 8)}, ${name}, ${info.credentialBackedUp})
      on conflict (credential_id) do nothing returning id`.execute(tx);
    if (!rows[0]) throw new Rejected('passkey_failed');
    return rows[0].id;
  }

  async beginAuthentication(
    holder: string,
    userId: string | undefined,
    site: Site,
  ): Promise<PasskeyMessage> {
    const { generateAuthenticationOptions } = await library();
    const options = await generateAuthenticationOptions({
      rpID: site.domain,
      userVerification: userId ? 'preferred' : 'required',
      ...(userId && {
        allowCredentials: (await this.#ofAccount(userId)).map((key) => ({
          id: key.credential_id,
          transports: key.transports,
        })),
      }),
    });
    await this.#keepChallenge(options.challenge, holder, userId);
    return { ...options };
  }

  async finishAuthentication(
    holder: string,
    userId: string | undefined,
    response: unknown,
    site: Site,
  ): Promise<string | undefined> {
    const expectedChallenge = await this.#takeChallenge(response, holder, userId);
    if (!expectedChallenge) return undefined;
    const { id } = response as { id: unknown };
    const { rows } = await sql<Stored>`
      select id, user_id, credential_id, public_key, counter, transports from passkey
      where credential_id = ${String(id)}`.execute(this.#db);
    const [key] = rows;
    if (!key || (userId !== undefined && key.user_id !== userId)) return undefined;
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge,
      expectedOrigin: site.origin,
      expectedRPID: site.domain,
      // A passkey alone counts as both factors, so it must have verified its user.
      requireUserVerification: userId === undefined,
      credential: {
        id: key.credential_id,
        publicKey: Uint8Array.from(key.public_key),
        counter: key.counter,
      },
    }).catch(() => ({ verified: false, authenticationInfo: undefined }));
    if (!verified || !info) return undefined;
    // A counter that does not grow reveals a copied key. The library checked it above; this check
    // rejects the second of two parallel answers.
    const used = await sql`
      update passkey set counter = ${info.newCounter}, date_last_used = now()
      where id = ${key.id} and (counter < ${info.newCounter} or ${info.newCounter} = 0)
      returning 1`.execute(this.#db);
    return used.rows.length > 0 ? key.user_id : undefined;
  }

  async #keepChallenge(
    challenge: string,
    holder: string,
    userId: string | undefined,
  ): Promise<void> {
    await sql`
      insert into passkey_challenge (challenge, holder, user_id, date_expired)
      values (${challenge}, ${holder}, ${userId ?? null},
        now() + make_interval(mins => ${CHALLENGE_MINUTES}))`.execute(this.#db);
  }

  /** Deletes a challenge and returns it, if the response answers it. */
  async #takeChallenge(
    response: unknown,
    holder: string,
    userId: string | undefined,
    on: Db | Tx = this.#db,
  ): Promise<string | undefined> {
    const { rows } = await sql<{ challenge: string }>`
      delete from passkey_challenge
      where challenge = ${challengeIn(response)} and holder = ${holder}
        and user_id is not distinct from ${userId ?? null}::uuid and date_expired > now()
      returning challenge`.execute(on);
    return rows[0]?.challenge;
  }

  async #ofAccount(userId: string): Promise<Stored[]> {
    return (
      await sql<Stored>`select id, user_id, credential_id, public_key, counter, transports from passkey where user_id = ${userId}`.execute(
        this.#db,
      )
    ).rows;
  }
}

export const createPasskeys = (db: Db): Passkeys => new StoredPasskeys(db);
