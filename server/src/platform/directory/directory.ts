import type { Entry } from 'ldapts';
import type { DirectoryConfig, DirectoryPerson, PersonField } from './config.ts';
import { type Connection, withDirectory } from './connection.ts';
import { filterOf, filterOfAll, USER_PLACE } from './filter.ts';
import { RESULT, resultCodeOf } from './result-code.ts';
import type { Trace, Traced } from './trace.ts';

const PAGE = 1_000;
/** More than anybody has; a filter that matches everything must not fill the memory. */
const MAX_PEOPLE = 200_000;
const ASK_DEADLINE = 30_000;
const LIST_DEADLINE = 10 * 60_000;
const NEEDED: readonly PersonField[] = ['username', 'name', 'email'];

/** The result of a successful query. */
export interface Found<T> {
  readonly found: T;
  readonly steps: readonly Traced[];
}

/** How a list comes along. */
export interface Listing {
  readonly signal?: AbortSignal;
  /** After each page, with the number of people so far. */
  readonly onPage?: (count: number) => Promise<void>;
}

/** What must be right before a directory is searched; the settings cannot say it by themselves. */
function assertReadable({ bases, filter, attributes }: DirectoryConfig, trace: Trace): void {
  trace.begin('search');
  if (bases.length === 0) throw new Error('The user OU is blank');
  if (!filter.includes(USER_PLACE)) throw new Error(`The filter lacks ${USER_PLACE}`);
  const missing = NEEDED.filter((field) => !attributes[field]);
  if (missing.length > 0) throw new Error(`The attribute map lacks ${missing.join(', ')}`);
}

/** Names of attributes are the same in any case, and the directory writes them its own way. */
function firstValue(entry: Entry, attribute: string | undefined): string {
  if (!attribute) return '';
  const name = Object.keys(entry).find(
    (candidate) => candidate.toLowerCase() === attribute.toLowerCase() && candidate !== 'dn',
  );
  const value = name === undefined ? undefined : entry[name];
  const [first] = Array.isArray(value) ? value : [value];
  return first === undefined ? '' : first.toString().replaceAll('\0', '').trim();
}

function personOf(entry: Entry, { attributes }: DirectoryConfig): DirectoryPerson {
  const fields = Object.entries(attributes).map(
    ([field, attribute]) => [field, firstValue(entry, attribute)] as const,
  );
  return {
    ...Object.fromEntries(fields.filter(([, value]) => value !== '')),
    dn: entry.dn,
    username: firstValue(entry, attributes.username),
  };
}

const attributesOf = ({ attributes }: DirectoryConfig) => [...new Set(Object.values(attributes))];

/** Connects and binds as for a search, and searches nothing. @throws DirectoryError */
export async function reachDirectory(config: DirectoryConfig): Promise<void> {
  await withDirectory(config, ASK_DEADLINE, async () => undefined);
}

/** All people that the filter finds. @throws DirectoryError */
export function listPeople(
  config: DirectoryConfig,
  { signal, onPage }: Listing = {},
): Promise<Found<DirectoryPerson[]>> {
  return withDirectory(
    config,
    LIST_DEADLINE,
    async ({ client, trace }) => {
      assertReadable(config, trace);
      // The same person may be below two of the search bases.
      const people = new Map<string, DirectoryPerson>();
      for (const base of config.bases) {
        const pages = client.searchPaginated(base, {
          scope: 'sub',
          filter: filterOfAll(config.filter),
          attributes: attributesOf(config),
          paged: { pageSize: PAGE },
        });
        for await (const { searchEntries } of pages) {
          for (const entry of searchEntries)
            people.set(entry.dn.toLowerCase(), personOf(entry, config));
          if (people.size > MAX_PEOPLE) throw new Error(`More than ${MAX_PEOPLE} entries match`);
          await onPage?.(people.size);
        }
      }
      trace.passed(config.bases.join(' | '));
      trace.begin('match');
      const named = [...people.values()].filter(({ username }) => username !== '');
      if (named.length === 0)
        throw trace.failure(`No entry matches ${filterOfAll(config.filter)}`, true);
      trace.passed(String(named.length));
      return { found: named, steps: trace.steps };
    },
    signal,
  );
}

/** The one person of a name. */
async function findPerson(
  { client, trace }: Connection,
  config: DirectoryConfig,
  username: string,
): Promise<DirectoryPerson> {
  assertReadable(config, trace);
  const filter = filterOf(config.filter, username);
  const people = new Map<string, DirectoryPerson>();
  for (const base of config.bases) {
    try {
      const { searchEntries } = await client.search(base, {
        scope: 'sub',
        filter,
        attributes: attributesOf(config),
        sizeLimit: 2,
      });
      for (const entry of searchEntries)
        people.set(entry.dn.toLowerCase(), personOf(entry, config));
    } catch (error) {
      if (resultCodeOf(error) !== RESULT.sizeLimitExceeded) throw error;
      trace.begin('match');
      throw trace.failure(`Several people are found by ${filter}`, true);
    }
  }
  trace.passed(config.bases.join(' | '));
  trace.begin('match');
  const [person, another] = people.values();
  if (!person) throw trace.failure(`No entry matches ${filter}`, true);
  if (another) throw trace.failure(`Several people are found by ${filter}`, true);
  if (person.username === '' || person.dn === '')
    throw trace.failure('The person has no username', true);
  trace.passed(person.dn);
  return person;
}

/** Finds a person and checks the password: the one code path for testing and for signing in. @throws DirectoryError */
export function checkPerson(
  config: DirectoryConfig,
  username: string,
  password: string,
): Promise<Found<DirectoryPerson>> {
  return withDirectory(config, ASK_DEADLINE, async (connection) => {
    const { client, trace } = connection;
    trace.hide(password);
    const person = await findPerson(connection, config, username);
    trace.begin('user_bind');
    // A directory lets a name without a password in as a visitor, which proves nothing (RFC 4513 §5.1.2).
    if (password === '') throw trace.failure('The password is blank', true);
    try {
      await client.bind(person.dn, password);
    } catch (error) {
      const code = resultCodeOf(error);
      throw trace.failure(
        error,
        code !== undefined && code !== RESULT.busy && code !== RESULT.unavailable,
      );
    }
    trace.passed(person.dn);
    return { found: person, steps: trace.steps };
  });
}
