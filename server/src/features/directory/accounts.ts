import type { ErrorCode } from '@sallyport/contract';
import { sql } from 'kysely';
import { displayName } from '../../http/actor.ts';
import type { AuditEntry, AuditWriter, Author } from '../../http/resource/hooks.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DirectoryPerson } from '../../platform/directory/config.ts';
import { takeTurn } from '../perms/grants/turn.ts';

/** What became of one person. */
export type Taken =
  | {
      readonly username: string;
      readonly result: 'created' | 'updated' | 'unchanged';
      readonly id: string;
      readonly name: string;
      readonly changes?: NonNullable<AuditEntry['changes']>;
    }
  | { readonly username: string; readonly result: 'refused'; readonly reason: ErrorCode };

const USERNAME = /^[\w@.-]{1,128}$/;
const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/;
/** What a directory says of people, beside their username. */
const TOLD = ['name', 'email', 'phone', 'wechat', 'comment'] as const;
const MAX = { name: 128, email: 128, phone: 20, wechat: 128, comment: 1_000 };

interface Known {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly wechat: string;
  readonly comment: string | null;
  readonly source: string;
}

type Written = Omit<Known, 'source'>;

const cut = (text: string | undefined, max: number) =>
  text === undefined
    ? undefined
    : text
        .replace(/\p{Cc}/gu, ' ')
        .trim()
        .slice(0, max);

/** Somebody without an address gets one that leads nowhere: every account has one of its own. */
const emailOf = ({ email, username }: DirectoryPerson) => (email === undefined || email === '' ? `${username.replaceAll('@', '.')}@localhost` : email);

/**
 * Makes or refreshes the accounts of people of a directory; each gets a result and nobody is left out in silence. An account that belongs
 * to somebody else, by its source or by its e-mail address, is never touched.
 */
async function takeOver(people: readonly DirectoryPerson[], tx: Tx): Promise<Taken[]> {
  // Two who take over the same people at once would both find them missing.
  await sql`select pg_advisory_xact_lock(hashtext('sallyport directory accounts'))`.execute(tx);
  const { rows } = await sql<Known>`
    select id, username, name, email, phone, wechat, comment, source from account
    where lower(username) = any(${people.map(({ username }) => username.toLowerCase())}) or lower(email) = any(${people.map((person) => emailOf(person).toLowerCase())})
    order by id for update`.execute(tx);
  // Names that differ in their case only are one person to a directory; the very name goes first.
  const byName = new Map(rows.map((row) => [row.username.toLowerCase(), row]));
  const exactly = new Map(rows.map((row) => [row.username, row]));
  const ownerOf = new Map(rows.map((row) => [row.email.toLowerCase(), row.id]));
  const names = new Map<string, number>();
  for (const { username } of people) names.set(username.toLowerCase(), (names.get(username.toLowerCase()) ?? 0) + 1);

  const creates: Omit<Written, 'id'>[] = [];
  const updates: Written[] = [];
  const verdicts = people.map((person): Taken | (() => Taken) => {
    const { username } = person;
    const refused = (reason: ErrorCode): Taken => ({ username, result: 'refused', reason });
    const email = emailOf(person);
    if (!USERNAME.test(username)) return refused('not_username');
    if ((names.get(username.toLowerCase()) ?? 0) > 1) return refused('directory_ambiguous');
    if (email.length > MAX.email || !EMAIL.test(email)) return refused('not_email');
    const known = exactly.get(username) ?? byName.get(username.toLowerCase());
    if (known && known.source !== 'ldap') return refused('directory_other_source');
    const owner = ownerOf.get(email.toLowerCase());
    if (owner !== undefined && owner !== known?.id) return refused('directory_email_taken');
    ownerOf.set(email.toLowerCase(), known?.id ?? username);
    const told = {
      name: cut(person.name, MAX.name) || known?.name || username,
      // An address that was typed here is kept when the directory knows none.
      email: person.email ? email : (known?.email ?? email),
      phone: cut(person.phone, MAX.phone) || known?.phone || null,
      wechat: cut(person.wechat, MAX.wechat) ?? known?.wechat ?? '',
      comment: cut(person.comment, MAX.comment) || known?.comment || null,
    };
    if (!known) {
      creates.push({ username, ...told });
      return () => {
        const id = made.get(username);
        return id ? { username, result: 'created', id, name: told.name, changes: { source: [null, 'ldap'] } } : refused('conflict');
      };
    }
    const changed = TOLD.filter((field) => told[field] !== known[field]);
    const same = { username: known.username, id: known.id, name: told.name };
    if (changed.length === 0) return { ...same, result: 'unchanged' };
    updates.push({ id: known.id, username: known.username, ...told });
    return { ...same, result: 'updated', changes: Object.fromEntries(changed.map((field) => [field, [known[field], told[field]]])) };
  });
  const made = await create(creates, tx);
  await update(updates, tx);
  return verdicts.map((verdict) => (typeof verdict === 'function' ? verdict() : verdict));
}

/** Whose doing it is, and where that is kept. */
interface Keeping {
  readonly db: Db;
  readonly audit: AuditWriter;
  readonly author: { readonly actor: Author };
}

async function takeOverAndTell(people: readonly DirectoryPerson[], { audit, author }: Keeping, tx: Tx): Promise<Taken[]> {
  const taken = await takeOver(people, tx);
  await audit(tx, author, ...entriesOf(taken));
  return taken;
}

/** Takes people over; what became of whom is in the operate log under the author's name. */
export function importPeople(people: readonly DirectoryPerson[], keeping: Keeping): Promise<Taken[]> {
  return keeping.db.transaction().execute(async (tx) => {
    await takeTurn(tx);
    return takeOverAndTell(people, keeping, tx);
  });
}

/** Takes somebody over who signs in, which is not to wait for others who change what people are granted. */
export async function keepPerson(person: DirectoryPerson, keeping: Keeping): Promise<Taken | undefined> {
  const [taken] = await keeping.db.transaction().execute((tx) => takeOverAndTell([person], keeping, tx));
  return taken;
}

/** How the operate log keeps what became of people; nothing of those who stayed as they were. */
function entriesOf(taken: readonly Taken[]): AuditEntry[] {
  return taken.flatMap((one) => {
    if (one.result === 'refused' || !one.changes) return [];
    const { id, changes, result } = one;
    return [{ action: result === 'created' ? 'create' : 'update', resourceType: 'user', resource: displayName(one), resourceId: id, changes }];
  });
}

const COLUMNS = sql`as p (id uuid, username text, name text, email text, phone text, wechat text, comment text)`;

async function create(people: readonly Omit<Written, 'id'>[], tx: Tx): Promise<Map<string, string>> {
  if (people.length === 0) return new Map();
  const { rows } = await sql<{ id: string; username: string }>`
    insert into account (username, name, email, phone, wechat, comment, source, created_by)
    select p.username, p.name, p.email, p.phone, p.wechat, p.comment, 'ldap', 'LDAP' from jsonb_to_recordset(${JSON.stringify(people)}::jsonb) ${COLUMNS}
    on conflict do nothing returning id, username`.execute(tx);
  return new Map(rows.map(({ id, username }) => [username, id]));
}

async function update(people: readonly Written[], tx: Tx): Promise<void> {
  if (people.length === 0) return;
  await sql`
    update account a set name = p.name, email = p.email, phone = p.phone, wechat = p.wechat, comment = p.comment
    from jsonb_to_recordset(${JSON.stringify(people)}::jsonb) ${COLUMNS} where a.id = p.id and a.source = 'ldap'`.execute(tx);
}
