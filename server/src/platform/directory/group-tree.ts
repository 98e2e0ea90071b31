import type { Client, Entry } from 'ldapts';
import { attributeIn } from './person-state.ts';
import { RESULT, resultCodeOf } from './trace.ts';

/** Attributes of Active Directory that name the primary group, which `memberOf` lacks. */
export const PRIMARY_GROUP_ATTRIBUTES = ['primaryGroupID', 'objectSid'] as const;

/** Groups that are read at once. */
const BATCH = 32;
/** Limit of the groups of a directory. */
const MAX_GROUPS = 100_000;

/** Answers for a group that is no entry, is elsewhere, or is hidden from the bind DN. */
const UNREADABLE: readonly (number | undefined)[] = [
  RESULT.referral,
  RESULT.noSuchObject,
  RESULT.invalidDnSyntax,
  RESULT.insufficientAccessRights,
];

/** A group, and the groups that contain it. */
interface GroupEntry {
  /** The name that the directory sends; undefined for an unreadable group. */
  readonly dn: string | undefined;
  readonly parents: readonly string[];
}

/** The groups of a person that are known before the tree is read. */
export interface DirectGroups {
  readonly groups: readonly string[];
  /** Name of the primary group for a search; absent outside of Active Directory. */
  readonly primary?: string;
}

/**
 * Returns the name of the primary group, such as `<SID=S-1-5-21-1-2-3-513>`, which Active Directory
 * takes as the base of a search (MS-ADTS 3.1.1.3.1.2.4). The domain of the SID is that of the user.
 */
export function primaryGroupOf(entry: Entry): string | undefined {
  const [sid] = [attributeIn(entry, 'objectSid') ?? []].flat();
  const [id] = [attributeIn(entry, 'primaryGroupID') ?? []].flat().map(String);
  if (!Buffer.isBuffer(sid) || id === undefined || !/^\d{1,10}$/.test(id)) return undefined;
  // MS-DTYP 2.4.2.2: revision, count, six bytes of authority, and little-endian numbers.
  const count = sid[1] ?? 0;
  if (count < 1 || sid.length !== 8 + 4 * count) return undefined;
  const parts = Array.from({ length: count - 1 }, (_, at) => sid.readUInt32LE(8 + 4 * at));
  return `<SID=S-${[sid[0], sid.readUIntBE(2, 6), ...parts, id].join('-')}>`;
}

/**
 * Adds the primary group and all groups that contain a group of a person, over any number of
 * levels. The directory answers for each group once, by the same attribute as for people: Active
 * Directory, and OpenLDAP with its memberof overlay. `LDAP_MATCHING_RULE_IN_CHAIN` needs a search
 * over all groups for each person, exists in Active Directory only, and omits the primary group.
 */
export class GroupTree {
  private readonly client: Client;
  private readonly attribute: string;
  private readonly entries = new Map<string, GroupEntry>();

  constructor(client: Client, attribute: string) {
    this.client = client;
    this.attribute = attribute;
  }

  /** Returns the groups of each person, in the order of `people`. */
  async expand(people: readonly DirectGroups[]): Promise<readonly (readonly string[])[]> {
    let unread = people.flatMap(startsOf);
    while (unread.length > 0) unread = await this.readLevel(unread);
    return people.map((person) => this.containing(person));
  }

  /** Reads groups, and returns those that contain them. */
  private async readLevel(names: readonly string[]): Promise<string[]> {
    const missing = [...new Set(names)].filter((name) => !this.entries.has(name));
    if (this.entries.size + missing.length > MAX_GROUPS)
      throw new Error(`More than ${MAX_GROUPS} groups contain the users`);
    for (let at = 0; at < missing.length; at += BATCH) {
      const batch = missing.slice(at, at + BATCH);
      const read = await Promise.all(batch.map((name) => this.readGroup(name)));
      for (const [index, name] of batch.entries()) {
        const entry = read[index];
        if (entry) this.entries.set(name, entry);
      }
    }
    return missing.flatMap((name) => this.entries.get(name)?.parents ?? []);
  }

  private async readGroup(name: string): Promise<GroupEntry> {
    try {
      const { searchEntries } = await this.client.search(name, {
        scope: 'base',
        attributes: [this.attribute],
      });
      const [entry] = searchEntries;
      if (!entry) return { dn: undefined, parents: [] };
      return { dn: entry.dn, parents: await valuesIn(this.client, entry, this.attribute) };
    } catch (error) {
      if (!UNREADABLE.includes(resultCodeOf(error))) throw error;
      return { dn: undefined, parents: [] };
    }
  }

  private containing(person: DirectGroups): readonly string[] {
    const names = new Set(person.groups);
    const primary = person.primary ? this.entries.get(person.primary) : undefined;
    if (primary?.dn !== undefined) {
      names.add(primary.dn);
      for (const parent of primary.parents) names.add(parent);
    }
    // A set also visits the names that are added meanwhile, so cycles end.
    for (const name of names)
      for (const parent of this.entries.get(name)?.parents ?? []) names.add(parent);
    return [...names];
  }
}

const startsOf = ({ groups, primary }: DirectGroups): string[] =>
  primary === undefined ? [...groups] : [...groups, primary];

const textsIn = (entry: Entry, attribute: string): readonly string[] =>
  [attributeIn(entry, attribute) ?? []].flat().map(String);

/**
 * Returns all values of an attribute as texts. Active Directory sends long lists in ranges, as
 * `memberOf;range=0-1499`, and the last one with `*` (MS-ADTS 3.1.1.3.1.3.3).
 */
export async function valuesIn(
  client: Client,
  entry: Entry,
  attribute: string,
): Promise<readonly string[]> {
  const values = [...textsIn(entry, attribute)];
  for (let part: Entry | undefined = entry; part; ) {
    const prefix = `${attribute.toLowerCase()};range=`;
    const name = Object.keys(part).find((one) => one.toLowerCase().startsWith(prefix));
    const [, last] = /;range=\d+-(\d+|\*)$/i.exec(name ?? '') ?? [];
    if (name === undefined || last === undefined) break;
    const more = textsIn(part, name);
    values.push(...more);
    if (last === '*' || more.length === 0) break;
    if (values.length > MAX_GROUPS)
      throw new Error(`More than ${MAX_GROUPS} values of ${attribute}`);
    const { searchEntries } = await client.search(entry.dn, {
      scope: 'base',
      attributes: [`${attribute};range=${values.length}-*`],
    });
    [part] = searchEntries;
  }
  return values;
}
