import type { Field, FieldMode } from './field-kinds.ts';
import type { LocalText } from './text.ts';

export type Fields = Readonly<Record<string, Field<unknown, FieldMode>>>;

/**
 * Where the rows of a resource belong. `org`: to the caller's current organization. `global`: to the installation.
 * `own`: to the caller (the table has `user_id`). The engine adds the condition outside of anything a caller can influence.
 */
export type Scope = 'org' | 'global' | 'own';

/** The permission bits a caller needs, all of them; a verb without an entry does not exist (deny by default). */
export interface Access {
  readonly read?: number;
  readonly create?: number;
  readonly update?: number;
  readonly delete?: number;
}

/** What a nested resource belongs to. */
export interface Parent {
  readonly resource: Resource;
  /** A read-only reference to it. */
  readonly field: string;
}

/** How the search over all resources finds and shows the objects of one of them. Texts have `{field}` places. */
export interface Searchable {
  /** How a found object is written; absent: its label. */
  readonly title?: string;
  /** What is written below it. */
  readonly note?: string;
  /** The page it opens; absent: its detail page. */
  readonly page?: string;
  /** A search needs one word with this many characters, where there are too many objects to read them all; absent: one. */
  readonly shortest?: number;
  /** Its label is found by pinyin, too: the table has a column for it. */
  readonly pinyin?: true;
  /** Words of two letters are found by an index of pairs. */
  readonly pairs?: true;
  /** The field with the id of the user to whom an object belongs: users find their own objects without the right to read the others. */
  readonly owner?: string;
}

export interface Resource<F extends Fields = Fields, P extends string = string> {
  /** Singular, snake_case. */
  readonly name: string;
  /** The table; its name is the resource's unless SQL has another meaning for that word. */
  readonly table: string;
  /** Below `/api/v1/`, without slashes at the ends. Below another resource: `{its path}/{field}/…`, with the name of the parent's field in braces. */
  readonly path: string;
  /** The resource below whose objects this one is served, and the field that names the object: it is set from the path and cannot be set otherwise. */
  readonly parent?: Parent;
  readonly scope: Scope;
  readonly title: LocalText;
  readonly access: Access;
  readonly fields: F;
  /** List parameters in addition to the filters of the fields; the server has a condition for each. */
  readonly parameters: readonly P[];
  /** The field that names a row to a person. */
  readonly labelField: string;
  /** The minimum that identifies a row: the fields of `fields_size=mini`. */
  readonly miniFields: readonly string[];
  /** The order of lists when the caller names none: field names, `-` for descending. */
  readonly defaultOrder: readonly string[];
  /** The field that `date_from` and `date_to` compare with. */
  readonly dateField?: string;
  /** Fields that known clients send with every request and that mean nothing here; they are accepted and ignored. */
  readonly ignoredFields?: readonly string[];
  /** Its rows decide what users are granted: writes of all such resources wait for each other. */
  readonly feedsGrants?: true;
  /** Its rows come and go with their organization, which may be deleted while it has some. */
  readonly endsWithOrganization?: true;
  /** What is sent to make one where that is a route of its own, which asks for something else than the fields. */
  readonly startForm?: Fields;
  /** How an object is written where another one names it, with `{field}` places; absent: its label. */
  readonly display?: string;
  /** The field by whose value others name an object; absent: the id. */
  readonly key?: string;
  /** The fields that are enough to create one from inside another form; absent: it takes its own page. */
  readonly quickCreate?: readonly string[];
  /** The paths of its console pages, where they are not `path`; `create` and `update` are what comes before `/create` and `/{id}/update`. */
  readonly pages?: {
    readonly list?: string;
    readonly create?: string;
    readonly update?: string;
    readonly detail?: string;
  };
  /** How the search over all resources finds its objects; absent: it does not. */
  readonly searchable?: Searchable;
  /** Its list and its objects hold more than what is stored: routes of its feature answer them, in the same form. */
  readonly readByFeature?: true;
  /** Whether changes leave a row in the operate log. */
  readonly audited: boolean;
}

type Defaulted = 'table' | 'parameters' | 'labelField' | 'miniFields' | 'defaultOrder' | 'audited';
type Definition<F extends Fields, P extends string> = Omit<Resource<F, P>, Defaulted> &
  Partial<Pick<Resource<F, P>, Defaulted>>;

/**
 * Declares a resource once; the server mounts it, the console draws it, the documentation lists it. With a `parent` the path is what comes after the
 * parent's object: `rules` below command filters is served at `assets/cmd-filters/{filter}/rules`.
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

/** The path of a resource below given objects, by the names in its braces. */
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

/** The wire type that a field declares. */
export type Wire<F> = F extends { readonly wire?: infer Out } ? Out : never;

/** One row of a resource as the server sends it. */
export type Row<R extends Resource<never> | Resource> =
  R extends Resource<infer F> ? { [K in KeysWithMode<F, 'writeonly'>]: Wire<F[K]> } : never;

/** What a caller may send to create or change a row. */
export type Input<R extends Resource<never> | Resource> =
  R extends Resource<infer F> ? { [K in KeysWithMode<F, 'readonly'>]?: Wire<F[K]> | null } : never;

/** What is stored of a field: dates as dates, flags as a mask, everything else as it is on the wire. */
type Stored<F> = F extends { readonly kind: 'flags' } ? number : Given<F>;

/** What a caller gave for a field, after it was read. */
type Given<F> = F extends { readonly kind: 'datetime' } ? Date | Extract<Wire<F>, null> : Wire<F>;

/** One row of a resource as the database gives it, under the wire's field names. */
export type StoredRowOf<R extends Resource<never> | Resource> =
  R extends Resource<infer F> ? { [K in KeysWithMode<F, 'writeonly'>]: Stored<F[K]> } : never;

/** The values of a body after they were read: those of writable fields that the caller gave. */
export type ValuesOf<R extends Resource<never> | Resource> =
  R extends Resource<infer F>
    ? { -readonly [K in KeysWithMode<F, 'readonly'>]?: Given<F[K]> }
    : never;

/** The names of the fields that can be read. */
export type ReadableName<R extends Resource<never> | Resource> =
  R extends Resource<infer F> ? KeysWithMode<F, 'writeonly'> & string : never;

/** The names of the list parameters in addition to those of the fields. */
export type ParameterName<R extends Resource<never> | Resource> =
  R extends Resource<infer _, infer P> ? P : never;

/** The resources that keep an organization from being deleted: what people create in it. */
export function heldByOrganizations(resources: readonly Resource[]): Resource[] {
  return resources.filter(
    ({ scope, access, endsWithOrganization }) =>
      scope === 'org' && access.create !== undefined && !endsWithOrganization,
  );
}

/** A field by its name. @throws Error for a name that is none, because only declarations ask */
export function fieldNamed({ name, fields }: Resource, field: string): Field {
  const found = fields[field];
  if (!found) throw new Error(`${name} has no field ${field}`);
  return found;
}

/** The fields a person may set, in their order. */
export function writableFields(resource: Resource): [string, Field][] {
  return Object.entries(resource.fields).filter(([, field]) => field.mode !== 'readonly');
}

/** The fields that lists and single objects show, in their order. */
export function readableFields(resource: Resource, detail: boolean): [string, Field][] {
  return Object.entries(resource.fields).filter(
    ([, field]) => field.mode !== 'writeonly' && (detail || !field.detailOnly),
  );
}
