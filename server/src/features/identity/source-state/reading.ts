import type { ExternalSource, SourceState } from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { lockGrants } from '../../perms/index.ts';
import { foldedName } from '../accounts/folded-name.ts';
import { applyReportedGroups } from '../group-mappings/apply.ts';
import { readGroups } from '../group-mappings/read-groups.ts';
import { type ApplyContext, applySourceStates, isShut, type ToldState } from './apply.ts';
import { isSameKind, keepProofs } from './proof.ts';

/** A person in a complete list of a source. */
export interface ListedPerson {
  readonly username: string;
  readonly state?: SourceState;
  readonly key?: string;
  readonly groups?: readonly string[];
}

interface KnownAtSource {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly key: string | null;
  readonly has_groups: boolean;
  /** True if the source shut the account within the day, and no administrator confirmed it. */
  readonly is_shut_lately: boolean;
  /** True if the source confirmed the user after the read began. */
  readonly is_newer: boolean;
}

/** A person whose access a read ends. */
export interface ToShut extends ToldState {
  readonly username: string;
  readonly name: string;
}

/** A read that would shut many people, and changes nothing until an administrator confirms it. */
export interface HeldReading {
  readonly people: readonly ToShut[];
  /** Accounts of the source that are active, or lost access within the day. */
  readonly of: number;
  /** Accounts that lost access within the day, and count towards the limit. */
  readonly recent: number;
}

/**
 * A read that brings the people shut within a day above this number, and above this share, has to
 * be confirmed. A limit for each read alone would let a broken source shut all people one by one.
 */
const MOST_SHUT = 5;
const MOST_SHARE = 0.1;

/**
 * Finds the person of each account: by the permanent id, else by the username. A person with the
 * username and another id must not inherit keys and permissions.
 */
function createFinder(people: readonly ListedPerson[]) {
  const byKey = new Map(people.flatMap((person) => (person.key ? [[person.key, person]] : [])));
  const byName = Map.groupBy(people, ({ username }) => foldedName(username));
  return ({ key, username }: KnownAtSource): ListedPerson | 'ambiguous' | undefined => {
    const same = key === null ? undefined : byKey.get(key);
    if (same) return same;
    const [named, ...others] = (byName.get(foldedName(username)) ?? []).filter(
      (person) => key === null || person.key === undefined || !isSameKind(person.key, key),
    );
    if (others.length === 0) return named;
    // Only the state counts of several people, as the id of one could be that of another person.
    const areShut = [named, ...others].every((person) => isShut(person?.state ?? 'listed'));
    return areShut ? { username, state: named?.state ?? 'disabled' } : 'ambiguous';
  };
}

async function accountsOf(
  source: ExternalSource,
  { confirmed, began }: { readonly confirmed: Date | null; readonly began: Date },
  tx: Db | Tx,
): Promise<readonly KnownAtSource[]> {
  const { rows } = await sql<KnownAtSource>`
    select a.id, a.username, a.name, a.is_active, p.source_key as key,
      coalesce(cardinality(g.groups) > 0, false) as has_groups,
      coalesce(a.date_shut_by_source > now() - interval '1 day'
        and (${confirmed}::timestamptz is null or a.date_shut_by_source > ${confirmed}), false)
        as is_shut_lately,
      coalesce(p.date_proved, a.date_joined) >= ${began} as is_newer
    from account a left join source_proof p on p.user_id = a.id
      left join provider_groups g on g.user_id = a.id and g.source = a.source
    where a.source = ${source} order by a.id`.execute(tx);
  return rows;
}

interface ReadingContext extends ApplyContext {
  /** The list may lack people, so each account that it shuts needs a confirmation. */
  readonly isUnsure: boolean;
  /** When an administrator last confirmed a read: people shut until then no longer count. */
  readonly confirmed: Date | null;
  /** Time of the database at which the read began. */
  readonly began: Date;
}

/**
 * Returns true if a list lacks the person of an active account. The source may have moved or
 * renamed the entry between two pages of the list: read it again before the person counts as gone.
 */
export async function lacksPeople(
  source: ExternalSource,
  people: readonly ListedPerson[],
  began: Date,
  db: Db,
): Promise<boolean> {
  const find = createFinder(people);
  const accounts = await accountsOf(source, { confirmed: null, began }, db);
  return accounts.some((account) => account.is_active && !account.is_newer && !find(account));
}

/** Adds the people of an earlier list that a later one lacks: one of both may have missed them. */
export function joinLists<Person extends ListedPerson>(
  earlier: readonly Person[],
  later: readonly Person[],
): Person[] {
  const keys = new Set(later.flatMap(({ key }) => key ?? []));
  const names = new Set(later.map(({ username }) => foldedName(username)));
  const isListed = ({ key, username }: Person) =>
    (key !== undefined && keys.has(key)) || names.has(foldedName(username));
  return [...later, ...earlier.filter((person) => !isListed(person))];
}

/**
 * Applies a complete list of a source: states, groups, and missing people.
 *
 * @returns the people that would be shut, if a confirmation is needed; nothing has changed then
 */
export async function applyReading(
  source: Extract<ExternalSource, 'ldap'>,
  people: readonly ListedPerson[],
  { isUnsure, confirmed, began, ...context }: ReadingContext,
): Promise<HeldReading | undefined> {
  const { caller, tx } = context;
  await lockGrants(tx);
  const accounts = await accountsOf(source, { confirmed, began }, tx);
  const find = createFinder(people);
  const matches = accounts.flatMap((account) => {
    const person = find(account);
    // A person who signed in during the read is at the source, though the list may be older.
    const isUnknown = person === 'ambiguous' || (!person && account.is_newer);
    return isUnknown ? [] : [{ account, person }];
  });
  const told = matches.map(({ account: { id }, person }) => ({
    id,
    state: person ? (person.state ?? 'listed') : ('gone' as const),
  }));
  const shut = told.flatMap(({ id, state }, at) => {
    const account = matches[at]?.account;
    if (!account?.is_active || !isShut(state)) return [];
    return [{ id, state, username: account.username, name: account.name }];
  });
  const shutNow = new Set(shut.map(({ id }) => id));
  const recent = accounts.filter((one) => one.is_shut_lately && !shutNow.has(one.id)).length;
  const of = accounts.filter((one) => one.is_active || one.is_shut_lately).length;
  const inDay = shut.length + recent;
  const isMany = inDay > MOST_SHUT && inDay > of * MOST_SHARE;
  if (shut.length > 0 && (isMany || isUnsure)) return { people: shut, of, recent };
  await applySourceStates(told, context);
  const listed = matches.flatMap(({ account, person }) => (person ? [{ account, person }] : []));
  await keepProofs(
    listed.map(({ account: { id }, person: { key } }) => ({ id, key })),
    tx,
  );
  await applyReportedGroups(source, groupsIn(listed), caller.actor.remoteAddress, tx);
  return undefined;
}

/**
 * Returns the groups of listed people. If the list has no group and many accounts had some,
 * the attribute is probably unreadable.
 */
function groupsIn(
  listed: readonly { readonly account: KnownAtSource; readonly person: ListedPerson }[],
) {
  const isEmpty = listed.every(({ person: { groups = [] } }) => groups.length === 0);
  const had = listed.filter(({ account }) => account.has_groups).length;
  if (isEmpty && had > MOST_SHUT) return [];
  return listed.flatMap(({ account: { id, has_groups }, person }) => {
    const groups = readGroups(person.groups);
    return groups && (groups.length > 0 || has_groups) ? [{ userId: id, groups }] : [];
  });
}
