import type { Area } from '../duties.ts';
import type { Field, FieldMode } from './field-kinds.ts';
import type { LocalText } from './text.ts';

export type Fields = Readonly<Record<string, Field<unknown, FieldMode>>>;

/**
 * Owner of the rows. `org`: the caller's current organization. `global`: the installation. `own`:
 * the caller (the table has `user_id`). The engine adds this condition independent of the request.
 */
export type Scope = 'org' | 'global' | 'own';

/**
 * Required permission bits by verb, all of them. A verb without an entry does not exist (deny by
 * default).
 */
export interface Access {
  readonly read?: number;
  readonly create?: number;
  readonly update?: number;
  readonly delete?: number;
}

/** The parent of a nested resource. */
export interface Parent {
  readonly resource: Resource;
  /** A read-only reference to the parent. */
  readonly field: string;
}

/**
 * Settings of the global search for the objects of a resource. Texts have `{field}` placeholders.
 */
export interface Searchable {
  /** Title of a hit. Default: its label. */
  readonly title?: string;
  /** Second line of a hit. */
  readonly note?: string;
  /** Page of a hit. Default: its detail page. */
  readonly page?: string;
  /** Minimum characters of one search word, for tables too large to scan. Default: one. */
  readonly shortest?: number;
  /** The label is searchable by pinyin: the table has a column for it. */
  readonly pinyin?: true;
  /** An index of letter pairs finds words of two letters. */
  readonly pairs?: true;
  /**
   * The field with the id of the owner: users find their own objects without read access to others.
   */
  readonly owner?: string;
}

/** The histogram of a list. */
export interface HistogramOptions {
  /** The list filter of the rows that stand out, and their name. */
  readonly marks?: { readonly filter: Readonly<Record<string, string>>; readonly label: LocalText };
}

export interface Resource<F extends Fields = Fields, P extends string = string> {
  readonly name: string;
  /** The table; named like the resource unless the name is an SQL keyword. */
  readonly table: string;
  /**
   * Below `/api/v1/`, without slashes at the ends. Nested: `{parent path}/{field}/…`, with the name
   * of the parent's field in braces.
   */
  readonly path: string;
  /** The parent resource, and the field with the parent's id, which only the path sets. */
  readonly parent?: Parent;
  readonly scope: Scope;
  readonly title: LocalText;
  readonly access: Access;
  /** Absent: holders of a duty may not use it. */
  readonly area?: Area;
  readonly fields: F;
  /** List parameters besides field filters; the server has a condition for each. */
  readonly parameters: readonly P[];
  /** The field with the display name. */
  readonly labelField: string;
  /** Fields of `fields_size=mini`: the minimum that identifies a row. */
  readonly miniFields: readonly string[];
  /** Default order of lists: field names, `-` for descending. */
  readonly defaultOrder: readonly string[];
  /** The field that `date_from` and `date_to` compare with. */
  readonly dateField?: string;
  /** Present: `histogram/` below the list counts its rows over time, by the date field. */
  readonly histogram?: HistogramOptions;
  /** Fields that known clients send and the server ignores. */
  readonly ignoredFields?: readonly string[];
  /** Rows decide what users are granted: writes of all such resources are serialized. */
  readonly feedsGrants?: true;
  /** Deleted rows are kept for a while and can be restored; the hooks name what follows them. */
  readonly restorable?: true;
  /** Rows are deleted with their organization and do not block its deletion. */
  readonly endsWithOrganization?: true;
  /** Fields of the separate route that creates a row, if it needs others than the resource. */
  readonly startForm?: Fields;
  /**
   * Display name where other objects refer to it, with `{field}` placeholders. Default: its label.
   */
  readonly display?: string;
  /** The field by which other objects refer to it. Default: the id. */
  readonly key?: string;
  /** Fields to create an object from another form; absent: it needs its own page. */
  readonly quickCreate?: readonly string[];
  /**
   * Fields that a copy leaves blank, besides unique names and secrets; absent: the console does not
   * offer to create another like this.
   */
  readonly copyWithout?: readonly string[];
  /**
   * Console pages, where they differ from `path`. `create` and `update` precede `/create` and
   * `/{id}/update`.
   */
  readonly pages?: {
    readonly list?: string;
    readonly create?: string;
    readonly update?: string;
    readonly detail?: string;
  };
  /** Settings of the global search; absent: not searchable. */
  readonly searchable?: Searchable;
  /** Routes of its feature answer reads in the same form, because they add unstored values. */
  readonly readByFeature?: true;
  /** True if changes are logged in the operate log. */
  readonly audited: boolean;
}

type Defaulted = 'table' | 'parameters' | 'labelField' | 'miniFields' | 'defaultOrder' | 'audited';
type Definition<F extends Fields, P extends string> = Omit<Resource<F, P>, Defaulted> &
  Partial<Pick<Resource<F, P>, Defaulted>>;

