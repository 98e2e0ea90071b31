import { sql } from 'kysely';
import { type Caller, displayName, systemCaller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { transact } from '../../platform/db/retry.ts';
import { Rejected } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import type { Writer } from '../../resources/write.ts';
import { accountsNamed, addressFor, saveExternalAccounts, textOf } from '../identity/accounts/external-accounts.ts';
import { maySourceWrite } from '../identity/policy.ts';
import { lockGrants } from '../perms/grants/lock.ts';

/** What a provider has proved about a user. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** The provider has verified the address. Otherwise it must not be used to find or update accounts. */
  readonly emailVerified: boolean;
}

interface Known {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
}

/** What writing an account needs. */
interface Writing {
  readonly writer: Writer;
  readonly caller: Caller;
  readonly tx: Tx;
}

const refuse = (code: 'openid_username' | 'openid_username_taken' | 'openid_email_taken' | 'openid_other_source') => new Rejected(code, {}, { error: code });

/**
 * The account of an external user, who is identified by issuer and subject only. At the first sign-in, an account that was prepared for the user
 * (its source is OpenID, it has no identity yet, and the verified address matches) is linked; otherwise a new one is created. Accounts of other
 * sources, and usernames and addresses of others, are never handed over.
 *
 * @throws AppError
 */
export async function accountOf(
  external: ExternalIdentity,
  remoteAddress: string,
  { db, audit, accounts: writer }: { readonly db: Db; readonly audit: AuditWriter; readonly accounts: Writer },
): Promise<string> {
  const settled = await byIdentity(external, db);
  // Most sign-ins change nothing, and do not wait for other writers of accounts.
  if (settled && isSame(external, settled)) return settled.id;
  return transact(db, async (tx) => {
    // Two first sign-ins of one user at the same time would both create an account: one waits here for the other.
    await lockGrants(tx);
    const writing = { writer, caller: systemCaller('OpenID', remoteAddress), tx };
    const known = await byIdentity(external, tx);
    if (known) {
      await refresh(external, known, writing);
      return known.id;
    }
    const prepared = await findPrepared(external, tx);
    const id = prepared?.id ?? (await create(external, writing));
    await sql`insert into external_identity (issuer, subject, user_id) values (${external.issuer}, ${external.subject}, ${id})`.execute(tx);
    if (prepared) {
      const changes = { openid_subject: [null, external.subject] as const };
      await audit(tx, writing.caller, { action: 'update', resourceType: 'user', resource: displayName(prepared), resourceId: id, changes });
    }
    return id;
  });
}

async function byIdentity({ issuer, subject }: ExternalIdentity, on: Db | Tx): Promise<Known | undefined> {
  const { rows } = await sql<Known & { source: string }>`
    update external_identity i set date_used = now() from account a
    where i.issuer = ${issuer} and i.subject = ${subject} and a.id = i.user_id returning a.id, a.username, a.name, a.email, a.source`.execute(on);
  const [row] = rows;
  // An administrator has changed the source of the account since.
  if (row && !maySourceWrite('openid', row)) throw refuse('openid_other_source');
  return row;
}

async function findPrepared({ email, emailVerified }: ExternalIdentity, tx: Tx): Promise<Known | undefined> {
  if (!emailVerified) return undefined;
  const { rows } = await sql<Known & { source: string; is_free: boolean }>`
    select a.id, a.username, a.name, a.email, a.source, not exists (select 1 from external_identity i where i.user_id = a.id) as is_free
    from account a where lower(a.email) = lower(${email})`.execute(tx);
  const [row] = rows;
  if (row && !(row.is_free && maySourceWrite('openid', row))) throw refuse('openid_email_taken');
  return row;
}

async function create({ username, name, email, emailVerified }: ExternalIdentity, writing: Writing): Promise<string> {
  if ((await accountsNamed([username], writing.tx)).length > 0) throw refuse('openid_username_taken');
  const facts = { name: textOf('name', name) || username, email: addressFor(username) };
  // An unverified address could lock out its real owner.
  const attempts = emailVerified ? [{ ...facts, email }, facts] : [facts];
  for (const one of attempts) {
    const [outcome] = await saveExternalAccounts('openid', [{ username, facts: one }], writing);
    if (outcome && 'id' in outcome) return outcome.id;
    if (outcome?.field === 'username' && outcome.problem.code !== 'not_unique') throw refuse('openid_username');
  }
  throw refuse('openid_username_taken');
}

const nameOf = ({ name }: ExternalIdentity, known: Known) => textOf('name', name) || known.name;

/** Whether the provider's values equal the stored ones. An unverified address does not count. */
function isSame(external: ExternalIdentity, known: Known): boolean {
  return nameOf(external, known) === known.name && (!external.emailVerified || external.email === known.email);
}

/** Name and verified address follow the provider; the username stays. */
async function refresh(external: ExternalIdentity, known: Known, writing: Writing): Promise<void> {
  if (isSame(external, known)) return;
  const { id } = known;
  const facts = { name: nameOf(external, known), email: known.email };
  // If the address is invalid or belongs to another account, the stored one stays.
  for (const one of external.emailVerified ? [{ ...facts, email: external.email }, facts] : [facts]) {
    const [outcome] = await saveExternalAccounts('openid', [{ id, facts: one }], writing);
    if (outcome && 'id' in outcome) return;
  }
}
