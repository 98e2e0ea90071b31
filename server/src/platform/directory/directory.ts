import type { Client, Entry } from 'ldapts';
import {
  type Connection,
  type DirectoryConfig,
  type DirectoryPerson,
  type PersonField,
  withDirectory,
} from './connection.ts';
import {
  type DirectGroups,
  GroupTree,
  PRIMARY_GROUP_ATTRIBUTES,
  primaryGroupOf,
  valuesIn,
} from './group-tree.ts';
import { createPolicyControls, type PolicyAnswer } from './password-policy.ts';
import {
  attributeIn,
  BINARY_ATTRIBUTES,
  keyOf,
  PERSON_ATTRIBUTES,
  stateOf,
} from './person-state.ts';
import { readRefusal } from './refusal.ts';
import { RESULT, resultCodeOf, type Trace, type Traced } from './trace.ts';

/** Placeholder of the username in a filter. */
export const USER_PLACE = '%(user)s';

const SPECIAL = /[\\*()\0]/g;

/** Escapes the special characters of a filter value (RFC 4515 §3). */
export function escapeFilterValue(value: string): string {
  return value.replace(
    SPECIAL,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** Returns the filter for one username. */
export function filterOf(template: string, username: string): string {
  // A function, because `replaceAll` would interpret `$&` in a name.
  return template.replaceAll(USER_PLACE, () => escapeFilterValue(username));
}

/** Returns the filter that matches every person. */
export function filterOfAll(template: string): string {
  return template.replaceAll(USER_PLACE, () => '*');
}

const PAGE = 1_000;
/**
 * Above the size of any real directory. Keeps a filter that matches everything from filling the
 * memory.
 */
const MAX_PEOPLE = 200_000;
const ASK_DEADLINE = 30_000;
const LIST_DEADLINE = 10 * 60_000;
const NEEDED: readonly PersonField[] = ['username', 'name', 'email'];

/** Result of a successful query, with its steps. */
export interface DirectoryResult<T> {
  readonly result: T;
  readonly steps: readonly Traced[];
}

export interface Listing {
  readonly signal?: AbortSignal;
  /** Called after each page with the number of people so far. */
  readonly onPage?: (count: number) => Promise<void>;
}

/** All people that match the filter. */
export interface PeopleList {
  readonly people: DirectoryPerson[];
  /** True if the directory says that a part of its tree is on another server. */
  readonly isPartial: boolean;
}

/** Parts of an Active Directory that hold no people; each search of its root refers to them. */
const WITHOUT_PEOPLE = /(?:^|\/)(?:cn=configuration|dc=(?:domain|forest)dnszones),/i;

function refersToPeople(reference: string): boolean {
  const path = reference.replace(/^ldaps?:\/\/[^/]*/i, '');
  return !WITHOUT_PEOPLE.test(path);
}

/** Checks requirements of a search that a single setting cannot check. */
function assertReadable({ bases, filter, attributes }: DirectoryConfig, trace: Trace): void {
  trace.begin('search');
  if (bases.length === 0) throw new Error('The user OU is blank');
  if (!filter.includes(USER_PLACE)) throw new Error(`The filter lacks ${USER_PLACE}`);
  const missing = NEEDED.filter((field) => !attributes[field]);
  if (missing.length > 0) throw new Error(`The attribute map lacks ${missing.join(', ')}`);
}

function firstValue(entry: Entry, attribute: string | undefined): string {
  const value = attribute ? attributeIn(entry, attribute) : undefined;
  const [first] = Array.isArray(value) ? value : [value];
  return first === undefined ? '' : first.toString().replaceAll('\0', '').trim();
}

/** A person as the search finds it, before containing groups are read. */
interface FoundPerson extends DirectoryPerson {
  readonly primary?: string;
}

async function personOf(
  entry: Entry,
  { attributes, groups }: DirectoryConfig,
  client: Client,
): Promise<FoundPerson> {
  const fields = Object.entries(attributes).map(
    ([field, attribute]) => [field, firstValue(entry, attribute)] as const,
  );
  // A directory sends no attribute without values.
  const reported = groups ? await valuesIn(client, entry, groups) : undefined;
  const primary = primaryGroupOf(entry);
  const key = keyOf(entry);
  return {
    state: stateOf(entry),
    ...(key !== undefined && { key }),
    ...(reported && { groups: reported }),
    ...(primary !== undefined && { primary }),
    ...Object.fromEntries(fields.filter(([, value]) => value !== '')),
    dn: entry.dn,
    username: firstValue(entry, attributes.username),
  };
}

const attributesOf = ({ attributes, groups, hasNestedGroups }: DirectoryConfig) => [
  ...new Set([
    ...Object.values(attributes),
    ...(groups ? [groups] : []),
    ...(groups && hasNestedGroups ? PRIMARY_GROUP_ATTRIBUTES : []),
    ...PERSON_ATTRIBUTES,
  ]),
];

/** Returns people with all their groups. */
async function withGroups(
  people: readonly FoundPerson[],
  client: Client,
  { groups: attribute, hasNestedGroups }: DirectoryConfig,
): Promise<DirectoryPerson[]> {
  const plain = people.map(({ primary: _primary, ...person }) => person);
  if (!attribute || !hasNestedGroups) return plain;
  const direct = people.map(
    ({ groups = [], primary }): DirectGroups => ({ groups, ...(primary && { primary }) }),
  );
  const groups = await new GroupTree(client, attribute).expand(direct);
  return plain.map((person, at) => ({ ...person, groups: groups[at] ?? [] }));
}

/**
 * Connects and binds as for a search, without searching.
 * @throws DirectoryError
 */
export async function reachDirectory(config: DirectoryConfig): Promise<void> {
  await withDirectory(config, ASK_DEADLINE, async () => undefined);
}

/**
 * Lists all people that match the filter.
 * @throws DirectoryError
 */
export function listPeople(
  config: DirectoryConfig,
  { signal, onPage }: Listing = {},
): Promise<DirectoryResult<PeopleList>> {
  return withDirectory(
    config,
    LIST_DEADLINE,
    async ({ client, trace }) => {
      assertReadable(config, trace);
      // A person may be below two of the search bases.
      const people = new Map<string, FoundPerson>();
      let isPartial = false;
      for (const base of config.bases) {
        const pages = client.searchPaginated(base, {
          scope: 'sub',
          filter: filterOfAll(config.filter),
          attributes: attributesOf(config),
          explicitBufferAttributes: BINARY_ATTRIBUTES,
          paged: { pageSize: PAGE },
        });
        for await (const { searchEntries, searchReferences } of pages) {
          isPartial ||= searchReferences.some(refersToPeople);
          for (const entry of searchEntries)
            people.set(entry.dn.toLowerCase(), await personOf(entry, config, client));
          if (people.size > MAX_PEOPLE) throw new Error(`More than ${MAX_PEOPLE} entries match`);
          await onPage?.(people.size);
        }
      }
      const withUsername = await withGroups(
        [...people.values()].filter(({ username }) => username !== ''),
        client,
        config,
      );
      trace.passed(config.bases.join(' | '));
      trace.begin('match');
      if (withUsername.length === 0)
        throw trace.failure(`No entry matches ${filterOfAll(config.filter)}`);
      trace.passed(String(withUsername.length));
      return { result: { people: withUsername, isPartial }, steps: trace.steps };
    },
    signal,
  );
}

/** Finds exactly one person by username. */
async function findPerson(
  { client, trace }: Connection,
  config: DirectoryConfig,
  username: string,
): Promise<DirectoryPerson> {
  assertReadable(config, trace);
  const filter = filterOf(config.filter, username);
  const people = new Map<string, FoundPerson>();
  const elsewhere: string[] = [];
  for (const base of config.bases) {
    try {
      const { searchEntries, searchReferences } = await client.search(base, {
        scope: 'sub',
        filter,
        attributes: attributesOf(config),
        explicitBufferAttributes: BINARY_ATTRIBUTES,
        sizeLimit: 2,
      });
      elsewhere.push(...searchReferences.filter(refersToPeople));
      for (const entry of searchEntries)
        people.set(entry.dn.toLowerCase(), await personOf(entry, config, client));
    } catch (error) {
      if (resultCodeOf(error) !== RESULT.sizeLimitExceeded) throw error;
      trace.begin('match');
      throw trace.failure(`Several people are found by ${filter}`, 'ambiguous');
    }
  }
  trace.passed(config.bases.join(' | '));
  trace.begin('match');
  const [person, another] = people.values();
  if (!person) {
    const more = elsewhere.length > 0 ? `; not searched: ${elsewhere.join(', ')}` : '';
    throw trace.failure(`No entry matches ${filter}${more}`, 'unknown_name');
  }
  if (another) throw trace.failure(`Several people are found by ${filter}`, 'ambiguous');
  if (person.username === '' || person.dn === '')
    throw trace.failure('The person has no username', 'no_username');
  const [full = person] = await withGroups([person], client, config);
  trace.passed(person.dn);
  return full;
}

/** A person whose password was right, with the state of the password. */
export interface CheckedPerson extends DirectoryPerson {
  readonly password: Pick<PolicyAnswer, 'graceLeft' | 'expiresIn'>;
}

/**
 * Finds a person and checks the password. Tests and sign-ins share this code.
 * @throws DirectoryError
 */
export function checkPerson(
  config: DirectoryConfig,
  username: string,
  password: string,
): Promise<DirectoryResult<CheckedPerson>> {
  return withDirectory(config, ASK_DEADLINE, async (connection) => {
    const { client, trace } = connection;
    trace.hide(password);
    const person = await findPerson(connection, config, username);
    trace.begin('user_bind');
    // A directory accepts a name without a password as anonymous, which proves nothing (RFC 4513
    // §5.1.2).
    if (password === '') throw trace.failure('The password is blank', 'wrong_password');
    const policy = await createPolicyControls();
    try {
      await client.bind(person.dn, password, policy.controls);
    } catch (error) {
      throw trace.failure(error, readRefusal(error, policy.answer()));
    }
    const { error, graceLeft, expiresIn } = policy.answer();
    // The bind succeeds, but the directory allows nothing before a new password.
    if (error) throw trace.failure(`The directory reports: ${error.replaceAll('_', ' ')}`, error);
    trace.passed(person.dn);
    return { result: { ...person, password: { graceLeft, expiresIn } }, steps: trace.steps };
  });
}
