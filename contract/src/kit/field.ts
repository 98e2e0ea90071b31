import type {
  Choice,
  ChoiceValue,
  ComputedSource,
  ComputedType,
  Field,
  FieldOf,
  FlagChoice,
  NamedObjects,
  TextFormat,
} from './field-kinds.ts';
import {
  type CommonOptions,
  common,
  type ModeOf,
  modeOf,
  type Nullable,
  type Presence,
} from './field-options.ts';
import type { Wire } from './resource.ts';
import type { LocalText } from './text.ts';

/** The uuid of an object. A caller may choose it on creation; it never changes. */
export function id(): Field<string, 'readwrite', 'id'> & { readonly required: false } {
  return common('id', 'readwrite', {
    label: { en: 'ID', zh: 'ID' },
    required: false,
    filter: true,
  });
}

export interface TextOptions extends CommonOptions {
  /** Maximum characters; absent: a long text, shown as a text area. */
  readonly max?: number;
  readonly min?: number;
  readonly multiline?: boolean;
  readonly allowBlank?: boolean;
  readonly format?: TextFormat;
  readonly unique?: 'org' | 'global' | 'own';
  readonly defaultValue?: string;
  readonly keepsBlanks?: boolean;
  /** Address of a service that the server calls. */
  readonly isService?: true;
  /** The resource whose names are the values; clients show a choice of its objects. */
  readonly namesOf?: string;
}

/** A text. Blank is rejected unless `allowBlank` (implied by `required: false`). */
export function text<const O extends TextOptions>(
  options: O,
): Field<Nullable<O, string>, ModeOf<O>, 'text'> & Presence<O> {
  return {
    ...common('text', modeOf(options), options),
    format: options.format ?? 'plain',
    allowBlank: options.allowBlank ?? options.required === false,
    ...(options.max !== undefined && { max: options.max }),
    ...(options.min !== undefined && { min: options.min }),
    ...((options.multiline || options.max === undefined) && { multiline: true }),
    ...(options.unique && { unique: options.unique }),
    ...(options.keepsBlanks && { keepsBlanks: true }),
    ...(options.namesOf && { target: options.namesOf }),
    ...(options.isService && { isService: true }),
  };
}

/** A secret: sealed at rest and never returned. A blank value keeps the stored one. */
export function secret<
  const O extends {
    label: LocalText;
    help?: LocalText;
    max: number;
    multiline?: boolean;
    example?: string;
    required?: true;
  },
>(
  options: O,
): Field<string, 'writeonly', 'secret'> & {
  readonly required: O extends { required: true } ? true : false;
} {
  return {
    ...common('secret', 'writeonly', options),
    required: (options.required ?? false) as O extends { required: true } ? true : false,
    max: options.max,
    multiline: options.multiline ?? false,
  };
}

export function integer<
  const O extends CommonOptions & {
    min?: number;
    max?: number;
    defaultValue?: number;
    isPlain?: boolean;
    unit?: LocalText;
  },
>(options: O): Field<Nullable<O, number>, ModeOf<O>, 'integer'> & Presence<O> {
  return {
    ...common('integer', modeOf(options), options),
    ...(options.min !== undefined && { min: options.min }),
    ...(options.max !== undefined && { max: options.max }),
    ...(options.isPlain && { isPlain: true }),
    ...(options.unit && { unit: options.unit }),
  };
}

/** Yes or no; with `words`, shown as a choice of the two. */
export function boolean<
  const O extends CommonOptions & {
    defaultValue?: boolean;
    words?: NonNullable<FieldOf<'boolean'>['words']>;
  },
>(options: O): Field<Nullable<O, boolean>, ModeOf<O>, 'boolean'> & Presence<O> {
  return {
    ...common('boolean', modeOf(options), options),
    ...(options.words && { words: options.words }),
  };
}

/** One of several values; radio buttons up to four choices, a select above (conformance 5.8). */
export function choice<
  const V extends ChoiceValue,
  const O extends CommonOptions & { choices: readonly Choice<V>[]; defaultValue?: NoInfer<V> },
>(options: O & { choices: readonly Choice<V>[] }): Field<V, ModeOf<O>, 'choice'> & Presence<O> {
  return { ...common('choice', modeOf(options), options), choices: options.choices };
}

/** Named bits: an integer in storage, an array of names on the wire. `bits` maps names to masks. */
export function flags<
  const O extends CommonOptions & {
    choices: readonly FlagChoice[];
    defaultValue?: readonly string[];
  },
>(options: O): Field<string[], ModeOf<O>, 'flags'> & Presence<O> {
  return { ...common('flags', modeOf(options), options), choices: options.choices };
}

export function datetime<const O extends CommonOptions & { defaultValue?: 'now' | 'never' }>(
  options: O,
): Field<Nullable<O, string>, ModeOf<O>, 'datetime'> & Presence<O> {
  return common('datetime', modeOf(options), options);
}

/** A link to one object of another resource in the caller's organization. */
export function reference<const O extends CommonOptions & { to: string }>(
  options: O,
): Field<Nullable<O, string>, ModeOf<O>, 'reference'> & Presence<O> {
  return { ...common('reference', modeOf(options), options), target: options.to };
}

