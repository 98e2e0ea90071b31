/** Current settings of a directory. */
export interface DirectoryConfig {
  readonly uri: string;
  /** Encrypts by STARTTLS; the connection fails without it. */
  readonly startTls: boolean;
  /** Blank: anonymous bind. */
  readonly bindDn: string;
  readonly bindPassword: string;
  /** Search bases, in order. */
  readonly bases: readonly string[];
  /** Contains `%(user)s` in place of the username. */
  readonly filter: string;
  /** Attributes of the directory, by our field. */
  readonly attributes: AttributeMap;
  /** Trusted certificate authorities (PEM) in place of those of the machine. */
  readonly authorities: readonly string[] | undefined;
}

/** Fields of a person in a directory. */
export const PERSON_FIELDS = ['username', 'name', 'email', 'phone', 'wechat', 'comment'] as const;
export type PersonField = (typeof PERSON_FIELDS)[number];
export type AttributeMap = Readonly<Partial<Record<PersonField, string>>>;

/** A person in a directory. */
export interface DirectoryPerson extends Readonly<Partial<Record<PersonField, string>>> {
  readonly dn: string;
  readonly username: string;
}

/** Parses an attribute map from an object or JSON; undefined if it is invalid. */
export function readAttributeMap(value: unknown): AttributeMap | undefined {
  let map = value;
  if (typeof value === 'string') {
    try {
      map = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return undefined;
  const entries = Object.entries(map as Record<string, unknown>);
  const isGood = entries.every(
    ([field, attribute]) =>
      PERSON_FIELDS.some((known) => known === field) && typeof attribute === 'string',
  );
  if (!isGood) return undefined;
  return Object.fromEntries(
    entries
      .map(([field, attribute]) => [field, String(attribute).trim()])
      .filter(([, attribute]) => attribute !== ''),
  );
}
