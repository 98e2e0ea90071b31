import type { ErrorCode, ExternalSource, Problem, SourceState } from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import type { Writer } from '../../../resources/write/writer.ts';
import { lockGrants } from '../../perms/index.ts';
import { applyReportedGroups } from '../group-mappings/apply.ts';
import { readGroups } from '../group-mappings/read-groups.ts';
import type { ReportedGroups } from '../group-mappings/store.ts';
import { maySourceWrite } from '../policy.ts';
import { applySourceStates } from '../source-state/apply.ts';
import { isSameKind, keepProofs } from '../source-state/proof.ts';
import {
  accountsNamed,
  addressFor,
  type ExternalAccount,
  type ExternalFacts,
  type ExternalOutcome,
  type KnownAccount,
  saveExternalAccounts,
  textOf,
} from './external-accounts.ts';
import { foldedName } from './folded-name.ts';

/** A person at a source: the username and optional data. */
export interface ExternalPerson {
  readonly username: string;
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly wechat?: string;
  readonly comment?: string;
  /** Groups at the source; absent: unknown. */
  readonly groups?: readonly string[];
  /** State at the source; absent: unknown. */
  readonly state?: SourceState;
  /** Permanent id at the source. */
  readonly key?: string;
}

/** Result of an import for one person. */
export type Imported =
  | {
      readonly username: string;
      readonly result: 'created' | 'updated' | 'unchanged';
      readonly id: string;
    }
  | { readonly username: string; readonly result: 'refused'; readonly reason: ErrorCode };

/** Fields that a source may provide in addition to the username. */
const FACTS = [
  'name',
  'email',
  'phone',
  'wechat',
  'comment',
] as const satisfies readonly (keyof ExternalFacts)[];

/** Result before anything is written: `at` is the index of the account to write. */
type Verdict =
  | Imported
  | { readonly username: string; readonly result: 'created' | 'updated'; readonly at: number };

interface Comparison {
  readonly verdicts: readonly Verdict[];
  readonly accounts: readonly ExternalAccount[];
  /** The stored accounts by id. */
  readonly known: ReadonlyMap<string, KnownAccount>;
}

/**
 * Compares people of a source with the accounts. Each person gets a result; none is skipped
 * silently. Accounts of other sources are never changed.
 */
async function compare(
  source: ExternalSource,
  people: readonly ExternalPerson[],
  on: Db | Tx,
): Promise<Comparison> {
  const rows = await accountsNamed(
    people.map(({ username }) => username),
    on,
    people.flatMap(({ key }) => key ?? []),
  );
  const byKey = new Map(
    rows.flatMap((row) => (row.key && maySourceWrite(source, row) ? [[row.key, row]] : [])),
  );
  // A source treats usernames that differ only in case as one person; an exact match wins.
  const byName = new Map(rows.map((row) => [foldedName(row.username), row]));
  const exactly = new Map(rows.map((row) => [row.username, row]));
  const names = new Map<string, number>();
  for (const { username } of people)
    names.set(foldedName(username), (names.get(foldedName(username)) ?? 0) + 1);

  const accounts: ExternalAccount[] = [];
  const verdicts = people.map((person): Verdict => {
    const { username } = person;
    const refused = (reason: ErrorCode): Verdict => ({ username, result: 'refused', reason });
    if ((names.get(foldedName(username)) ?? 0) > 1) return refused('directory_ambiguous');
    const same = person.key ? byKey.get(person.key) : undefined;
    const known = same ?? exactly.get(username) ?? byName.get(foldedName(username));
    if (known && !maySourceWrite(source, known)) return refused('directory_other_source');
    // An account must not go to a new person with the username of an earlier one.
    if (known && isOtherPerson(known, person)) return refused('directory_other_person');
    const renamed = known && foldedName(known.username) !== foldedName(username);
    const facts = {
      name: textOf('name', person.name ?? '') || known?.name || username,
      // Keep an address entered in Sallyport if the source has none.
      email: person.email || known?.email || addressFor(username),
      phone: textOf('phone', person.phone ?? '') || known?.phone || null,
      wechat: person.wechat === undefined ? (known?.wechat ?? '') : textOf('wechat', person.wechat),
      comment: textOf('comment', person.comment ?? '') || known?.comment || null,
    };
    if (known && !renamed && FACTS.every((field) => facts[field] === known[field]))
      return { username: known.username, result: 'unchanged', id: known.id };
    accounts.push(
      known ? { id: known.id, facts, ...(renamed && { username }) } : { username, facts },
    );
    const at = accounts.length - 1;
    return known
      ? { username: renamed ? username : known.username, result: 'updated', at }
      : { username, result: 'created', at };
  });
  return { verdicts, accounts, known: new Map(rows.map((row) => [row.id, row])) };
}