/**
 * Links to several objects of another resource. A pair table with the columns `{resource}_id` and
 * `{target}_id` stores them, named `{resource}_{field}` unless `through` names it; both ends of a
 * relation share it. With `reverseOf` the links are rows of the other resource whose reference
 * field of that name points back.
 */
export function many<
  const O extends CommonOptions & {
    to: string;
    minItems?: number;
    through?: string;
    reverseOf?: string;
  },
>(options: O): Field<string[], ModeOf<O>, 'many'> & Presence<O> {
  return {
    ...common('many', modeOf(options), options),
    target: options.to,
    minItems: options.minItems ?? 0,
    ...(options.through && { through: options.through }),
    ...(options.reverseOf && { reverseOf: options.reverseOf }),
  };
}

/** A list of short texts, such as `ssh/22`. */
export function list<
  const O extends CommonOptions & {
    format?: TextFormat;
    minItems?: number;
    maxItems: number;
    max: number;
    defaultValue?: readonly string[];
  },
>(options: O): Field<string[], ModeOf<O>, 'list'> & Presence<O> {
  return {
    ...common('list', modeOf(options), options),
    format: options.format ?? 'plain',
    max: options.max,
    minItems: options.minItems ?? 0,
    maxItems: options.maxItems,
  };
}

/** Free-form JSON, written by the server only. */
export function json(options: {
  label: LocalText;
  detailOnly?: boolean;
}): Field<unknown, 'readonly', 'json'> {
  return common('json', 'readonly', { ...options, readOnly: true, nullable: true });
}

/** A map of names to texts, such as directory attributes, which users edit as JSON. */
export function textMap<const O extends CommonOptions>(
  options: O & { readonly defaultValue?: Readonly<Record<string, string>> },
): Field<Readonly<Record<string, string>>, ModeOf<O>, 'json'> & Presence<O> {
  return common('json', modeOf(options), options);
}

type Members = Readonly<Record<string, Field<unknown, 'readwrite' | 'writeonly'>>>;

type MembersOf<F extends Members> = {
  readonly [K in keyof F]?: Wire<F[K]>;
};

/**
 * An object with declared members, stored as one JSON value; absent members stay absent. Hooks of a
 * resource with a secret member move it out of the value, to seal it.
 */
export function object<const F extends Members, const O extends CommonOptions & { fields: F }>(
  options: O & { fields: F },
): Field<Nullable<O, MembersOf<F>>, ModeOf<O>, 'object'> & Presence<O> {
  return { ...common('object', modeOf(options), options), fields: options.fields };
}

interface ComputedOptions extends CommonOptions {
  /** Absent: the server has an expression or a `present` hook for it. */
  readonly from?: ComputedSource;
}

function computedField<Out>(
  type: ComputedType,
  options: ComputedOptions,
): Field<Out, 'readonly', 'computed'> {
  return {
    ...common('computed', 'readonly', { ...options, readOnly: true }),
    computedType: type,
    computedFrom: options.from ?? { custom: true },
  };
}

/** Read-only values that the server computes: a count, a name, or the label of a choice. */
export const computed = {
  string: (options: ComputedOptions) => computedField<string>('string', options),
  integer: (options: ComputedOptions) => computedField<number>('integer', options),
  boolean: (options: ComputedOptions) => computedField<boolean>('boolean', options),
  datetime: (options: ComputedOptions) => computedField<string | null>('datetime', options),
  json: <T = unknown>(options: ComputedOptions) => computedField<T>('json', options),
};

/** Number of rows that a `many` field links to. */
export function countOf(field: string, label: LocalText): Field<number, 'readonly', 'computed'> {
  return computed.integer({ label, from: { count: field }, order: true });
}

/** Name of the object that a `reference` field points to. */
export function displayOf(field: string, label: LocalText): Field<string, 'readonly', 'computed'> {
  return computed.string({ label, from: { display: field } });
}

/** Label of a `choice` value in the language of the request. */
export function choiceLabelOf(
  field: string,
  label: LocalText,
): Field<string, 'readonly', 'computed'> {
  return computed.string({ label, from: { choiceLabel: field } });
}

/**
 * References behind the texts of a log row, by field: existing objects that the caller may read.
 */
export const namedObjects = () =>
  computed.json<NamedObjects>({ label: { en: 'Linked objects', zh: '关联对象' }, example: {} });

export const createdAt = () =>
  datetime({ label: { en: 'Date created', zh: '创建日期' }, readOnly: true, order: true });

export const updatedAt = () =>
  datetime({ label: { en: 'Date updated', zh: '更新日期' }, readOnly: true, order: true });

export const createdBy = () =>
  text({ label: { en: 'Created by', zh: '创建者' }, readOnly: true, max: 128 });

/** Organization of the row as id and name; both read-only. */
export const organizationFields = () => ({
  org_id: text({ label: { en: 'Organization ID', zh: '组织 ID' }, readOnly: true, max: 36 }),
  org_name: computed.string({
    label: { en: 'Organization', zh: '组织名称' },
    from: { organizationName: true },
  }),
});
