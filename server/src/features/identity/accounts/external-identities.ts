import { type DutyOrNone, type ProviderSource, sourceOf } from '@sallyport/contract';
import { type Caller, displayName, systemCaller } from '../../../platform/actor.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { Rejected } from '../../../platform/errors.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { Writer } from '../../../resources/write/writer.ts';
import { lockGrants } from '../../perms/index.ts';
import { maySourceWrite } from '../policy.ts';
import { accountsNamed, addressFor, saveExternalAccounts, textOf } from './external-accounts.ts';
import { foldedName } from './folded-name.ts';

/** A user's identity that a provider has verified. */
export interface ExternalIdentity {
  readonly source: ProviderSource;
  readonly issuer: string;
  readonly subject: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /**
   * True if the provider has verified the address. An unverified address must not be used to find
   * or update accounts.
   */
  readonly emailVerified: boolean;
  /**
   * True if the provider assigns the username, so that users cannot choose it. An account prepared
   * under this name then belongs to this user.
   */
  readonly usernameGiven: boolean;
  /**
   * Value of the claim or attribute with groups; null: the provider sent none; undefined: not read.
   */
  readonly groups?: unknown;
}

interface Known {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
}

interface Writing {
  readonly writer: Writer;
  readonly caller: Caller;
  readonly tx: Tx;
}

type Refusal =
  | 'provider_username'
  | 'provider_username_taken'
  | 'provider_email_taken'
  | 'provider_other_source'
  | 'provider_no_account'
  | 'duty_provider';
const refuse = (code: Refusal) => new Rejected(code, {}, { error: code });

export interface AccountOptions {
  readonly db: Db;
  readonly audit: AuditWriter;
  readonly accounts: Writer;
  /** True if users without an account get one. */
  readonly mayCreate: boolean;
}

/**
 * Returns the account of an external user, who is identified by source, issuer and subject only.
 * The first sign-in links a prepared account: of this source, without an identity, and with the
 * verified address or the assigned username. Otherwise it creates an account. Accounts, usernames
 * and addresses of other users are never taken over.
 *
 * @throws AppError
 */
export async function accountOf(
  external: ExternalIdentity,
  remoteAddress: string,
  { db, audit, accounts: writer, mayCreate }: AccountOptions,
): Promise<string> {
  const current = await byIdentity(external, db);
  // Most sign-ins change nothing and take no lock.
  if (current && isSame(external, current)) return current.id;
  return transact(db, async (tx) => {
    // Serializes first sign-ins: two of the same user would both create an account.
    await lockGrants(tx);
    const writing = {
      writer,
      caller: systemCaller(sourceOf(external.source).service, remoteAddress),
      tx,
    };
    const known = await byIdentity(external, tx);
    if (known) {
      await refresh(external, known, writing);
      return known.id;
    }
    const prepared = await findPrepared(external, tx);
    if (!prepared && !mayCreate) throw refuse('provider_no_account');
    const id = prepared?.id ?? (await create(external, writing));
    const { source, issuer, subject } = external;
    await sql`
      insert into external_identity (source, issuer, subject, user_id)
      values (${source}, ${issuer}, ${subject}, ${id})`.execute(tx);
    if (prepared) {
      const changes = { [`${source}_subject`]: [null, subject] as const };
      await audit(tx, writing.caller, {
        action: 'update',
        resourceType: 'user',
        resource: displayName(prepared),
        resourceId: id,
        changes,
      });
    }
    return id;
  });
}

async function byIdentity(
  { source, issuer, subject }: ExternalIdentity,
  on: Db | Tx,
): Promise<Known | undefined> {
  const { rows } = await sql<Known & Owner>`
    update external_identity i set date_used = now() from account a
    where i.source = ${source} and i.issuer = ${issuer} and i.subject = ${subject}
      and a.id = i.user_id
    returning a.id, a.username, a.name, a.email, a.source, a.duty`.execute(on);
  const [row] = rows;
  // An administrator has changed the account's source since.
  if (row && !maySourceWrite(source, row)) throw refusalOf(row, 'provider_other_source');
  return row;
}

