import type { ImportedCredentials } from '../../features/identity/index.ts';

/**
 * Kinds of objects that an import writes, in the order of their writes. `membership` adds users to
 * an organization.
 */
export const KINDS = [
  'organization',
  'platform',
  'user',
  'membership',
  'user_group',
  'domain',
  'gateway',
  'node',
  'admin_user',
  'system_user',
  'asset',
  'asset_user',
  'asset_permission',
  'command_filter',
] as const;
export type Kind = (typeof KINDS)[number];

/** A key that a server has at an address. */
export interface HostKey {
  readonly host: string;
  readonly port: number;
  /** The public key as a line. */
  readonly line: string;
}

/** An object of a source, described as Sallyport has it. */
export interface SourceObject {
  readonly kind: Kind;
  /** Id in the source. Links of other objects name it; a new object keeps it if it is a UUID. */
  readonly id: string;
  /** Id of its organization in the source. Blank: the default organization. */
  readonly organization: string;
  /** The text that identifies the object in its organization. */
  readonly name: string;
  /** Its row or line in the source, for messages. */
  readonly place: string;
  /** Wanted fields as in the API. Links contain ids of the source. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Further fields of a new object. An existing one keeps its secrets and its own settings. */
  readonly initial?: Readonly<Record<string, unknown>>;
  /** Proofs of a new user. */
  readonly credentials?: ImportedCredentials;
  /** The node above a node. */
  readonly parent?: string;
  /** Host keys of a new asset. */
  readonly hostKeys?: readonly HostKey[];
  /** True if the object is linked and never created. */
  readonly mustExist?: boolean;
}

/** Says what the import leaves out or changes of the source. */
export interface Note {
  readonly place: string;
  readonly text: string;
}

/** The objects of a source, independent of its kind and version. */
export interface Description {
  readonly objects: readonly SourceObject[];
  readonly notes: readonly Note[];
}

/** Maximum objects of one import: they are in memory together. */
export const MAX_OBJECTS = 500_000;

/** Collects the objects and notes of a source. */
export class Collector {
  readonly objects: SourceObject[] = [];
  readonly notes: Note[] = [];

  add(object: SourceObject): void {
    this.objects.push(object);
  }

  note(place: string, text: string): void {
    this.notes.push({ place, text });
  }
}
