/** How a directory is reached and read, as the settings name it at this moment. */
export interface DirectoryConfig {
  readonly uri: string;
  /** TLS on a connection that begins in the open, and nothing without it. */
  readonly startTls: boolean;
  /** Blank: searches as a visitor. */
  readonly bindDn: string;
  readonly bindPassword: string;
  /** Where people are looked for, one after the other. */
  readonly bases: readonly string[];
  /** With `%(user)s` at the place of the name. */
  readonly filter: string;
  /** Attribute of the directory by what it is here. */
  readonly attributes: AttributeMap;
  /** Certificates (PEM) to trust in place of those of the machine. */
  readonly authorities: readonly string[] | undefined;
}

/** What a directory knows of people. */
export const PERSON_FIELDS = ['username', 'name', 'email', 'phone', 'wechat', 'comment'] as const;
export type PersonField = (typeof PERSON_FIELDS)[number];
export type AttributeMap = Readonly<Partial<Record<PersonField, string>>>;

/** A person as a directory knows them. */
export interface DirectoryPerson extends Readonly<Partial<Record<PersonField, string>>> {
  readonly dn: string;
  readonly username: string;
}

/** The attribute map, as an object or as the text of one; undefined when it is neither. */
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
