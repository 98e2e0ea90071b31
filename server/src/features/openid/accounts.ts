import { sql } from 'kysely';
import { displayName } from '../../http/actor.ts';
import { Refusal } from '../../http/problem.ts';
import type { AuditEntry, AuditWriter } from '../../http/resource/hooks.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { serviceAuthor } from '../audits/operate-log.ts';

/** Somebody for whom a provider has answered. */
export interface Stranger {
  readonly issuer: string;
  readonly subject: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** The provider says that the address is theirs. Only then does it count for anything. */
  readonly emailVerified: boolean;
}

const USERNAME = /^[\w@.-]{1,128}$/;
const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/;
const refuse = (code: 'openid_username' | 'openid_username_taken' | 'openid_email_taken' | 'openid_other_source') =>
  new Refusal(400, code, {}, { error: code });

/**
 * The account of somebody, who is known by their subject alone. At the first time an account that was made for them and waits (its source is
 * OpenID, nobody has come for it, and its verified address is theirs) becomes theirs; otherwise they get a new one. Accounts of other sources,
 * names and addresses of others are never handed over.
 *
 * @throws Refusal
 */
export async function accountOf(stranger: Stranger, remoteAddress: string, { db, audit }: { readonly db: Db; readonly audit: AuditWriter }): Promise<string> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('sallyport directory accounts'))`.execute(tx);
    const known = await byIdentity(stranger, tx);
    const waits = known === undefined ? await waiting(stranger, tx) : undefined;
    const id = known ?? waits ?? (await create(stranger, tx));
    let changes: NonNullable<AuditEntry['changes']> = { source: [null, 'openid'] };
    if (known !== undefined) changes = await refresh(stranger, id, tx);
    else {
      await sql`insert into external_identity (issuer, subject, user_id) values (${stranger.issuer}, ${stranger.subject}, ${id})`.execute(tx);
      if (waits !== undefined) changes = { openid_subject: [null, stranger.subject] };
    }
    if (Object.keys(changes).length > 0) {
      const { rows } = await sql<{ name: string; username: string }>`select name, username from account where id = ${id}`.execute(tx);
      const resource = rows[0] ? displayName(rows[0]) : id;
      const action = known === undefined && waits === undefined ? 'create' : 'update';
      await audit(tx, serviceAuthor('OpenID', remoteAddress), { action, resourceType: 'user', resource, resourceId: id, changes });
    }
    return id;
  });
}

async function byIdentity({ issuer, subject }: Stranger, tx: Tx): Promise<string | undefined> {
  const { rows } = await sql<{ user_id: string; source: string }>`
    update external_identity i set date_used = now() from account a
    where i.issuer = ${issuer} and i.subject = ${subject} and a.id = i.user_id returning i.user_id, a.source`.execute(tx);
  const [row] = rows;
  // An administrator has given the account another way in since.
  if (row && row.source !== 'openid') throw refuse('openid_other_source');
  return row?.user_id;
}

async function waiting({ email, emailVerified }: Stranger, tx: Tx): Promise<string | undefined> {
  if (!emailVerified) return undefined;
  const { rows } = await sql<{ id: string; is_free: boolean }>`
    select a.id, a.source = 'openid' and not exists (select 1 from external_identity i where i.user_id = a.id) as is_free
    from account a where lower(a.email) = lower(${email})`.execute(tx);
  const [row] = rows;
  if (row && !row.is_free) throw refuse('openid_email_taken');
  return row?.id;
}

async function create({ username, name, email, emailVerified }: Stranger, tx: Tx): Promise<string> {
  if (!USERNAME.test(username)) throw refuse('openid_username');
  // An address that nobody has verified would keep its owner out.
  const address = emailVerified && EMAIL.test(email) && email.length <= 128 ? email : `${username.replaceAll('@', '.')}@localhost`;
  const { rows } = await sql<{ id: string }>`
    insert into account (username, name, email, source, created_by)
    select ${username}, ${shown(name) || username}, ${address}, 'openid', 'OpenID'
    where not exists (select 1 from account a where lower(a.username) = lower(${username}) or lower(a.email) = lower(${address}))
    on conflict do nothing returning id`.execute(tx);
  const [made] = rows;
  if (!made) throw refuse('openid_username_taken');
  return made.id;
}

/** Name and verified address follow the provider; the username is the account's own. Answers what is another now. */
async function refresh({ name, email, emailVerified }: Stranger, id: string, tx: Tx): Promise<NonNullable<AuditEntry['changes']>> {
  const { rows } = await sql<{ name: string; email: string; is_free: boolean }>`
    select name, email, not exists (select 1 from account a where lower(a.email) = lower(${email}) and a.id <> ${id}) as is_free
    from account where id = ${id} for update`.execute(tx);
  const [now] = rows;
  if (!now) return {};
  const isGood = emailVerified && now.is_free && EMAIL.test(email) && email.length <= 128;
  const after = { name: shown(name) || now.name, email: isGood ? email : now.email };
  await sql`update account set name = ${after.name}, email = ${after.email} where id = ${id}`.execute(tx);
  return Object.fromEntries((['name', 'email'] as const).filter((field) => after[field] !== now[field]).map((field) => [field, [now[field], after[field]]]));
}

const shown = (name: string) =>
  name
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 128);
