import type { LocalText } from './text.ts';

/**
 * The kinds of field a resource can have. Everything generic (validation, metadata, filters, forms, table cells)
 * is decided by the kind, so a new kind is added here and in the switch statements the compiler then points at.
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

/** Who may see and set a field over the wire. */
export type FieldMode = 'readwrite' | 'readonly' | 'writeonly';

export type ChoiceValue = string | number;

export interface Choice<V extends ChoiceValue = ChoiceValue> {
  readonly value: V;
  readonly label: LocalText;
  /** Permission bits of those to whom a form offers it; absent: every writer of the field, 0: no caller. */
  readonly needs?: number;
}

/** The shape a text must have beyond its length. */
export type TextFormat =
  | 'plain'
  | 'email'
  | 'username'
  | 'slug'
  | 'host'
  | 'sftpRoot'
  | 'path'
  | 'protocol'
  | 'url'
  | 'port'
  | 'crontab'
  | 'timeZone';

/** Where the value of a read-only field comes from when it is not a column of the table. */
export type ComputedSource =
  | { readonly count: string }
  | { readonly display: string }
  | { readonly choiceLabel: string }
  | { readonly organizationName: true }
  | { readonly custom: true };

/** What a computed field looks like on the wire. */
export type ComputedType = 'string' | 'integer' | 'boolean' | 'datetime' | 'json';

/** What fields of every kind have. `Default` is what a new row gets when the caller says nothing. */
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
  /** Left out of lists, sent with one object: what is costly or long. */
  readonly detailOnly?: boolean;
  /** A believable value, for the API description; absent: one is made of kind, format and label. */
  readonly example?: unknown;
  /** What a yes means where lists and details draw it; absent: it is the good state. */
  readonly yesMeans?: 'care' | 'neither';
  /** Carries the wire type to the compiler; never present at run time. */
  readonly wire?: Out;
}

interface IdField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'id'> {}

interface TextField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'text', string> {
  readonly format: TextFormat;
  readonly min?: number;
  readonly max?: number;
  readonly multiline?: boolean;
  readonly allowBlank: boolean;
  /** Blanks at the ends belong to the value. */
  readonly keepsBlanks?: boolean;
  readonly unique?: 'org' | 'global';
  /** The resource whose names are the values. */
  readonly target?: string;
}

interface SecretField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'secret'> {
  readonly max: number;
  readonly multiline: boolean;
}

interface IntegerField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'integer', number> {
  readonly min?: number;
  readonly max?: number;
  /** A number that counts nothing, such as a port: shown without separators. */
  readonly isPlain?: boolean;
}

interface BooleanField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'boolean', boolean> {
  /** What the values are called, where a choice of two is meant. */
  readonly words?: { readonly yes: LocalText; readonly no: LocalText };
}

interface ChoiceField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'choice', ChoiceValue> {
  readonly choices: readonly Choice[];
}

interface FlagsField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'flags', readonly string[]> {
  readonly choices: readonly Choice<string>[];
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
  /** Characters of one item at the most. */
  readonly max: number;
  readonly minItems: number;
  readonly maxItems: number;
}

interface JsonField<Out, Mode extends FieldMode>
  extends FieldBase<Out, Mode, 'json', Readonly<Record<string, string>>> {}

interface ObjectField<Out, Mode extends FieldMode> extends FieldBase<Out, Mode, 'object'> {
  /** The members of the object. */
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

/** The description of one field; built by the functions of field.ts, never by hand. Its kind decides which properties exist. */
export type Field<
  Out = unknown,
  Mode extends FieldMode = FieldMode,
  Kind extends FieldKind = FieldKind,
> = FieldByKind<Out, Mode>[Kind];

/** A field of one kind, or of one of several. */
export type FieldOf<Kind extends FieldKind> = Field<unknown, FieldMode, Kind>;

/** The resource that a field points to, by ids or by names. */
export function targetOf(field: Field | undefined): string | undefined {
  return field && 'target' in field ? field.target : undefined;
}

/** The values that a field is limited to. */
export function choicesOf(field: Field | undefined): readonly Choice[] | undefined {
  return field && 'choices' in field ? field.choices : undefined;
}

/** What the values of a field look like: its kind, or what a computed one computes. */
export function shapeOf(field: Field): FieldKind | ComputedType {
  return field.kind === 'computed' ? field.computedType : field.kind;
}

/** The members of an object field; none in any other. */
export function membersOf(field: Field | undefined): Readonly<Record<string, Field>> {
  return field?.kind === 'object' ? field.fields : {};
}
