import { sql } from 'kysely';
import {
  type Caller,
  displayName,
  type ExternalSource,
  systemCaller,
} from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { transact } from '../../../platform/db/retry.ts';
import { Rejected } from '../../../platform/errors.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { Writer } from '../../../resources/write.ts';
import { lockGrants } from '../../perms/grants/lock.ts';
import { maySourceWrite } from '../policy.ts';
import { accountsNamed, addressFor, saveExternalAccounts, textOf } from './external-accounts.ts';

/** Where people sign in at a provider, by the name that the operate log shows. */
const SERVICES = { openid: 'OpenID', saml: 'SAML', cas: 'CAS' } as const satisfies Partial<
  Record<ExternalSource, string>
>;
export type ProviderSource = keyof typeof SERVICES;

/** What a provider has proved about a user. */
export interface ExternalIdentity {
  readonly source: ProviderSource;
  readonly issuer: string;
  readonly subject: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** The provider has verified the address. Otherwise it must not be used to find or update accounts. */
  readonly emailVerified: boolean;
  /** The provider gives the username, and people do not choose it: an account that was prepared under this name is this person's. */
  readonly usernameGiven: boolean;
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

type Refusal =
  | 'provider_username'
  | 'provider_username_taken'
  | 'provider_email_taken'
  | 'provider_other_source'
  | 'provider_no_account';
const refuse = (code: Refusal) => new Rejected(code, {}, { error: code });

/** What finding an account needs. */
export interface AccountOptions {
  readonly db: Db;
  readonly audit: AuditWriter;
  readonly accounts: Writer;
  /** Whether people without an account get one. */
  readonly mayCreate: boolean;
}

/**
 * The account of an external user, who is identified by source, issuer and subject only. At the first sign-in, an account that was prepared for
 * the user (of this source, without an identity yet, and with the verified address or the given username) is linked; otherwise a new one is
 * created. Accounts of other sources, and usernames and addresses of others, are never handed over.
 *
 * @throws AppError
 */
export async function accountOf(
  external: ExternalIdentity,
  remoteAddress: string,
  { db, audit, accounts: writer, mayCreate }: AccountOptions,
): Promise<string> {
  const settled = await byIdentity(external, db);
  // Most sign-ins change nothing, and do not wait for other writers of accounts.
  if (settled && isSame(external, settled)) return settled.id;
  return transact(db, async (tx) => {
    // Two first sign-ins of one user at the same time would both create an account: one waits here for the other.
    await lockGrants(tx);
    const writing = { writer, caller: systemCaller(SERVICES[external.source], remoteAddress), tx };
    const known = await byIdentity(external, tx);
    if (known) {
      await refresh(external, known, writing);
      return known.id;
    }
    const prepared = await findPrepared(external, tx);
    if (!prepared && !mayCreate) throw refuse('provider_no_account');
    const id = prepared?.id ?? (await create(external, writing));
    const { source, issuer, subject } = external;
    await sql`insert into external_identity (source, issuer, subject, user_id) values (${source}, ${issuer}, ${subject}, ${id})`.execute(
      tx,
    );
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
  const { rows } = await sql<Known & { source: string }>`
    update external_identity i set date_used = now() from account a
    where i.source = ${source} and i.issuer = ${issuer} and i.subject = ${subject} and a.id = i.user_id returning a.id, a.username, a.name, a.email, a.source`.execute(
    on,
  );
  const [row] = rows;
  // An administrator has changed the source of the account since.
  if (row && !maySourceWrite(source, row)) throw refuse('provider_other_source');
  return row;
}

interface Candidate extends Known {
  readonly source: string;
  readonly is_free: boolean;
}

async function findPrepared(
  { source, username, usernameGiven, email, emailVerified }: ExternalIdentity,
  tx: Tx,
): Promise<Known | undefined> {
  const { rows } = await sql<Candidate & { by_email: boolean }>`
    select a.id, a.username, a.name, a.email, a.source, not exists (select 1 from external_identity i where i.user_id = a.id) as is_free,
      lower(a.email) = lower(${email}) as by_email
    from account a where (${emailVerified} and lower(a.email) = lower(${email})) or (${usernameGiven} and lower(a.username) = lower(${username}))
    order by by_email`.execute(tx);
  const isTheirs = (row: Candidate) => row.is_free && maySourceWrite(source, row);
  if (usernameGiven) {
    const named = rows.find((row) => row.username.toLowerCase() === username.toLowerCase());
    if (named) {
      if (!isTheirs(named)) throw refuse('provider_username_taken');
      return named;
    }
  }
  const addressed = emailVerified ? rows.find(({ by_email }) => by_email) : undefined;
  if (addressed && !isTheirs(addressed)) throw refuse('provider_email_taken');
  return addressed;
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

/** Whether the provider's values equal the stored ones. An unverified address does not count. */
function isSame(external: ExternalIdentity, known: Known): boolean {
  return (
    nameOf(external, known) === known.name &&
    (!external.emailVerified || external.email === known.email)
  );
}

/** Name and verified address follow the provider; the username stays. */
async function refresh(external: ExternalIdentity, known: Known, writing: Writing): Promise<void> {
  if (isSame(external, known)) return;
  const { id } = known;
  const facts = { name: nameOf(external, known), email: known.email };
  // If the address is invalid or belongs to another account, the stored one stays.
  for (const one of external.emailVerified
    ? [{ ...facts, email: external.email }, facts]
    : [facts]) {
    const [outcome] = await saveExternalAccounts(external.source, [{ id, facts: one }], writing);
    if (outcome && 'id' in outcome) return;
  }
}
