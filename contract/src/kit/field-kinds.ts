import type { LocalText } from './text.ts';

/**
 * Kinds of fields. Validation, metadata, filters, forms and table cells depend on the kind. A new
 * kind is added here and in the switch statements that the compiler then reports.
 */
export type FieldKind =
  | 'id'
  | 'text'
  | 'secret'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'flags'
  | 'datetime'
  | 'reference'
  | 'many'
  | 'list'
  | 'json'
  | 'object'
  | 'computed';

export type FieldMode = 'readwrite' | 'readonly' | 'writeonly';

export type ChoiceValue = string | number;

export interface Choice<V extends ChoiceValue = ChoiceValue> {
  readonly value: V;
  readonly label: LocalText;
  /** Permission bits required to be offered the choice; absent: every writer, 0: never. */
  readonly needs?: number;
}

/** A choice of flags with its bits in the stored number. */
export interface FlagChoice extends Choice<string> {
  readonly mask: number;
}

/** Returns the stored number of flags. */
export const maskOfFlags = (choices: readonly FlagChoice[], names: readonly string[]): number =>
  choices.reduce((bits, { value, mask }) => (names.includes(value) ? bits | mask : bits), 0);

/** Returns the flags whose bits are all set, in wire order. */
export const flagsOfMask = <Flag extends FlagChoice>(
  choices: readonly Flag[],
  bits: number,
): Flag['value'][] =>
  choices.filter(({ mask }) => (bits & mask) === mask).map(({ value }) => value);

/** Format of a text, beyond its length. */
export type TextFormat =
  | 'plain'
  | 'email'
  | 'username'
  | 'operand'
  | 'slug'
  | 'host'
  | 'sftpRoot'
  | 'serialLine'
  | 'path'
  | 'protocol'
  | 'url'
  | 'port'
  | 'crontab'
  | 'timeZone'
  | 'network'
  | 'weekHours'
  | 'portRange';

/** Source of a read-only value that is no column. */
export type ComputedSource =
  | { readonly count: string }
  | { readonly display: string }
  | { readonly choiceLabel: string }
  | { readonly organizationName: true }
  | { readonly custom: true };

/** Wire type of a computed field. */
export type ComputedType = 'string' | 'integer' | 'boolean' | 'datetime' | 'json';

/** Properties of all kinds. `Default` is the value of a new row if the caller sends none. */
export interface FieldBase<Out, Mode extends FieldMode, Kind extends FieldKind, Default = never> {
  readonly kind: Kind;
  readonly mode: Mode;
  readonly label: LocalText;
  readonly help?: LocalText;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly defaultValue?: Default;
  readonly search?: boolean;
  readonly order?: boolean;
  readonly filter?: boolean;
  /** Omitted from lists, because it is expensive or long. */
  readonly detailOnly?: boolean;
  /** A plausible value for the API description. Default: derived from kind, format and label. */
  readonly example?: unknown;
  /** Meaning of yes in lists and details. Default: the good state. */
  readonly yesMeans?: 'care' | 'neither';
  /** Carries the wire type for the compiler; never present at run time. */
  readonly wire?: Out;
}

interface IdField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'id'> {}

interface TextField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'text', string> {
  readonly format: TextFormat;
  readonly min?: number;
  readonly max?: number;
  readonly multiline?: boolean;
  readonly allowBlank: boolean;
  /** Keep blanks at the ends. */
  readonly keepsBlanks?: boolean;
  readonly unique?: 'org' | 'global' | 'own';
  /** The resource whose names are the values. */
  readonly target?: string;
  /** Address of a service that the server calls; the metadata service of a cloud is rejected. */
  readonly isService?: true;
}

interface SecretField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'secret'> {
  readonly max: number;
  readonly multiline: boolean;
}

interface IntegerField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'integer', number> {
  readonly min?: number;
  readonly max?: number;
  /** Shown without thousands separators, such as a port. */
  readonly isPlain?: boolean;
  /** Unit of the number. Forms show it in the field instead of in the label. */
  readonly unit?: LocalText;
}

interface BooleanField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'boolean', boolean> {
  /** Labels of the two values, for a choice of two. */
  readonly words?: { readonly yes: LocalText; readonly no: LocalText };
}

interface ChoiceField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'choice', ChoiceValue> {
  readonly choices: readonly Choice[];
}

interface FlagsField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'flags', readonly string[]> {
  readonly choices: readonly FlagChoice[];
}

interface DatetimeField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'datetime', 'now' | 'never'> {}

interface ReferenceField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'reference'> {
  readonly target: string;
}

interface ManyField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'many'> {
  readonly target: string;
  readonly minItems: number;
  readonly through?: string;
  readonly reverseOf?: string;
}

interface ListField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'list', readonly string[]> {
  readonly format: TextFormat;
  /** Maximum characters of an item. */
  readonly max: number;
  readonly minItems: number;
  readonly maxItems: number;
}

interface JsonField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'json', Readonly<Record<string, string>>> {}

interface ObjectField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'object'> {
  readonly fields: Readonly<Record<string, Field>>;
}

interface ComputedField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'computed'> {
  readonly computedFrom: ComputedSource;
  readonly computedType: ComputedType;
}

interface FieldByKind<Out, Mode extends FieldMode> {
  readonly id: IdField<Out, Mode>;
  readonly text: TextField<Out, Mode>;
  readonly secret: SecretField<Out, Mode>;
  readonly integer: IntegerField<Out, Mode>;
  readonly boolean: BooleanField<Out, Mode>;
  readonly choice: ChoiceField<Out, Mode>;
  readonly flags: FlagsField<Out, Mode>;
  readonly datetime: DatetimeField<Out, Mode>;
  readonly reference: ReferenceField<Out, Mode>;
  readonly many: ManyField<Out, Mode>;
  readonly list: ListField<Out, Mode>;
  readonly json: JsonField<Out, Mode>;
  readonly object: ObjectField<Out, Mode>;
  readonly computed: ComputedField<Out, Mode>;
}

/** A field, built by the functions in field.ts. Its kind decides which properties exist. */
export type Field<
  Out = unknown,
  Mode extends FieldMode = FieldMode,
  Kind extends FieldKind = FieldKind,
> = FieldByKind<Out, Mode>[Kind];

/** A field of one or several kinds. */
export type FieldOf<Kind extends FieldKind> = Field<unknown, FieldMode, Kind>;

/** Returns the resource that a field refers to, by id or by name. */
export function targetOf(field: Field | undefined): string | undefined {
  return field && 'target' in field ? field.target : undefined;
}

export function choicesOf(field: Field | undefined): readonly Choice[] | undefined {
  return field && 'choices' in field ? field.choices : undefined;
}

/** Returns the kind of a field, or the type of a computed one. */
export function shapeOf(field: Field): FieldKind | ComputedType {
  return field.kind === 'computed' ? field.computedType : field.kind;
}

/** Returns the members of an object field; empty for other kinds. */
export function membersOf(field: Field | undefined): Readonly<Record<string, Field>> {
  return field?.kind === 'object' ? field.fields : {};
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns true for a uuid in the usual notation. */
export function isUuid(value: string): boolean;
export function isUuid(value: unknown): value is string;
export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && UUID.test(value);
}

export interface ObjectRef {
  readonly resource: string;
  readonly id: string;
}

/** Objects named by the texts of a row, by field: existing ones that the caller may read. */
export type NamedObjects = Readonly<Record<string, ObjectRef>>;

/** A linked object in the row of another one. */
export interface NamedRow {
  readonly id: string;
  readonly name: string;
}