/** Returns true if the source has another permanent id for the username of an account. */
const isOtherPerson = ({ key }: KnownAccount, person: ExternalPerson): boolean =>
  key !== null && person.key !== undefined && key !== person.key && isSameKind(key, person.key);

export interface ImportContext {
  readonly source: ExternalSource;
  /**
   * Whose states are applied: of new accounts, or of all. A complete read applies those of existing
   * accounts, with its own limit.
   */
  readonly states?: 'new' | 'all';
  readonly db: Db;
  readonly writer: Writer;
  /** The source, with the user who requested the import. */
  readonly caller: Caller;
}

/**
 * Creates or updates accounts of people. The operate log records each change under the caller's
 * name.
 */
export const importPeople = (
  people: readonly ExternalPerson[],
  { db, ...context }: ImportContext,
): Promise<Imported[]> => transact(db, (tx) => importIn(people, context, tx));

/** Imports people in a transaction of the caller. */
export async function importIn(
  people: readonly ExternalPerson[],
  { source, states = 'new', writer, caller }: Omit<ImportContext, 'db'>,
  tx: Tx,
): Promise<Imported[]> {
  // Serializes imports: two with the same people would both find them missing.
  await lockGrants(tx);
  const { verdicts, accounts } = await compare(source, people, tx);
  const outcomes = await saveExternalAccounts(source, accounts, { writer, caller, tx });
  const imported = verdicts.map((verdict) =>
    'at' in verdict ? importedOf(verdict, outcomes[verdict.at]) : verdict,
  );
  const told = imported.flatMap((one, at) => {
    const state = people[at]?.state;
    const isIn = states === 'all' || one.result === 'created';
    return 'id' in one && state && isIn ? [{ id: one.id, state }] : [];
  });
  await applySourceStates(told, { writer, caller, tx });
  await keepProofs(
    imported.flatMap((one, at) => ('id' in one ? [{ id: one.id, key: people[at]?.key }] : [])),
    tx,
  );
  if (source === 'ldap')
    await applyReportedGroups(source, reportedBy(people, imported), caller.actor.remoteAddress, tx);
  return imported;
}

/**
 * Returns the groups of imported people. A list without any group says nothing: the attribute may
 * be unreadable. One person without groups has none.
 */
function reportedBy(
  people: readonly ExternalPerson[],
  imported: readonly Imported[],
): ReportedGroups[] {
  if (people.length > 1 && people.every(({ groups = [] }) => groups.length === 0)) return [];
  return imported.flatMap((one, at) => {
    const groups = readGroups(people[at]?.groups);
    return 'id' in one && groups ? [{ userId: one.id, groups }] : [];
  });
}

function importedOf(
  { username, result }: Pick<Extract<Verdict, { at: number }>, 'username' | 'result'>,
  outcome: ExternalOutcome | undefined,
): Imported {
  if (outcome && 'id' in outcome) return { username, result, id: outcome.id };
  return {
    username,
    result: 'refused',
    reason: outcome ? reasonOf(outcome.field, outcome.problem) : 'conflict',
  };
}

/** Returns why a person was not imported, as an error of sources. */
function reasonOf(field: string, { code }: Problem): ErrorCode {
  if (field === 'username' && code !== 'not_unique') return 'directory_username';
  if (code !== 'not_unique') return code;
  return field === 'email' ? 'directory_email_taken' : 'directory_other_source';
}

/** Returns true if the person of an account has the stored state, and no groups then or now. */
const isAsStored = (known: KnownAccount | undefined, { state, key, groups = [] }: ExternalPerson) =>
  known !== undefined &&
  (state === undefined || state === known.source_state) &&
  (key === undefined || key === known.key) &&
  groups.length === 0 &&
  !known.has_groups;

/**
 * Imports a person at sign-in. Without groups most sign-ins change nothing, and do not wait for
 * changes of permissions.
 */
export async function importPerson(
  person: ExternalPerson,
  context: ImportContext,
): Promise<Imported | undefined> {
  const { verdicts, known } = await compare(context.source, [person], context.db);
  const [verdict] = verdicts;
  if (verdict?.result === 'refused') return verdict;
  if (verdict && !('at' in verdict) && isAsStored(known.get(verdict.id), person)) return verdict;
  const [imported] = await importPeople([person], { ...context, states: 'all' });
  return imported;
}