interface Owner {
  readonly source: string;
  readonly duty: DutyOrNone;
}

/** Refuses the account of another source. A provider belongs to a duty, so it reaches no holder. */
const refusalOf = ({ duty }: Owner, code: Refusal): Rejected =>
  refuse(duty === '' ? code : 'duty_provider');

interface Candidate extends Known, Owner {
  readonly is_free: boolean;
}

/**
 * Condition: account `a` has an address. `lower` is indexed, but maps other letters to ASCII, such
 * as the Kelvin sign, which belongs to another mailbox.
 */
const hasEmail = (email: string): Sql => sql`(lower(a.email) = lower(${email})
  and folded_name(a.email) = folded_name(${email}))`;

async function findPrepared(
  { source, username, usernameGiven, email, emailVerified }: ExternalIdentity,
  tx: Tx,
): Promise<Known | undefined> {
  const { rows } = await sql<Candidate & { by_email: boolean }>`
    select a.id, a.username, a.name, a.email, a.source, a.duty,
      not exists (select 1 from external_identity i where i.user_id = a.id) as is_free,
      ${hasEmail(email)} as by_email
    from account a
    where (${emailVerified} and ${hasEmail(email)})
      or (${usernameGiven} and folded_name(a.username) = folded_name(${username}))
    order by by_email`.execute(tx);
  const isTheirs = (row: Candidate) => row.is_free && maySourceWrite(source, row);
  if (usernameGiven) {
    const sameName = rows.find((row) => foldedName(row.username) === foldedName(username));
    if (sameName) {
      if (!isTheirs(sameName)) throw refusalOf(sameName, 'provider_username_taken');
      return sameName;
    }
  }
  const sameAddress = emailVerified ? rows.find(({ by_email }) => by_email) : undefined;
  if (sameAddress && !isTheirs(sameAddress)) throw refusalOf(sameAddress, 'provider_email_taken');
  return sameAddress;
}

async function create(
  { source, username, name, email, emailVerified }: ExternalIdentity,
  writing: Writing,
): Promise<string> {
  if ((await accountsNamed([username], writing.tx)).length > 0)
    throw refuse('provider_username_taken');
  const facts = { name: textOf('name', name) || username, email: addressFor(username) };
  // An unverified address could lock out its real owner.
  const attempts = emailVerified ? [{ ...facts, email }, facts] : [facts];
  for (const one of attempts) {
    const [outcome] = await saveExternalAccounts(source, [{ username, facts: one }], writing);
    if (outcome && 'id' in outcome) return outcome.id;
    if (outcome?.field === 'username' && outcome.problem.code !== 'not_unique')
      throw refuse('provider_username');
  }
  throw refuse('provider_username_taken');
}

const nameOf = ({ name }: ExternalIdentity, known: Known) => textOf('name', name) || known.name;

/**
 * Returns true if the provider's values equal the stored ones. An unverified address does not
 * count.
 */
function isSame(external: ExternalIdentity, known: Known): boolean {
  return (
    nameOf(external, known) === known.name &&
    (!external.emailVerified || external.email === known.email)
  );
}

/** Updates name and verified address from the provider; keeps the username. */
async function refresh(external: ExternalIdentity, known: Known, writing: Writing): Promise<void> {
  if (isSame(external, known)) return;
  const { id } = known;
  const facts = { name: nameOf(external, known), email: known.email };
  // If the address is invalid or taken, the stored one stays.
  for (const one of external.emailVerified
    ? [{ ...facts, email: external.email }, facts]
    : [facts]) {
    const [outcome] = await saveExternalAccounts(external.source, [{ id, facts: one }], writing);
    if (outcome && 'id' in outcome) return;
  }
}
