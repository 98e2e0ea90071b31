import type { Field, FieldMode } from './field.ts';
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

export interface Resource<F extends Fields = Fields> {
  /** Singular, snake_case. */
  readonly name: string;
  /** The table; its name is the resource's unless SQL has another meaning for that word. */
  readonly table: string;
  /** Below `/api/v1/`, without slashes at the ends. */
  readonly path: string;
  readonly scope: Scope;
  readonly title: LocalText;
  readonly access: Access;
  readonly fields: F;
  /** The field that names a row to a person. */
  readonly labelField: string;
  /** What a row is told by at the least: the fields of `fields_size=mini`. */
  readonly miniFields: readonly string[];
  /** The order of lists when the caller names none: field names, `-` for descending. */
  readonly defaultOrder: readonly string[];
  /** The field that `date_from` and `date_to` compare with. */
  readonly dateField?: string;
  /** Whether changes leave a row in the operate log. */
  readonly audited: boolean;
}

type Defaulted = 'table' | 'labelField' | 'miniFields' | 'defaultOrder' | 'audited';
type Definition<F extends Fields> = Omit<Resource<F>, Defaulted> & Partial<Pick<Resource<F>, Defaulted>>;

/** Declares a resource once; the server mounts it, the console draws it, the documentation lists it. */
export function defineResource<const F extends Fields>(definition: Definition<F>): Resource<F> {
  const labelField = definition.labelField ?? 'name';
  return {
    audited: true,
    table: definition.name,
    miniFields: labelField === 'id' ? ['id'] : ['id', labelField],
    defaultOrder: [labelField],
    ...definition,
    labelField,
  };
}

type KeysWithMode<F extends Fields, Excluded extends FieldMode> = {
  [K in keyof F]: F[K]['mode'] extends Excluded ? never : K;
}[keyof F];

type Wire<T> = T extends Field<infer Out, FieldMode> ? Out : never;

/** One row of a resource as the server sends it. */
export type Row<R extends Resource<never> | Resource> = R extends Resource<infer F> ? { [K in KeysWithMode<F, 'writeonly'>]: Wire<F[K]> } : never;

/** What a caller may send to create or change a row. */
export type Input<R extends Resource<never> | Resource> = R extends Resource<infer F> ? { [K in KeysWithMode<F, 'readonly'>]?: Wire<F[K]> | null } : never;

/** The fields a person may set, in their order. */
export function writableFields(resource: Resource): [string, Field][] {
  return Object.entries(resource.fields).filter(([, field]) => field.mode !== 'readonly');
}

/** The fields that lists and single objects show, in their order. */
export function readableFields(resource: Resource, detail: boolean): [string, Field][] {
  return Object.entries(resource.fields).filter(([, field]) => field.mode !== 'writeonly' && (detail || !field.detailOnly));
}