/**
 * Declares a resource; the server mounts it, the console shows it, the documentation lists it. With
 * a `parent`, `path` is relative to the parent's object: `rules` below command filters is served at
 * `assets/cmd-filters/{filter}/rules`.
 */
export function defineResource<const F extends Fields, const P extends string = never>(
  definition: Definition<F, P>,
): Resource<F, P> {
  const labelField = definition.labelField ?? 'name';
  const { parent } = definition;
  if (parent) assertParent(definition.name, parent, definition.fields[parent.field]);
  return {
    audited: true,
    table: definition.name,
    parameters: [],
    miniFields: labelField === 'id' ? ['id'] : ['id', labelField],
    defaultOrder: [labelField],
    ...definition,
    labelField,
    ...(parent && { path: `${parent.resource.path}/{${parent.field}}/${definition.path}` }),
  };
}

function assertParent(
  name: string,
  { resource, field }: Parent,
  declared: Fields[string] | undefined,
): void {
  if (
    declared?.kind !== 'reference' ||
    declared.mode !== 'readonly' ||
    declared.target !== resource.name
  )
    throw new Error(`${name}: ${field} must be a read-only reference to ${resource.name}`);
  if (resource.access.read === undefined)
    throw new Error(
      `${name}: ${resource.name} cannot be read, so nothing can be served below its objects`,
    );
}

/** Returns the path of a resource below parent objects, by the names in its braces. */
export function pathOf(resource: Resource, parents: Readonly<Record<string, string>>): string {
  return resource.path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const id = parents[field];
    if (id === undefined) throw new Error(`${resource.name}: no id for ${field}`);
    return encodeURIComponent(id);
  });
}

type KeysWithMode<F extends Fields, Excluded extends FieldMode> = {
  [K in keyof F]: F[K]['mode'] extends Excluded ? never : K;
}[keyof F];

export type Wire<F> = F extends { readonly wire?: infer Out } ? Out : never;

/** A row as the server sends it. */
export type Row<R extends Resource<never> | Resource> =
  R extends Resource<infer F> ? { [K in KeysWithMode<F, 'writeonly'>]: Wire<F[K]> } : never;

/** The body to create or change a row. */
export type Input<R extends Resource<never> | Resource> =
  R extends Resource<infer F> ? { [K in KeysWithMode<F, 'readonly'>]?: Wire<F[K]> | null } : never;

/** The stored value of a field: dates as Date, flags as a mask, others as on the wire. */
type Stored<F> = F extends { readonly kind: 'flags' } ? number : Given<F>;

/** The parsed value of a field. */
type Given<F> = F extends { readonly kind: 'datetime' } ? Date | Extract<Wire<F>, null> : Wire<F>;

/** A row from the database, under the wire's field names. */
export type StoredRowOf<R extends Resource<never> | Resource> =
  R extends Resource<infer F> ? { [K in KeysWithMode<F, 'writeonly'>]: Stored<F[K]> } : never;

/** Parsed values of a body: the writable fields that the caller sent. */
export type ValuesOf<R extends Resource<never> | Resource> =
  R extends Resource<infer F>
    ? { -readonly [K in KeysWithMode<F, 'readonly'>]?: Given<F[K]> }
    : never;

type RequiredName<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly mode: 'readonly' }
    ? never
    : F[K]['required'] extends true
      ? K
      : never;
}[keyof F];

/** Parsed values of a body by field declarations: required fields are present. */
export type BodyOf<F extends Fields> = {
  readonly [K in RequiredName<F>]: Given<F[K]>;
} & { readonly [K in Exclude<KeysWithMode<F, 'readonly'>, RequiredName<F>>]?: Given<F[K]> };

export type ReadableName<R extends Resource<never> | Resource> =
  R extends Resource<infer F> ? KeysWithMode<F, 'writeonly'> & string : never;

/** Names of list parameters besides those of fields. */
export type ParameterName<R extends Resource<never> | Resource> =
  R extends Resource<infer _, infer P> ? P : never;

/**
 * Returns the resources that block the deletion of their organization: objects created by users.
 */
export function heldByOrganizations(resources: readonly Resource[]): Resource[] {
  return resources.filter(
    ({ scope, access, endsWithOrganization }) =>
      scope === 'org' && access.create !== undefined && !endsWithOrganization,
  );
}

/** Returns a field by name. @throws Error if unknown */
export function fieldNamed({ name, fields }: Resource, field: string): Field {
  const match = fields[field];
  if (!match) throw new Error(`${name} has no field ${field}`);
  return match;
}

/** Returns the writable fields in order. */
export function writableFields(resource: Resource): [string, Field][] {
  return Object.entries(resource.fields).filter(([, field]) => field.mode !== 'readonly');
}

/** Returns the fields of lists, or with `detail` of single objects, in order. */
export function readableFields(resource: Resource, detail: boolean): [string, Field][] {
  return Object.entries(resource.fields).filter(
    ([, field]) => field.mode !== 'writeonly' && (detail || !field.detailOnly),
  );
}
